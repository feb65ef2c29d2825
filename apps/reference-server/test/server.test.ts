import { connect, createServer, type AddressInfo } from 'node:net';
import { VERSION } from '@gateramp/core/http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEMO_KEYS } from '../src/demo/demo-partner.js';
import {
  call,
  eventually,
  hooksOf,
  readyServer,
  runServer,
  type Hook,
  type Json,
  type Origins,
} from './running-server.js';

const SECRET = { authorization: `Bearer ${DEMO_KEYS.secret}` };
const WALLET = '0x52908400098527886E0F7030069857D2E4169EE7';

describe.each(['fastify', 'express'])('the server on %s', (framework) => {
  let server: Awaited<ReturnType<typeof readyServer>>;
  let origins: Origins;
  beforeAll(async () => {
    server = await readyServer({ GATE_HTTP: framework });
    origins = server.origins;
  });
  afterAll(() => server.process.kill('SIGKILL'));

  const createSession = (key = SECRET, origin = origins.sandbox) =>
    call(
      `${origin}/v1/gate_sessions`,
      { ...key, 'idempotency-key': crypto.randomUUID() },
      { amount: '100.00', currency: 'EUR', return_url: `${origins.demo}/` },
    );
  const completed = (sessionId: string): Promise<Hook> =>
    eventually(async () =>
      (await hooksOf(origins.demo, sessionId)).find((hook) => hook.type === 'gate_session.completed'),
    );

  it('says in one line on stdout that it is ready, and where', () => {
    expect(server.stdout().trim().split('\n')).toHaveLength(1);
    expect(Object.keys(origins)).toEqual([
      'event',
      'version',
      'sandbox',
      'live',
      'widget',
      'sandbox_widget',
      'pools',
      'demo',
      'ops',
      'console',
    ]);
  });

  it('lets a session be created, opened and paid, and the shop gets signed webhooks that verify', async () => {
    const session = await createSession();
    expect(session.status).toBe(201);
    const opened = await call(
      `${origins.sandbox}/v1/embed/bootstrap`,
      { authorization: `Bearer ${DEMO_KEYS.publishable}`, origin: origins.demo },
      { clientSecret: session.json.client_secret },
    );
    expect([opened.status, opened.json.available]).toEqual([200, true]);
    const intent = await call(
      `${origins.sandbox}/v1/embed/intents`,
      { 'x-embed-token': String(opened.json.embed_token), origin: origins.sandbox_widget },
      {
        flow: 'on_ramp',
        amount: '100.00',
        currency: 'EUR',
        target_token: 'USDC',
        target_network: 'base',
        wallet_address: WALLET,
        payment_method: 'card',
        payment_details: { card_number: '4242424242424242', expiry: '12/34', cvc: '123' },
      },
    );
    expect([intent.status, intent.json.status]).toEqual([201, 'processing']);

    const before = await call(`${origins.sandbox}/v1/test_helpers/clock`, SECRET);
    const advanced = await call(`${origins.sandbox}/v1/test_helpers/clock/advance`, SECRET, { seconds: 60 });
    expect(Date.parse(String(advanced.json.now)) - Date.parse(String(before.json.now))).toBeGreaterThanOrEqual(60_000);

    const sessionId = String(session.json.id);
    expect(await completed(sessionId)).toMatchObject({ verified: true, sequence: 3 });
    expect((await hooksOf(origins.demo, sessionId)).map((hook) => [hook.sequence, hook.verified]).sort()).toEqual([
      [1, true],
      [2, true],
      [3, true],
    ]);
  });

  it('refuses a live key on the sandbox host, and a test key on the live one', async () => {
    const live = await createSession({ authorization: 'Bearer sk_live_0000000000000000' });
    expect([live.status, live.json.code]).toEqual([403, 'live_key_on_sandbox']);
    const test = await createSession(SECRET, origins.live);
    expect([test.status, test.json.code]).toEqual([403, 'test_key_on_live']);
  });

  it('answers on every listener', async () => {
    expect((await call(`${origins.sandbox}/health`)).json).toMatchObject({
      status: 'ok',
      mode: 'test',
      version: VERSION,
    });
    expect((await call(`${origins.live}/health`)).json).toMatchObject({ status: 'ok', mode: 'live', version: VERSION });
    expect((await call(`${origins.ops}/health`)).json).toMatchObject({ status: 'ok', version: VERSION });
    const pools = await call(`${origins.pools}/v1/pools/quote`);
    expect([pools.status, pools.json.code, pools.json.statusCode, pools.headers.get('x-request-id')]).toEqual([
      404,
      'route_not_found',
      404,
      pools.json.request_id,
    ]);
    for (const origin of [origins.widget, origins.sandbox_widget, origins.demo]) {
      const page = await fetch(origin);
      expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
      expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
      expect(page.headers.get('x-content-type-options')).toBe('nosniff');
    }
  });

  it('believes X-Forwarded-For of a trusted proxy alone: each client behind it has its own limits', async () => {
    const remaining = async (origin: string, client: string): Promise<string | null> =>
      (await call(`${origin}/v1/capabilities`, { ...SECRET, 'x-forwarded-for': client })).headers.get(
        'x-ratelimit-remaining-short',
      );
    const behind = await readyServer({ GATE_HTTP: framework, GATE_TRUSTED_PROXIES: 'loopback' });
    const first = await remaining(behind.origins.sandbox, '203.0.113.7');
    expect(await remaining(behind.origins.sandbox, '203.0.113.8')).toBe(first);
    behind.process.kill('SIGKILL');
    expect(await remaining(origins.sandbox, '203.0.113.7')).not.toBe(await remaining(origins.sandbox, '203.0.113.8'));
  });

  it('has a demo shop that sells in test mode for its own page only', async () => {
    const sold = await call(`${origins.demo}/sell`, { 'sec-fetch-site': 'same-origin' }, {});
    expect([sold.status, sold.json.status]).toEqual([200, 'succeeded']);
    expect(await completed(String(sold.json.session_id))).toMatchObject({ verified: true });
    expect((await call(`${origins.demo}/sell`, { 'sec-fetch-site': 'cross-site' }, {})).status).toBe(403);
  });

  it('answers 400 to a webhook whose signature does not fit', async () => {
    expect((await call(`${origins.demo}/hooks`, { 'gate-signature': 't=1,v1=00' }, {})).status).toBe(400);
  });

  it('answers bytes that are no request in the envelope, on each API host, and logs that', async () => {
    for (const origin of [origins.sandbox, origins.live]) {
      const { hostname, port } = new URL(origin);
      const socket = connect(Number(port), hostname).setEncoding('utf8');
      socket.end('NO SUCH THING\r\n\r\n');
      let text = '';
      for await (const part of socket) text += String(part);
      const [head = '', body = ''] = text.split('\r\n\r\n');
      const envelope: Json = JSON.parse(body);
      expect(envelope).toMatchObject({ type: 'invalid_request', code: 'malformed_request', statusCode: 400 });
      expect(head).toContain(`x-request-id: ${String(envelope.request_id)}`);
      expect(head).toMatch(/x-ratelimit-remaining-short: \d+/);
      const line = await eventually(async () =>
        server
          .stderr()
          .split('\n')
          .find((one) => one.includes(String(envelope.request_id))),
      );
      expect(JSON.parse(line)).toMatchObject({ route: 'none', status: 400 });
    }
  });

  it('logs each request by the template of its route, without path, query, key or secret', async () => {
    const asked = [
      ['/v1/gate_sessions/65f0c0ffee65f0c0ffee9999?cursor=hidden-in-query', '/v1/gate_sessions/{id}', 400],
      ['/hidden-in-path', 'none', 404],
    ] as const;
    for (const [path, route, status] of asked) {
      const id = (await call(`${origins.sandbox}${path}`, SECRET)).headers.get('x-request-id');
      const line = await eventually(async () =>
        server
          .stderr()
          .split('\n')
          .find((one) => one.includes(String(id))),
      );
      expect(JSON.parse(line)).toMatchObject({
        msg: 'request',
        mode: 'test',
        method: 'GET',
        route,
        status,
        partner_id: route === 'none' ? null : '65f0de300000000000000001',
      });
      expect(JSON.parse(line)).not.toHaveProperty('path');
    }
    for (const secret of [
      'hidden-in-query',
      'hidden-in-path',
      '65f0c0ffee65f0c0ffee9999',
      DEMO_KEYS.secret,
      DEMO_KEYS.publishable,
      'gsec_',
      'whsec_',
      '4242424242424242',
    ]) {
      expect(server.stderr()).not.toContain(secret);
    }
  });
});

describe('a start that cannot be', () => {
  const wrong = { GATE_LIVE_PORT: 'x', GATE_HTTP: 'koa', DATABASE_URL: 'postgres://localhost/gate' };
  const problems = [
    'GATE_LIVE_PORT: must be a whole number from 0 to 65535, not "x".',
    'GATE_HTTP: must be fastify or express, not "koa".',
    'GATE_MASTER_KEY: is required with DATABASE_URL; it encrypts secrets in the database. Generate one with "openssl rand -base64 32" and keep it.',
  ];

  it('stops with exit code 1 and lists every problem at once', async () => {
    const server = runServer({ ...wrong, GATE_LOG: 'pretty' });
    expect(await server.exited).toBe(1);
    expect(server.stdout()).toBe('');
    expect(server.stderr().trimEnd().split('\n')).toEqual([
      'Gateramp cannot start. Fix these 3 problems:',
      ...problems.map((problem) => `  ${problem}`),
    ]);
  });

  it('is one line of JSON where the log is JSON', async () => {
    const server = runServer({ ...wrong, GATE_LOG: 'json' });
    expect(await server.exited).toBe(1);
    const [line = '', ...others] = server.log().trimEnd().split('\n');
    expect(others).toEqual([]);
    expect(JSON.parse(line)).toMatchObject({ level: 60, msg: 'Gateramp cannot start', problems });
  });

  it('names the port that is in use and its variable', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as AddressInfo;
    const server = runServer({ GATE_OPS_PORT: String(port) });
    expect(await server.exited).toBe(1);
    expect(server.stderr()).toContain(`GATE_OPS_PORT: port ${port} on 127.0.0.1 is already in use.`);
    other.close();
  });
});

it('warns that the operators’ port can be reached where it binds beyond loopback, and has no demo partner there', async () => {
  const open = await readyServer({ GATE_HOST: '0.0.0.0' });
  const { sandbox, demo } = open.origins;
  const sold = await call(`${demo}/sell`, { 'sec-fetch-site': 'same-origin' }, {});
  const listed = await call(`${sandbox}/v1/gate_sessions`, { authorization: `Bearer ${DEMO_KEYS.secret}` });
  open.process.kill('SIGKILL');
  expect([sold.status, listed.status]).toEqual([404, 401]);
  expect(open.stderr()).toContain("the operators' port (GATE_OPS_PORT) can be reached from other machines");
  expect(open.stderr()).toContain('there is no demo partner');
});
