import { memoryStore } from '@gateramp/adapters-store-memory';
import { emptyChange, Outage } from '@gateramp/core/ports';
import { describe, expect, it } from 'vitest';
import { commitHealth } from '../src/commit-health.js';
import { readiness } from '../src/readiness.js';

it('is not ready while what time it is at the database is not known', async () => {
  const parts = {
    isDraining: () => false,
    operator: null,
    commitFailure: () => null,
    isHeld: () => false,
    isRedisDegraded: null,
    workerState: () => 'working' as const,
  };
  expect(await readiness({ ...parts, isClockTrusted: () => true })).toMatchObject({
    ...{ status: 'ready', cause: null, clock: 'ok' },
  });
  expect(await readiness({ ...parts, isClockTrusted: () => false })).toMatchObject({
    status: 'unavailable',
    cause: 'clock_untrusted',
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
    (await readiness({ ...parts, operator: { probe: async () => 1 }, commitFailure: health.failure })).status;
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

describe('the cause', () => {
  const parts = {
    isDraining: () => false,
    commitFailure: () => null,
    isHeld: () => false,
    isRedisDegraded: () => false,
    isClockTrusted: () => true,
    workerState: () => 'working' as const,
  };
  const refusing = (error: Error) => ({ probe: () => Promise.reject(error) });
  /** As the stores wrap the error of a driver. */
  const because = (fields: object) => new Outage('Cannot serve this now.', Object.assign(new Error('No.'), fields));

  it.each([
    ['55P03', 'database_locked'],
    ['SQLITE_BUSY', 'database_locked'],
    ['53100', 'database_full'],
    ['SQLITE_FULL', 'database_full'],
    ['25006', 'database_read_only'],
    ['SQLITE_READONLY_DBMOVED', 'database_read_only'],
    ['ECONNREFUSED', 'database_unreachable'],
    ['57P03', 'database_unreachable'],
    ['53300', 'database_unreachable'],
    ['08006', 'database_unreachable'],
    ['SQLITE_CANTOPEN', 'database_unreachable'],
    ['58030', 'database_failing'],
    ['SQLITE_CORRUPT', 'database_failing'],
  ])('of %s is %s, from the probe and from commits', async (code, cause) => {
    const down = { status: 'unavailable', database: 'down', cause };
    expect(await readiness({ ...parts, operator: refusing(because({ code })) })).toMatchObject(down);
    const operator = { probe: async () => 1 };
    expect(await readiness({ ...parts, operator, commitFailure: () => because({ code }) })).toMatchObject(down);
  });

  it('of no answer is database_unreachable', async () => {
    const silent = { probe: () => new Promise<never>(() => undefined) };
    expect(await readiness({ ...parts, operator: silent })).toMatchObject({ cause: 'database_unreachable' });
    expect(await readiness({ ...parts, operator: refusing(new Outage('Timed out.')) })).toMatchObject({
      cause: 'database_unreachable',
    });
  });

  it('of a process that still serves is held, then redis_unavailable', async () => {
    const degraded = { ...parts, operator: null, isRedisDegraded: () => true };
    expect(await readiness({ ...degraded, isHeld: () => true })).toMatchObject({ status: 'degraded', cause: 'held' });
    expect(await readiness(degraded)).toMatchObject({ status: 'degraded', cause: 'redis_unavailable' });
    expect(await readiness({ ...parts, operator: null })).toMatchObject({ status: 'ready', cause: null });
  });
});
