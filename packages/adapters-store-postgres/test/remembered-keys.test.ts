import type { KeyHolder, PartnerStore } from '@gateramp/core/ports';
import { memoryStore } from '@gateramp/adapters-store-memory';
import { rows } from '@gateramp/conformance';
import { expect, it } from 'vitest';
import { rememberedKeys } from '../src/partners.js';

const KEY = rows.aKey();

/** A partner store that counts its reads, with a clock that only moves when it is advanced. */
async function counted() {
  const store = memoryStore();
  await store.save('partner', rows.aPartner());
  const clock = { now: 0 };
  const asked: string[] = [];
  const counting: PartnerStore = {
    ...store,
    findKey: (hash): Promise<KeyHolder | null> => {
      asked.push(hash);
      return store.findKey(hash);
    },
  };
  return { store, asked, clock, partners: rememberedKeys(counting, 2_000, () => clock.now) };
}

it('asks once for a key in its time, and again when that is over', async () => {
  const { store, asked, clock, partners } = await counted();
  await store.save('key', KEY);
  await Promise.all([partners.findKey(KEY.hash), partners.findKey(KEY.hash)]);
  clock.now = 1_999;
  expect((await partners.findKey(KEY.hash))?.key).toEqual(KEY);
  expect(asked).toHaveLength(1);
  clock.now = 2_000;
  await partners.findKey(KEY.hash);
  expect(asked).toHaveLength(2);
});

it('sees a revocation of another process when its time is over, and its own at once', async () => {
  const { store, clock, partners } = await counted();
  await store.save('key', KEY);
  await partners.findKey(KEY.hash);
  await store.save('key', { ...KEY, revokedAt: 1 });
  expect((await partners.findKey(KEY.hash))?.key.revokedAt).toBeNull();
  clock.now = 2_000;
  expect((await partners.findKey(KEY.hash))?.key.revokedAt).toBe(1);
  await partners.save('key', { ...KEY, revokedAt: 1, expiresAt: 2 });
  expect((await partners.findKey(KEY.hash))?.key.expiresAt).toBe(2);
});

it('never remembers that a key is unknown', async () => {
  const { store, partners } = await counted();
  expect(await partners.findKey(KEY.hash)).toBeNull();
  await store.save('key', KEY);
  expect((await partners.findKey(KEY.hash))?.key).toEqual(KEY);
});

it('forgets an answer that failed', async () => {
  const { store, clock } = await counted();
  await store.save('key', KEY);
  let isAway = true;
  const flaky: PartnerStore = {
    ...store,
    findKey: (hash) => (isAway ? Promise.reject(new Error('away')) : store.findKey(hash)),
  };
  const partners = rememberedKeys(flaky, 2_000, () => clock.now);
  await expect(partners.findKey(KEY.hash)).rejects.toThrow('away');
  isAway = false;
  expect((await partners.findKey(KEY.hash))?.key).toEqual(KEY);
});
