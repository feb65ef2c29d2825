import { memoryStore } from '@gateramp/adapters-store-memory';
import { emptyChange, Outage } from '@gateramp/core/ports';
import { expect, it } from 'vitest';
import { commitHealth } from '../src/commit-health.js';
import { readiness } from '../src/readiness.js';

it('is not ready while what time it is at the database is not known', async () => {
  const parts = {
    isDraining: () => false,
    operator: null,
    areCommitsFailing: () => false,
    isHeld: () => false,
    isRedisDegraded: null,
    workerState: () => 'working' as const,
  };
  expect(await readiness({ ...parts, isClockTrusted: () => true })).toMatchObject({ status: 'ready', clock: 'ok' });
  expect(await readiness({ ...parts, isClockTrusted: () => false })).toMatchObject({
    status: 'unavailable',
    clock: 'untrusted',
  });
});

it('is not ready while commits fail one after another, whatever the probe says, and is again once one succeeds', async () => {
  const times = { now: 0 };
  const health = commitHealth(() => times.now);
  const inner = memoryStore();
  let isFailing = true;
  const store = health.watching({
    ...inner,
    commit: (change) => (isFailing ? Promise.reject(new Outage('The disk is full.')) : inner.commit(change)),
  });
  const parts = {
    isDraining: () => false,
    isHeld: () => false,
    isRedisDegraded: null,
    isClockTrusted: () => true,
    workerState: () => 'working' as const,
  };
  const status = async () =>
    (await readiness({ ...parts, operator: { probe: async () => 1 }, areCommitsFailing: health.isFailing })).status;
  const commit = () => store.commit(emptyChange({ partnerId: 'p', mode: 'test' }, 0)).catch(() => null);
  for (const expected of ['ready', 'ready', 'unavailable']) {
    await commit();
    expect(await status()).toBe(expected);
  }
  isFailing = false;
  await commit();
  expect(await status()).toBe('ready');
  isFailing = true;
  for (let nth = 0; nth < 3; nth += 1) await commit();
  expect(await status()).toBe('unavailable');
  times.now = 5_000;
  expect(await status()).toBe('ready');
});
