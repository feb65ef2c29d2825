import { afterAll, describe, expect, it } from 'vitest';
import { DEMO_KEYS } from '../src/demo/demo-partner.js';
import { migratedDatabase, runGate } from './run-gate.js';
import { postAsDemo, readyServer, runServer } from './running-server.js';

/** Sends a change as the page does. */
function change(url: string, body: object, cookie = '', method = 'POST'): Promise<Response> {
  const headers = { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin', cookie };
  return fetch(url, { method, headers, body: JSON.stringify(body) });
}

const cookieOf = (answer: Response): string => (answer.headers.get('set-cookie') ?? '').split(';')[0] ?? '';

describe('the console of the reference server', () => {
  const ends: (() => unknown)[] = [];
  afterAll(async () => {
    for (const end of ends) await end();
  });

  it('lets the operator of a local server in by the link of its banner, once', async () => {
    const server = runServer({ GATE_LOG: 'pretty' });
    ends.push(() => server.process.kill('SIGKILL'));
    const [, origin = '', code = ''] = await server.printed(/(http:\/\/127\.0\.0\.1:\d+)\/#code=(\S+)\n/);
    const first = await change(`${origin}/console/v1/session`, { code });
    expect(first.status).toBe(201);
    expect(await first.json()).toMatchObject({ kind: 'operator', partners: [{ id: expect.any(String) }] });
    expect((await change(`${origin}/console/v1/session`, { code })).status).toBe(401);
    const partners = await fetch(`${origin}/console/v1/partners`, { headers: { cookie: cookieOf(first) } });
    expect(partners.status).toBe(200);
  });

  it('may frame the preview of the checkout in test mode, opened by its address or as localhost', async () => {
    const server = await readyServer({});
    ends.push(() => server.process.kill('SIGKILL'));
    const { console: origin, sandbox_widget: test, widget: live } = server.origins;
    const preview = await fetch(`${test}/preview`);
    const named = new URL(origin);
    named.hostname = 'localhost';
    expect(preview.headers.get('content-security-policy')).toContain(`frame-ancestors ${origin} ${named.origin};`);
    const page = await fetch(origin);
    expect(page.headers.get('content-security-policy')).toContain(`frame-src ${new URL(test).origin};`);
    expect((await fetch(`${live}/preview`)).status).toBe(404);
  });

  it('is not served over plain http to other machines', async () => {
    const server = await readyServer({ GATE_HOST: '0.0.0.0' });
    ends.push(() => server.process.kill('SIGKILL'));
    const answer = await fetch(`${server.origins.console}/console/v1/me`);
    expect(answer.status).toBe(503);
    expect(await answer.text()).toContain('GATE_CONSOLE_URL');
  });

  it('lets a user of a partner in by the link of gate console invite, who then reads and changes nothing', async () => {
    const { database, settings } = await migratedDatabase();
    ends.push(() => database.drop());
    const server = await readyServer(settings);
    ends.unshift(() => server.process.kill('SIGKILL'));
    const body = { amount: '10.00', currency: 'EUR', return_url: `${server.origins.demo}/` };
    const { id, partner_id: partner } = await postAsDemo(server, '/v1/gate_sessions', body, 'create');
    const { origins } = server;
    const invited = await runGate(
      `console invite --partner ${String(partner)} --mode test --url ${origins.console} --json`,
      settings,
    );
    const { url } = JSON.parse(invited.out) as { readonly url: string };
    const [at, code] = url.split('/#code=');
    expect(at).toBe(origins.console);
    const cookie = cookieOf(await change(`${origins.console}/console/v1/session`, { code }));
    const shown = await fetch(`${origins.console}/console/v1/sessions/${String(id)}`, { headers: { cookie } });
    const same = await fetch(`${origins.sandbox}/v1/gate_sessions/${String(id)}`, {
      headers: { authorization: `Bearer ${DEMO_KEYS.secret}` },
    });
    expect(await shown.json()).toEqual({ ...((await same.json()) as object), payment: null });
    const refused = await change(`${origins.console}/console/v1/endpoint`, { paused: true }, cookie, 'PATCH');
    expect(await refused.json()).toMatchObject({ code: 'insufficient_role', statusCode: 403 });
    const other = await fetch(`${origins.console}/console/v1/sessions?mode=live`, { headers: { cookie } });
    expect(other.status).toBe(404);
  });
});
