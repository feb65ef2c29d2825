import { isBlocked } from '@gateramp/core/domain';
import { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, expect, it, vi, onTestFinished } from 'vitest';
import { startRedis } from '../../../tests/services/redis.js';
import { startSilentProxy } from '../../../tests/services/silent-proxy.js';
import { shortest, stopwatch } from '../../../tests/services/stopwatch.js';
import { redisRateLimits, type RedisRateLimitsOptions } from '../src/index.js';
import { elapse, freshPrefix, startProcess, until, type Process } from './redis-on-trial.js';

const rule = { name: 'short', limit: 3, windowMs: 60_000 };
const uncaught: unknown[] = [];
const note = (error: unknown): void => void uncaught.push(error);

let redis: Awaited<ReturnType<typeof startRedis>>;
const processes: Process[] = [];

beforeAll(async () => {
  redis = await startRedis();
  process.on('unhandledRejection', note);
});
afterEach(() => {
  for (const { close } of processes.splice(0)) close();
});
afterAll(async () => {
  process.off('unhandledRejection', note);
  await redis.stop();
  expect(uncaught).toEqual([]);
});

/** The default of a tenth of a second would treat a Redis that waits for the CPU as unavailable. */
const PATIENT = { answerMaxMs: 10_000 };

async function start(options: RedisRateLimitsOptions = PATIENT): Promise<Process> {
  const started = await startProcess(redis.url, options);
  processes.push(started);
  return started;
}

async function usedAfterHit({ limits }: Process): Promise<number | undefined> {
  return (await limits.hit('ip', [rule]))[0]?.used;
}

/** The default, and what a busy machine may add to it. */
const ANSWER_MAX_MS = 100;
const BUSY_MS = 700;

async function timed<Value>(work: () => Promise<Value>): Promise<{ readonly value: Value; readonly ms: number }> {
  const elapsed = stopwatch();
  const value = await work();
  return { value, ms: elapsed() };
}

it('falls back to counts of each process when Redis is killed, and shares them again when it is back', async () => {
  const prefix = freshPrefix();
  const [one, other] = [await start({ ...PATIENT, prefix }), await start({ ...PATIENT, prefix })];
  expect([await usedAfterHit(one), await usedAfterHit(other)]).toEqual([1, 2]);

  await redis.kill();
  expect([await usedAfterHit(one), await usedAfterHit(one), await usedAfterHit(other)]).toEqual([1, 2, 1]);
  expect([one.limits.degraded(), other.limits.degraded()]).toEqual([true, true]);

  await redis.start();
  await until(() => !one.limits.degraded() && !other.limits.degraded());
  // The client may repeat the command that was pending when Redis ended.
  const first = (await usedAfterHit(one)) ?? 0;
  expect(await usedAfterHit(other)).toBe(first + 1);
  expect([one.errors.length, other.errors.length]).toEqual([1, 1]);
});

it('waits for a Redis that answers nothing once, a tenth of a second, and then not at all', async () => {
  const prefix = freshPrefix();
  const other = await start({ answerMaxMs: 30_000, prefix });
  expect(await usedAfterHit(other)).toBe(1);
  const started = await start({ prefix });
  redis.pause();
  const first = await timed(() => usedAfterHit(started));
  const others = await timed(async () => {
    for (let nth = 0; nth < 1_000; nth += 1) await usedAfterHit(started);
  });
  expect(started.limits.degraded()).toBe(true);
  redis.resume();
  expect(first.ms).toBeLessThan(ANSWER_MAX_MS + BUSY_MS);
  // A tenth of a second for each of them would be a hundred seconds.
  expect(others.ms).toBeLessThan(BUSY_MS);
  await until(() => !started.limits.degraded());
  // The hit that timed out was nevertheless counted, and counted twice if the client replaced a connection that stayed silent.
  expect(await usedAfterHit(other)).toBeGreaterThanOrEqual(3);
});

it('comes back by itself, without a request', async () => {
  const started = await start({});
  redis.pause();
  await started.limits.peek('ip', [rule]);
  expect(started.limits.degraded()).toBe(true);
  redis.resume();
  await until(() => !started.limits.degraded());
});

it('enforces its own limits while Redis is away, and refuses nothing else', async () => {
  const started = await start();
  await redis.kill();
  const blocked: boolean[] = [];
  for (let nth = 0; nth < 5; nth += 1) blocked.push(...(await started.limits.hit('ip', [rule])).map(isBlocked));
  expect(blocked).toEqual([false, false, false, true, true]);
  expect((await started.limits.hit('another', [rule])).map(isBlocked)).toEqual([false]);
  await redis.start();
});

it('serves from the start when Redis is away from the start', async () => {
  const connection = new Redis('redis://127.0.0.1:1', { maxRetriesPerRequest: null });
  const limits = redisRateLimits(connection, { onError: () => undefined });
  expect((await limits.hit('ip', [rule]))[0]?.used).toBe(1);
  expect((await limits.hit('ip', [rule]))[0]?.used).toBe(2);
  expect(limits.degraded()).toBe(true);
  connection.disconnect();
  expect((await limits.hit('ip', [rule]))[0]?.used).toBe(3);
});

it('counts again after Redis has forgotten everything, and does not call that an outage', async () => {
  const started = await start();
  await usedAfterHit(started);
  await started.connection.flushall();
  expect(await usedAfterHit(started)).toBe(1);
  expect(started.limits.degraded()).toBe(false);
});

it('does without a Redis that may not be written to, however well it answers a ping', async () => {
  const started = await start();
  const admin = new Redis(redis.url);
  await admin.config('SET', 'min-replicas-to-write', '1');
  expect(await usedAfterHit(started)).toBe(1);
  await elapse(700);
  expect(started.limits.degraded()).toBe(true);
  await admin.config('SET', 'min-replicas-to-write', '0');
  await until(() => !started.limits.degraded());
  admin.disconnect();
});

it('does not blame Redis when the process itself was busy', async () => {
  const started = await start({ answerMaxMs: 1_000 });
  await usedAfterHit(started);
  const hit = usedAfterHit(started);
  // The command has been written by now; both its answer and the timer wait for the event loop.
  await Promise.resolve();
  const busyUntil = performance.now() + 2_500;
  while (performance.now() < busyUntil) continue;
  expect(await hit).toBe(2);
  expect(started.limits.degraded()).toBe(false);
});

it('answers although its reporter throws', async () => {
  const started = await start({
    ...PATIENT,
    onError: () => {
      throw new Error('no ears');
    },
  });
  await redis.kill();
  expect(await usedAfterHit(started)).toBe(1);
  await redis.start();
});

it('writes where it was given no reporter, before any request, that Redis cannot be reached and where it was looked for', async () => {
  const written: string[] = [];
  const write = vi.spyOn(process.stderr, 'write').mockImplementation((chunk) => (written.push(String(chunk)), true));
  const connection = new Redis('redis://user:hunter2@127.0.0.1:1', { maxRetriesPerRequest: null });
  const limits = redisRateLimits(connection);
  await until(() => written.length > 0);
  connection.disconnect();
  write.mockRestore();
  expect(written).toEqual([
    expect.stringMatching(
      /^gateramp: each process counts rate limits on its own while Redis at 127\.0\.0\.1:1 is unavailable .*ECONNREFUSED/,
    ),
  ]);
  expect(written.join()).not.toContain('hunter2');
  expect(limits.degraded()).toBe(true);
});

it('replaces a connection that has fallen silent, and is no longer degraded within three seconds', async () => {
  const proxy = await startSilentProxy(redis.port);
  onTestFinished(proxy.stop);
  const replaced = async (): Promise<number> => {
    const started = await startProcess(`redis://127.0.0.1:${proxy.port}`);
    onTestFinished(started.close);
    await started.connection.ping();
    proxy.fallSilent();
    const elapsed = stopwatch();
    expect(await usedAfterHit(started)).toBe(1);
    await until(() => !started.limits.degraded());
    const ms = elapsed();
    // The client repeats the hit that got no answer.
    await expect.poll(() => usedAfterHit(started)).toBeGreaterThanOrEqual(2);
    return ms;
  };
  expect(await shortest(replaced, 3_000)).toBeLessThan(3_000);
});
