import { memoryStore } from '@gateramp/adapters-store-memory';
import { MINUTE, type Instant } from '@gateramp/core/domain';
import { createTestGate, TEST_KEYS, type TestGate } from '@gateramp/testing';
import { expect, it } from 'vitest';
import { over } from '../../../conformance/test/faults/over.js';

const list = (t: TestGate, key: string) => t.request('GET', '/v1/gate_sessions', { key });

/** When the partner's keys were last used, by type and mode, without unused ones. */
async function usesOf(t: TestGate): Promise<Readonly<Record<string, Instant>>> {
  const keys = await t.store.listKeys(t.partner.id);
  return Object.fromEntries(
    keys.flatMap(({ key, lastUsedAt }) => (lastUsedAt === null ? [] : [[`${key.type} ${key.mode}`, lastUsedAt]])),
  );
}

it('records the last use of a key to the minute, with one write for any number of requests', async () => {
  const noted: Instant[] = [];
  const store = memoryStore();
  const noteKeyUse = (hash: string, at: Instant): Promise<void> => (noted.push(at), store.noteKeyUse(hash, at));
  const t = await createTestGate({ ports: { store: over(store, { noteKeyUse }) } });
  expect(await usesOf(t)).toEqual({});
  const first = t.clock.now('test');
  await Promise.all(Array.from({ length: 20 }, () => list(t, TEST_KEYS.secret.test)));
  await t.clock.advance('59s');
  await list(t, TEST_KEYS.secret.test);
  expect([noted, await usesOf(t)]).toEqual([[first], { 'secret test': first }]);
  await t.clock.advance('1s');
  await list(t, TEST_KEYS.secret.test);
  expect([noted, await usesOf(t)]).toEqual([[first, first + MINUTE], { 'secret test': first + MINUTE }]);
});

it('counts the bootstrap as a use of the publishable key', async () => {
  const t = await createTestGate();
  await t.embed(await t.createSession());
  expect(await usesOf(t)).toEqual({ 'publishable test': t.clock.now('test') });
});

it('counts each call of an open checkout as a use of the publishable key that its token belongs to', async () => {
  const t = await createTestGate();
  const headers = { 'x-embed-token': await t.embed(await t.createSession()) };
  await t.clock.advance('30m');
  await t.request('GET', '/v1/embed/session', { headers });
  expect(await usesOf(t)).toEqual({ 'publishable test': t.clock.now('test') });
});

it('does not count refused requests as a use', async () => {
  const t = await createTestGate({ partner: { liveEnabled: false } });
  await t.gate.admin.revokeKey(TEST_KEYS.secret.test);
  const revoked = await list(t, TEST_KEYS.secret.test);
  const notLive = await t.request('GET', '/v1/gate_sessions', { key: TEST_KEYS.secret.live, mode: 'live' });
  const unknown = await list(t, 'sk_test_nobodys_key_0000000');
  expect([revoked.json['code'], notLive.json['code'], unknown.json['code']]).toEqual([
    'revoked_api_key',
    'live_keys_not_allowed',
    'invalid_api_key',
  ]);
  expect(await usesOf(t)).toEqual({});
});

it('responds normally if the use cannot be recorded, or the store never responds', async () => {
  const away = new Error('The store is away.');
  const failures: (() => Promise<void>)[] = [
    () => Promise.reject(away),
    () => {
      throw away;
    },
    () => new Promise(() => undefined),
  ];
  for (const [nth, noteKeyUse] of failures.entries()) {
    const t = await createTestGate({ ports: { store: over(memoryStore(), { noteKeyUse }) } });
    expect((await list(t, TEST_KEYS.secret.test)).status).toBe(200);
    expect(t.telemetry.failures.map(({ error }) => error)).toEqual(nth === 2 ? [] : [away]);
  }
});
