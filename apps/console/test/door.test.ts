import { consoleAccess } from '@gateramp/extensions/console-access';
import { inspection } from '@gateramp/extensions/inspection';
import { createTestGate, TEST_PARTNER } from '@gateramp/testing';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { consoleHandler } from '../src/index.js';
import { ENDPOINTS } from '../src/server/endpoints.js';
import { ask, ORIGIN, signedIn, type TestConsole, testConsole } from './console.js';

const START = Date.UTC(2030, 0, 1);

/** A gate whose live time the test moves, since a test clock never does. */
async function gateInTime() {
  let now = START;
  const clock = { now: () => now, wall: () => now, advanceTo: async () => undefined };
  const { gate, store } = await createTestGate({ ports: { testClock: clock } });
  return { gate, store, pass: (ms: number) => (now += ms) };
}

describe('the code of an invitation', () => {
  it('gives one session, however many exchanges race for it', async () => {
    const console = testConsole((await createTestGate()).gate);
    const { code } = await console.gate.console.invite(TEST_PARTNER.id, { mode: 'test', actor: 'ada' });
    const race = Array.from({ length: 8 }, () => ask(console, '/session', { method: 'POST', body: { code } }));
    const statuses = (await Promise.all(race)).map(({ status }) => status);
    expect(statuses.toSorted()).toEqual([201, ...Array.from({ length: 7 }, () => 401)]);
    const again = await ask(console, '/session', { method: 'POST', body: { code } });
    expect(again.status).toBe(401);
    expect(await again.json()).toMatchObject({ code: 'invalid_invite', type: 'unauthorized', statusCode: 401 });
    const exchanges = await console.gate.admin.audit.list({ action: 'console_access' });
    expect(exchanges.map(({ action }) => action)).toEqual(['console_access.exchange', 'console_access.invite']);
  });

  it('is refused once its time is over, and up to then exchanged', async () => {
    const { gate, pass } = await gateInTime();
    const console = testConsole(gate);
    const invite = () => gate.console.invite(TEST_PARTNER.id, { mode: 'live', actor: 'ada', ttl: 5_000 });
    const [first, second] = [await invite(), await invite()];
    pass(5_000);
    expect((await ask(console, '/session', { method: 'POST', body: { code: first.code } })).status).toBe(201);
    pass(1);
    expect((await ask(console, '/session', { method: 'POST', body: { code: second.code } })).status).toBe(401);
  });

  it('is refused when it is unknown, altered, of another partner or a session’s token', async () => {
    const console = testConsole((await createTestGate()).gate);
    const { code } = await console.gate.console.invite(TEST_PARTNER.id, { mode: 'test', actor: 'ada' });
    const cookie = await signedIn(console, TEST_PARTNER.id);
    const other = await console.gate.admin.createPartner({ name: 'Bolt', allowedOrigins: [] });
    const wrong = [
      '',
      'x',
      `${code}x`,
      code.replace(TEST_PARTNER.id, other.id),
      code.replace(/\.[^.]{43}$/, `.${'a'.repeat(43)}`),
      cookie.split('=')[1] ?? '',
      cookie.split('=')[1]?.replace('gcs_', 'gci_') ?? '',
      `${code}%`,
    ];
    for (const text of wrong) {
      const answer = await ask(console, '/session', { method: 'POST', body: { code: text } });
      expect([text, answer.status]).toEqual([text, 401]);
    }
    expect((await ask(console, '/session', { method: 'POST', body: { code } })).status).toBe(201);
  });

  it('opens nothing that the database alone contains', async () => {
    const { gate, store } = await createTestGate();
    const { code } = await gate.console.invite(TEST_PARTNER.id, { mode: 'test', actor: 'ada' });
    const done = await gate.console.exchange(code);
    const page = { start: { kind: 'newest' }, limit: 10 } as const;
    const filter = { group: null, createdAfter: null, createdBefore: null };
    const scope = { partnerId: TEST_PARTNER.id, mode: 'live' } as const;
    const rows = JSON.stringify(await store.list('document', scope, 'console_access', filter, page));
    expect(rows).toContain(done?.access.id);
    for (const text of [code, done?.token ?? '']) expect(rows).not.toContain(text.split('.').at(-1));
  });
});

describe('a link that is opened while a session is open', () => {
  const accessOf = async (console: TestConsole, cookie: string) => {
    const answer = await ask(console, '/me', { cookie });
    return answer.status === 200
      ? ((await answer.json()) as { readonly actor: { readonly id: string } }).actor.id
      : null;
  };

  it.each(['mallory', 'ada'])('does not replace it without consent, nor use up the code of %s', async (actor) => {
    const console = testConsole((await createTestGate()).gate);
    const cookie = await signedIn(console, TEST_PARTNER.id, { actor: 'ada' });
    const { code } = await console.gate.console.invite(TEST_PARTNER.id, { mode: 'live', role: 'admin', actor });
    for (const body of [{ code }, { code, replace: false }]) {
      const answer = await ask(console, '/session', { method: 'POST', cookie, body });
      expect([answer.status, answer.headers.get('set-cookie'), await codeOf(answer)]).toEqual([
        ...[409, null, 'session_open'],
      ]);
    }
    expect(await accessOf(console, cookie)).toBe('ada');
    const replaced = await ask(console, '/session', { method: 'POST', cookie, body: { code, replace: true } });
    expect([replaced.status, await replaced.json()]).toMatchObject([201, { actor: { id: actor }, mode: 'live' }]);
  });

  it('does not replace the session that the host opens', async () => {
    const authorize = () => ({ actor: 'ops', roles: ['admin'], partners: 'all' }) as const;
    const console = testConsole((await createTestGate()).gate, { authorize });
    const { code } = await console.gate.console.invite(TEST_PARTNER.id, { mode: 'test', actor: 'mallory' });
    const answer = await ask(console, '/session', { method: 'POST', body: { code } });
    expect([answer.status, await codeOf(answer)]).toEqual([409, 'session_open']);
    expect(await (await ask(console, '/session')).json()).toEqual({
      current: { actor: expect.objectContaining({ id: 'ops' }), role: 'admin', partner: null, mode: null },
    });
  });

  it('is exchanged without consent once that session has ended', async () => {
    const { gate, pass } = await gateInTime();
    const console = testConsole(gate);
    const cookie = await signedIn(console, TEST_PARTNER.id, { actor: 'ada' });
    pass(8 * 3_600_000 + 1);
    expect(await (await ask(console, '/session', { cookie })).json()).toEqual({ current: null });
    const { code } = await gate.console.invite(TEST_PARTNER.id, { mode: 'test', actor: 'bob' });
    expect((await ask(console, '/session', { method: 'POST', cookie, body: { code } })).status).toBe(201);
  });

  it('shows whom it signs in until it is used', async () => {
    const console = testConsole((await createTestGate()).gate);
    const cookie = await signedIn(console, null, { role: 'operator', actor: 'ops' });
    const { code } = await console.gate.console.invite(TEST_PARTNER.id, {
      mode: 'live',
      role: 'support',
      actor: 'bob',
    });
    const read = (text: string) => ask(console, '/session/link', { method: 'POST', body: { code: text } });
    expect(await (await ask(console, '/session', { cookie })).json()).toMatchObject({
      current: { actor: { id: 'ops' }, role: 'operator', partner: null, mode: null },
    });
    for (let times = 0; times < 2; times += 1)
      expect(await (await read(code)).json()).toMatchObject({
        ...{ actor: { id: 'bob' }, role: 'support', mode: 'live' },
        partner: { id: TEST_PARTNER.id, name: TEST_PARTNER.name },
      });
    for (const wrong of ['', `${code}x`, code.replace(/\.[^.]{43}$/, `.${'a'.repeat(43)}`), cookie.split('=')[1] ?? ''])
      expect([wrong, (await read(wrong)).status]).toEqual([wrong, 401]);
    expect((await ask(console, '/session', { method: 'POST', body: { code } })).status).toBe(201);
    const used = await read(code);
    expect([used.status, await codeOf(used)]).toEqual([401, 'invalid_invite']);
  });
});

describe('a session', () => {
  it('is in a cookie that scripts cannot read and other sites do not send', async () => {
    const console = testConsole((await createTestGate()).gate);
    const { code } = await console.gate.console.invite(TEST_PARTNER.id, { mode: 'test', actor: 'ada' });
    const answer = await ask(console, '/session', { method: 'POST', body: { code } });
    expect(answer.headers.get('set-cookie')).toMatch(
      /^__Host-gate_console=gcs_[^;]+; Max-Age=28800; Path=\/; HttpOnly; SameSite=Strict; Secure$/,
    );
    expect(await answer.json()).toEqual({
      actor: { type: 'partner_user', id: 'ada', access_id: expect.any(String), vouched_by: null },
      roles: ['viewer'],
      kind: 'portal',
      partner: { id: TEST_PARTNER.id, name: TEST_PARTNER.name },
      mode: 'test',
      partners: [],
      expires_at: '2030-01-01T08:00:00.000Z',
      features: {
        test_clock: true,
        checkout_preview: null,
        alarms: false,
        legs: false,
        wallets: false,
        trail: false,
        passkeys: false,
      },
    });
  });

  it.each([
    ['http://127.0.0.1:4248', [], /^gate_console=.*; Path=\/; HttpOnly; SameSite=Strict$/],
    [ORIGIN, ['https://admin.example'], /^__Host-gate_console=.*; HttpOnly; SameSite=None; Partitioned; Secure$/],
  ] as const)('at %s framed by %j has the cookie %s', async (origin, framedBy, expected) => {
    const console = testConsole((await createTestGate()).gate, { origin, framedBy });
    const { code } = await console.gate.console.invite(TEST_PARTNER.id, { mode: 'test', actor: 'ada' });
    const answer = await ask(console, '/session', { method: 'POST', body: { code } });
    expect(answer.headers.get('set-cookie')).toMatch(expected);
  });

  it('ends after eight hours, when it is ended and when it is revoked, at once', async () => {
    const { gate, pass } = await gateInTime();
    const console = testConsole(gate);
    const cookies = [];
    for (let count = 0; count < 3; count += 1) cookies.push(await signedIn(console, TEST_PARTNER.id));
    const [ended = '', revoked = '', late = ''] = cookies;
    const statusOf = async (cookie: string) => (await ask(console, '/me', { cookie })).status;
    expect(await Promise.all(cookies.map(statusOf))).toEqual([200, 200, 200]);
    expect((await ask(console, '/session', { method: 'DELETE', cookie: ended })).status).toBe(204);
    expect(await statusOf(ended)).toBe(401);
    const id = revoked.split('_').at(-1)?.split('.')[0] ?? '';
    expect(await gate.console.revoke(TEST_PARTNER.id, id)).toBe(true);
    expect(await statusOf(revoked)).toBe(401);
    pass(8 * 3_600_000);
    expect(await statusOf(late)).toBe(200);
    pass(1);
    expect(await statusOf(late)).toBe(401);
    expect((await gate.console.list(TEST_PARTNER.id, 'test')).map(({ state }) => state).toSorted()).toEqual([
      'ended',
      'ended',
      'expired',
    ]);
  });

  it('cannot be revoked for another partner', async () => {
    const { gate } = await createTestGate();
    const other = await gate.admin.createPartner({ name: 'Bolt', allowedOrigins: [] });
    const { id } = await gate.console.invite(TEST_PARTNER.id, { mode: 'test', actor: 'ada' });
    expect(await gate.console.revoke(other.id, id)).toBe(false);
    expect(await gate.console.revoke(null, id)).toBe(false);
  });
});

describe('a change', () => {
  const changes = ENDPOINTS.filter(({ method }) => method !== 'GET');

  it.each(changes.map((one) => [one.method, one.path] as const))(
    '%s %s is accepted from the console’s own page only',
    async (method, path) => {
      const console = testConsole((await createTestGate()).gate);
      const cookie = await signedIn(console, TEST_PARTNER.id, { role: 'admin' });
      const at = path.replaceAll(/\{\w+\}/g, 'x');
      const attempts: Readonly<Record<string, string>>[] = [
        { 'sec-fetch-site': 'cross-site' },
        { 'sec-fetch-site': 'same-site' },
        { 'sec-fetch-site': 'none' },
        { 'sec-fetch-site': 'cross-site', origin: ORIGIN },
        { origin: 'https://evil.example' },
        { origin: 'null' },
        { origin: `${ORIGIN}.evil.example` },
        {},
      ];
      for (const headers of attempts) {
        const request = { 'content-type': 'application/json', cookie, ...headers };
        const answer = await console.handle(
          new Request(`${ORIGIN}/console/v1${at}`, { method, headers: request, body: '{}' }),
        );
        expect([headers, answer.status]).toEqual([headers, 403]);
        expect(await answer.json()).toMatchObject({ code: 'cross_site_request' });
      }
      for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x']) {
        const answer = await ask(console, at, { method, cookie, headers: { 'content-type': type } });
        expect([type, answer.status]).toEqual([type, 415]);
      }
      const zipped = await ask(console, at, { method, cookie, headers: { 'content-encoding': 'gzip' } });
      expect([zipped.status, await zipped.json()]).toMatchObject([
        415,
        { message: expect.stringContaining('Content-Encoding') },
      ]);
      const own = { 'content-type': 'application/json', cookie, origin: ORIGIN };
      const answer = await console.handle(
        new Request(`${ORIGIN}/console/v1${at}`, { method, headers: own, body: '{}' }),
      );
      // It may be refused for what it asks.
      expect(['cross_site_request', 'unsupported_media_type']).not.toContain(await codeOf(answer));
    },
  );
});

describe('the handler', () => {
  it('refuses to be made without authorize, and on an origin that a cookie is not safe on', async () => {
    const { gate } = await createTestGate();
    expect(() => consoleHandler({ gate, origin: ORIGIN } as never)).toThrow('needs authorize');
    for (const extensions of [[], [consoleAccess()], [inspection()]]) {
      const { gate: other } = await createTestGate({ extensions });
      expect(() => consoleHandler({ gate: other, origin: ORIGIN } as never)).toThrow(
        'consoleAccess(), inspection() and sandbox()',
      );
    }
    for (const origin of ['http://console.example', 'console.example', 'http://10.0.0.1:4248', ''])
      expect(() => consoleHandler({ gate, authorize: () => null, origin })).toThrow('origin must be');
    const below = { origin: 'https://console.example/gate' };
    const checkoutBelow = { origin: ORIGIN, checkoutOrigin: 'https://pay.example/checkout' };
    for (const options of [below, checkoutBelow])
      expect(() => consoleHandler({ gate, authorize: () => null, ...options })).toThrow('an origin without a path');
  });

  it('answers 503 when authorize of the host hangs', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const { gate } = await createTestGate();
    let asked = 0;
    const authorize = () => {
      asked += 1;
      return new Promise<null>(() => undefined);
    };
    const answer = ask(testConsole(gate, { authorize }), '/me');
    while (asked === 0) await new Promise(setImmediate);
    await vi.advanceTimersByTimeAsync(5_000);
    expect([(await answer).status, await codeOf(await answer)]).toEqual([503, 'service_unavailable']);
  });

  it('answers 401 to strangers at every endpoint that is not public', async () => {
    const console = testConsole((await createTestGate()).gate);
    for (const { method, path, audience } of ENDPOINTS.filter((one) => one.audience !== 'public')) {
      const answer = await ask(console, path.replaceAll(/\{\w+\}/g, 'x'), { method });
      expect([path, audience, answer.status]).toEqual([path, audience, 401]);
    }
  });
});

async function codeOf(answer: Response): Promise<unknown> {
  const body: unknown = await answer.json().catch(() => null);
  return typeof body === 'object' && body !== null && 'code' in body ? body.code : null;
}
