import { SWEEP_MS } from '@gateramp/core/ports';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LIES, faultyRedis } from '../../../tests/services/faulty-redis.js';
import { startRedis } from '../../../tests/services/redis.js';
import { elapse, freshPrefix, newProcess, startProcess, until, type Process } from './redis-on-trial.js';

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
  it('the process works on by itself, and wakes others again once Redis makes sense', async ({ onTestFinished }) => {
    const lying = await faultyRedis(redis.port);
    const prefix = freshPrefix();
    const [api, listener] = [newProcess(lying.url, { prefix }), await startProcess(lying.url, { prefix })];
    onTestFinished(async () => {
      await Promise.all([api.close(), listener.close()]);
      await lying.stop();
    });
    api.scheduler.wake([{ delayMs: 0 }]);
    await until(() => listener.calls.length > 0);

    lying.begin(lie);
    const before = listener.calls.length;
    listener.scheduler.wake([{ delayMs: 0 }]);
    api.scheduler.wake([{ delayMs: 0 }]);
    await until(() => lying.lies() > 0);
    // Woken in its own process, or by the sweep at the latest.
    await until(() => listener.calls.length > before);
    await elapse(300);

    lying.end();
    await heardAgain(api, listener);
  });
});

/** Wakes until a wake-up is received sooner than a sweep would explain. */
async function heardAgain(api: Process, listener: Process): Promise<void> {
  expect(SWEEP_MS).toBeGreaterThan(1_000);
  for (;;) {
    const [before, sent] = [listener.calls.length, performance.now()];
    api.scheduler.wake([{ delayMs: 0 }]);
    await elapse(100);
    if (listener.calls.slice(before).some((at) => at - sent < 100)) return;
  }
}
