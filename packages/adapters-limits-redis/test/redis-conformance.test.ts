import { describeLaws, rateLimitsLaws } from '@gateramp/conformance';
import { beforeAll, describe, expect, it } from 'vitest';
import { testRedisUrl } from '../../../tests/services/test-redis.js';
import { elapse, freshPrefix, startProcess } from './redis-on-trial.js';

let url = '';

beforeAll(async () => {
  url = await testRedisUrl();
});

/** A machine that is slow for a moment must not make a law use the fallback. */
const PATIENT = { answerMaxMs: 30_000 };

const subject = {
  async create() {
    const { limits, close } = await startProcess(url, PATIENT);
    // The fallback would pass the laws as well, so the trial ends by checking that Redis counted.
    return { limits, elapse, close: async () => (close(), expect(limits.degraded()).toBe(false)) };
  },
};

// These laws need real time, so they run concurrently.
describeLaws(rateLimitsLaws, subject, { describe, it: it.concurrent });

describe('shared windows', () => {
  const rule = { name: 'short', limit: 10, windowMs: 600_000 };
  const longer = { name: 'long', limit: 300, windowMs: 3_600_000 };

  it('counts the same numbers in every process', async () => {
    const prefix = freshPrefix();
    const processes = await Promise.all([1, 2, 3].map(() => startProcess(url, { ...PATIENT, prefix })));
    const used: number[] = [];
    for (let nth = 0; nth < 4; nth += 1) {
      for (const { limits } of processes)
        used.push(...(await limits.hit('ip', [rule, longer])).map((state) => state.used));
    }
    expect(used).toEqual(Array.from({ length: 12 }, (_, nth) => [nth + 1, nth + 1]).flat());
    for (const { limits } of processes)
      expect((await limits.peek('ip', [rule])).map((state) => state.used)).toEqual([12]);
    for (const { close } of processes) close();
  });

  it('keeps the counts of two prefixes apart', async () => {
    const [one, other] = await Promise.all([startProcess(url, PATIENT), startProcess(url, PATIENT)]);
    await one.limits.hit('ip', [rule]);
    expect((await other.limits.peek('ip', [rule]))[0]?.used).toBe(0);
    one.close();
    other.close();
  });

  it('ends every window it opens, shorter ones than a second too', async () => {
    const prefix = freshPrefix();
    const { limits, connection, close } = await startProcess(url, { ...PATIENT, prefix });
    await limits.hit('ip', [
      { name: 'blink', limit: 1, windowMs: 1 },
      { name: 'odd', limit: 1, windowMs: 300_500 },
    ]);
    const [blink, odd] = await Promise.all(['blink', 'odd'].map((name) => connection.pttl(`${prefix}:${name}:ip`)));
    // -2: the window has already ended. -1 would be a window that never ends.
    expect(blink).not.toBe(-1);
    expect(blink).toBeLessThanOrEqual(1_000);
    expect(odd).toBeGreaterThan(100_000);
    expect(odd).toBeLessThanOrEqual(301_000);
    close();
  });
});
