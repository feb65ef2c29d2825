import { memoryStore } from '@gateramp/adapters-store-memory';
import { createGate } from '@gateramp/core';
import { Outage, type Store } from '@gateramp/core/ports';
import { consoleAccess } from '@gateramp/extensions/console-access';
import { inspection } from '@gateramp/extensions/inspection';
import { sandbox } from '@gateramp/extensions/sandbox';
import { createTestGate, type TestGate } from '@gateramp/testing';
import { describe, expect, it } from 'vitest';
import { ask, signedIn, testConsole, type TestConsole } from './console.js';

async function refusalOf(console: TestConsole, path: string, asked: Parameters<typeof ask>[2] = {}) {
  const answer = await ask(console, path, asked);
  return [answer.status, ((await answer.json()) as { readonly code: string }).code];
}

it('method_not_allowed: a known path with another method', async () => {
  const console = testConsole((await createTestGate()).gate);
  expect(await refusalOf(console, '/me', { method: 'PUT' })).toEqual([405, 'method_not_allowed']);
});

it('body_too_large: a body above 64 KiB, and not one below', async () => {
  const console = testConsole((await createTestGate()).gate);
  const send = (length: number) =>
    refusalOf(console, '/session', { method: 'POST', body: JSON.stringify({ code: 'x'.repeat(length) }) });
  expect(await send(65_536)).toEqual([413, 'body_too_large']);
  expect((await send(65_000))[1]).not.toBe('body_too_large');
});

it('not_available: passkeys where the host offers none', async () => {
  const console = testConsole((await createTestGate()).gate);
  expect(await refusalOf(console, '/passkeys/options', { method: 'POST' })).toEqual([501, 'not_available']);
});

it('service_unavailable: a change on an altered audit trail, which is reported to the host', async () => {
  const { gate, store, partner } = await createTestGate();
  const reported: unknown[] = [];
  const console = testConsole(gate, { onError: (error) => reported.push(error) });
  const cookie = await signedIn(console, partner.id, { role: 'admin' });
  await store.swapSetting('audit_head', await store.readSetting('audit_head'), 'forged');
  const body = { type: 'secret', reason: 'test' };
  const answer = await ask(console, '/keys', { method: 'POST', cookie, body });
  expect([answer.status, await answer.json()]).toMatchObject([
    503,
    { code: 'service_unavailable', message: expect.stringContaining('gate audit verify') },
  ]);
  expect(reported).toMatchObject([{ name: 'AuditAlteredError' }]);
});

it.each([
  ['internal_error', 500, new Error('column "card_number" of relation "cards" does not exist')],
  ['service_unavailable', 503, new Outage('The database at 10.0.0.7 does not answer.')],
])('%s: a failure is reported to the host in full, and to the caller without details', async (code, status, thrown) => {
  const inner = memoryStore();
  let isBroken = false;
  const store: Store = {
    ...inner,
    list: (noun, ...query) => (isBroken ? Promise.reject(thrown) : inner.list(noun, ...query)),
  };
  const t = await createTestGate({ ports: { store } });
  const reported: unknown[] = [];
  const console = testConsole(t.gate, { onError: (error) => reported.push(error) });
  const cookie = await signedIn(console, t.partner.id);
  isBroken = true;
  const answer = await ask(console, '/sessions', { cookie });
  const text = await answer.text();
  expect([answer.status, JSON.parse(text)]).toMatchObject([status, { code }]);
  expect(text).not.toContain(thrown.message);
  expect(reported).toEqual([thrown]);
});

it('try_again: a change whose commit is stale again and again is retryable, and not a failure', async () => {
  const inner = memoryStore();
  let isContended = false;
  const store: Store = {
    ...inner,
    commit: async (change) =>
      isContended && change.endpoints.length > 0 ? ({ kind: 'stale' } as const) : inner.commit(change),
  };
  const t = await createTestGate({ ports: { store } });
  const reported: unknown[] = [];
  const console = testConsole(t.gate, { onError: (error) => reported.push(error) });
  const cookie = await signedIn(console, t.partner.id, { role: 'admin' });
  const rotate = () => refusalOf(console, '/endpoint/rotate_secret', { method: 'POST', cookie });
  isContended = true;
  expect(await rotate()).toEqual([503, 'try_again']);
  expect(reported).toEqual([]);
  isContended = false;
  expect((await rotate())[0]).toBe(200);
});

it('not_found: a signature cannot be checked once the endpoint of a delivery is gone', async () => {
  const inner = memoryStore();
  let isGone = false;
  const store: Store = {
    ...inner,
    findEndpoint: (scope) => (isGone ? Promise.resolve(null) : inner.findEndpoint(scope)),
  };
  const t = await createTestGate({ ports: { store } });
  const console = testConsole(t.gate);
  const cookie = await signedIn(console, t.partner.id);
  await t.settle((await t.createSession()).id);
  await t.clock.advance('1m');
  const deliveries = await ask(console, '/deliveries?limit=1', { cookie });
  const [{ id }] = ((await deliveries.json()) as { readonly data: readonly [{ readonly id: string }] }).data;
  const check = () =>
    ask(console, `/deliveries/${id}/check_signature`, { method: 'POST', cookie, body: { header: 't=1,v1=ab' } });
  expect((await check()).status).toBe(200);
  isGone = true;
  const answer = await check();
  expect([answer.status, await answer.json()]).toMatchObject([
    404,
    { code: 'not_found', message: 'This delivery has no endpoint with a secret.' },
  ]);
});

it('413 body_too_large: reads no more of a body once it is longer than 64 KiB', async () => {
  const console = testConsole((await createTestGate()).gate);
  let sent = 0;
  let isCancelled = false;
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      sent += 1;
      controller.enqueue(new Uint8Array(16_384).fill(32));
    },
    cancel: () => {
      isCancelled = true;
    },
  });
  // A variable, since the types of browsers lack `duplex`.
  const init = {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' },
    body,
    duplex: 'half',
  };
  const answer = await console.handle(new Request('https://console.example/console/v1/session', init));
  expect(answer.status).toBe(413);
  expect(await answer.json()).toMatchObject({ code: 'body_too_large' });
  expect(isCancelled).toBe(true);
  expect(sent).toBeLessThanOrEqual(7);
});

it.each([
  ['GET', '/wallets', undefined],
  ['POST', '/wallets/base/pause', { reason: 'drill' }],
  ['POST', '/wallets/base/resume', { reason: 'drill' }],
  ['GET', '/operations', undefined],
  ['GET', '/operations/unknown', undefined],
  ['POST', '/operations/unknown/resolve', { as: 'failed', reason: 'drill' }],
] as const)('not_available: %s %s where the host has no provider legs', async (method, path, body) => {
  const console = testConsole((await createTestGate()).gate, {
    authorize: () => ({ actor: 'olga', roles: ['admin'], partners: 'all' }),
  });
  expect(await refusalOf(console, path, { method, body })).toEqual([501, 'not_available']);
});

it('validation_failed: a signature header of more than 1,000 characters', async () => {
  const { gate, partner } = await createTestGate();
  const console = testConsole(gate);
  const cookie = await signedIn(console, partner.id);
  const check = (length: number) =>
    refusalOf(console, '/deliveries/unknown/check_signature', {
      method: 'POST',
      cookie,
      body: { header: 'x'.repeat(length) },
    });
  expect(await check(1_001)).toEqual([400, 'validation_failed']);
  expect((await check(1_000))[0]).toBe(404);
});

describe('checkpoints', () => {
  const open = () => createTestGate({ policy: { testClock: 'partner' } });

  async function checkpointsOf({ partner }: TestGate, gate: Parameters<typeof testConsole>[0]) {
    const console = testConsole(gate);
    const cookie = await signedIn(console, partner.id, { role: 'developer' });
    return (name: string, path = '/checkpoints', body: object = { name }) =>
      refusalOf(console, path, { method: 'POST', cookie, body });
  }

  it('too_many: an eleventh checkpoint of a sandbox', async () => {
    const t = await open();
    const save = await checkpointsOf(t, t.gate);
    for (let count = 1; count <= 10; count += 1) expect((await save(`number ${count}`))[0]).toBe(201);
    expect(await save('number 11')).toEqual([409, 'too_many']);
  });

  it('too_large: a checkpoint of more than 500 sessions', async () => {
    const t = await open();
    const save = await checkpointsOf(t, t.gate);
    for (let count = 0; count < 500; count += 1) await t.createSession();
    expect((await save('full'))[0]).toBe(201);
    await t.createSession();
    expect(await save('too full')).toEqual([422, 'too_large']);
  });

  it('too_large: a checkpoint of more than 4 million characters', async () => {
    const t = await open();
    const save = await checkpointsOf(t, t.gate);
    const metadata = { note: 'x'.repeat(16_000) };
    for (let count = 0; count < 230; count += 1) await t.createSession({ metadata });
    expect((await save('large'))[0]).toBe(201);
    for (let count = 0; count < 25; count += 1) await t.createSession({ metadata });
    expect(await save('too large')).toEqual([422, 'too_large']);
  });

  it('name_taken: a second checkpoint of the same name', async () => {
    const t = await open();
    const save = await checkpointsOf(t, t.gate);
    expect((await save('one'))[0]).toBe(201);
    expect(await save('one')).toEqual([409, 'name_taken']);
  });

  it('validation_failed: a name that is empty, of more than 60 characters or not printable', async () => {
    const t = await open();
    const save = await checkpointsOf(t, t.gate);
    for (const name of ['', ' ', 'x'.repeat(61), 'a\u202Eb'])
      expect([name, ...(await save(name))]).toEqual([name, 400, 'validation_failed']);
    expect((await save('x'.repeat(60)))[0]).toBe(201);
  });

  it('try_again: a checkpoint while another process runs work of the sandbox', async () => {
    const t = await open();
    const save = await checkpointsOf(t, t.gate);
    const scope = { partnerId: t.partner.id, mode: 'test' } as const;
    const { id } = await t.createSession();
    const path = `/v1/test_helpers/gate_sessions/${id}/simulate`;
    await t.request('POST', path, { key: t.keys.secret.test, body: { scenario: 'kyc_required' } });
    const [due] =
      (await t.store.sandboxesDue?.({ ahead: new Map([[t.partner.id, 0]]), kinds: ['tasks'], limit: 1 })) ?? [];
    const lease = { now: t.gate.clock.now(scope), leaseMs: 30_000, token: 'other process', early: true };
    expect(await t.store.claimOne('task', scope, due?.id ?? '', lease)).not.toBeNull();
    expect(await save('one')).toEqual([503, 'try_again']);
  });

  it('not_available: a provider that cannot save its operations', async () => {
    const t = await open();
    const extensions = [consoleAccess(), inspection(), sandbox()] as const;
    const save = await checkpointsOf(t, createGate({ ...t.ports, providers: [], extensions }));
    expect(await save('one')).toEqual([501, 'not_available']);
  });
});
