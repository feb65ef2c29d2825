import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LIES, faultyRedis } from '../../../tests/services/faulty-redis.js';
import { startRedis } from '../../../tests/services/redis.js';
import { startProcess, until, type Process } from './redis-on-trial.js';

const rule = { name: 'short', limit: 3, windowMs: 60_000 };
const uncaught: unknown[] = [];
const note = (error: unknown): void => void uncaught.push(error);

let redis: Awaited<ReturnType<typeof startRedis>>;

beforeAll(async () => {
  redis = await startRedis();
  process.on('unhandledRejection', note);
  process.on('uncaughtException', note);
});
afterAll(async () => {
  process.off('unhandledRejection', note);
  process.off('uncaughtException', note);
  await redis.stop();
  expect(uncaught).toEqual([]);
});

describe.concurrent.each(Object.entries(LIES))('while Redis %s', (_name, lie) => {
  it('the process counts for itself, and with the others again once Redis makes sense', async ({
    onTestFinished,
    expect,
  }) => {
    const lying = await faultyRedis(redis.port);
    const started = await startProcess(lying.url, { answerMaxMs: 1_000 });
    onTestFinished(() => (started.close(), lying.stop()));
    const before = await usedInRedis(started);

    lying.begin(lie);
    for (let nth = 1; nth <= 3; nth += 1) {
      const [state] = await started.limits.hit('ip', [rule]);
      expect(state).toEqual({ rule, used: nth, resetMs: expect.any(Number) });
      expect(state?.resetMs).toBeGreaterThan(0);
      expect(state?.resetMs).toBeLessThanOrEqual(rule.windowMs);
      expect((await started.limits.peek('ip', [rule]))[0]?.used).toBe(nth);
    }
    expect(lying.lies()).toBeGreaterThan(0);
    expect(started.limits.degraded()).toBe(true);

    lying.end();
    expect(await usedInRedis(started)).toBeGreaterThan(before);
  });
});

/** The count in Redis after a hit. If the machine pauses for a second, the process falls back to its own count. */
async function usedInRedis({ limits }: Process): Promise<number> {
  for (;;) {
    await until(() => !limits.degraded());
    const [state] = await limits.hit('before', [rule]);
    if (!limits.degraded()) return state?.used ?? 0;
  }
}
