import { SWEEP_MS } from '@gateramp/core/ports';
import { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, expect, it, vi, onTestFinished } from 'vitest';
import { startRedis } from '../../../tests/services/redis.js';
import { startSilentProxy } from '../../../tests/services/silent-proxy.js';
import { shortest, stopwatch } from '../../../tests/services/stopwatch.js';
import { redisScheduler } from '../src/index.js';
import { elapse, freshPrefix, newProcess, startProcess, until, type Process } from './redis-on-trial.js';

const uncaught: unknown[] = [];
const note = (error: unknown): void => void uncaught.push(error);

let redis: Awaited<ReturnType<typeof startRedis>>;
const processes: Process[] = [];

beforeAll(async () => {
  redis = await startRedis();
  process.on('unhandledRejection', note);
});
afterEach(async () => {
  await Promise.all(processes.splice(0).map(({ close }) => close()));
});
afterAll(async () => {
  await redis.stop();
  await elapse(200);
  process.off('unhandledRejection', note);
  expect(uncaught).toEqual([]);
});

const keep = (made: Process): Process => (processes.push(made), made);

/** A process that sends and one that listens, connected and tested once. */
async function pair(): Promise<{ readonly api: Process; readonly listener: Process }> {
  const prefix = freshPrefix();
  const [api, listener] = [keep(newProcess(redis.url, { prefix })), keep(await startProcess(redis.url, { prefix }))];
  api.scheduler.wake([{ delayMs: 0 }]);
  await until(() => listener.calls.length > 0);
  return { api, listener };
}

/**
 * Wakes until two wake-ups in a row are received much sooner than two sweeps can follow each other, and returns the time that took.
 */
async function heardAgain({ api, listener }: Awaited<ReturnType<typeof pair>>): Promise<number> {
  const elapsed = stopwatch();
  for (let inARow = 0; inARow < 2;) {
    await elapse(100);
    const [before, since] = [listener.calls.length, performance.now()];
    api.scheduler.wake([{ delayMs: 0 }]);
    while (listener.calls.length === before && performance.now() - since < HEARD_MS) await elapse(2);
    inARow = listener.calls.length > before ? inARow + 1 : 0;
  }
  return elapsed();
}

/** Two of these, with the pauses between them, are over before the next sweep. */
const HEARD_MS = 500;

/** Sends hints that no other process receives, and checks that they do not delay the next sweep. */
async function sweptAgain({ api, listener }: Awaited<ReturnType<typeof pair>>): Promise<void> {
  const [before, elapsed] = [listener.calls.length, stopwatch()];
  api.scheduler.wake([{ delayMs: 0 }, { delayMs: 50 }]);
  await until(() => listener.calls.length > before);
  expect(elapsed()).toBeLessThan(SWEEP_MS + 500);
}

/** Clients retry at least once a second; the rest is headroom for a busy machine. */
const AGAIN_MS = 15_000;

it('goes on sweeping while Redis is killed, and wakes others again once it is back', async () => {
  const both = await pair();
  await redis.kill();
  await sweptAgain(both);
  await redis.start();
  expect(await heardAgain(both)).toBeLessThan(AGAIN_MS);
});

it('goes on sweeping while Redis answers nothing, and wakes others again once it does', async () => {
  const both = await pair();
  redis.pause();
  await sweptAgain(both);
  redis.resume();
  expect(await heardAgain(both)).toBeLessThan(AGAIN_MS);
});

it('wakes others after each time Redis has forgotten everything', async () => {
  const { api, listener } = await pair();
  const elapsed = stopwatch();
  for (let nth = 0; nth < 10; nth += 1) {
    await listener.connection.flushall();
    const before = listener.calls.length;
    api.scheduler.wake([{ delayMs: 0 }, { delayMs: 40 }]);
    await listener.connection.flushall();
    await until(() => listener.calls.length > before);
    await elapse(100);
  }
  // Sweeps alone would take over twice this long.
  expect(elapsed()).toBeLessThan(4 * SWEEP_MS);
});

it('rings in the process itself, and at once, what Redis does not take', async () => {
  const { listener } = await pair();
  await redis.kill();
  await until(() => listener.errors.length > 0);
  const [before, elapsed] = [listener.calls.length, stopwatch()];
  listener.scheduler.wake([{ delayMs: 100 }]);
  await until(() => listener.calls.length > before);
  expect(elapsed()).toBeLessThan(1_500);
  await redis.start();
});

it('starts and sweeps when Redis is away from the start', async () => {
  const started = keep(await startProcess('redis://127.0.0.1:1'));
  const elapsed = stopwatch();
  started.scheduler.wake([{ delayMs: 0 }]);
  await until(() => started.calls.length > 0);
  expect(elapsed()).toBeLessThan(1_500);
});

it('reports an outage once, not at each attempt to reconnect', async () => {
  const { listener } = await pair();
  await redis.kill();
  await until(() => listener.errors.length > 0);
  await elapse(1_500);
  await redis.start();
  expect(listener.errors.length).toBeLessThan(6);
});

it('closes in time while Redis is killed or answers nothing', async () => {
  const [killed, silent] = [await pair(), await pair()];
  redis.pause();
  await timedClose(silent);
  redis.resume();
  await redis.kill();
  await timedClose(killed);
  await redis.start();
});

it('leaves no connection of its own behind when it is closed, and the given one open', async () => {
  const { api, listener } = await pair();
  await api.scheduler.close(1_000);
  await listener.scheduler.close(1_000);
  const client = new Redis(redis.url);
  await until(() => client.status === 'ready');
  const names = async () =>
    String(await client.client('LIST'))
      .split('\n')
      .filter((line) => line.includes('gateramp-') || line.includes('wake-ups'));
  await expect.poll(names).toEqual([]);
  client.disconnect();
  expect([api.connection.status, listener.connection.status]).toEqual(['ready', 'ready']);
});

async function timedClose({ api, listener }: Awaited<ReturnType<typeof pair>>): Promise<void> {
  const elapsed = stopwatch();
  await Promise.all([api.scheduler.close(60_000), listener.scheduler.close(60_000)]);
  expect(elapsed()).toBeLessThan(1_500);
}

it('writes where it was given no reporter that Redis cannot be reached, and where it was looked for', async () => {
  const written: string[] = [];
  const write = vi.spyOn(process.stderr, 'write').mockImplementation((chunk) => (written.push(String(chunk)), true));
  const connection = new Redis('redis://user:hunter2@127.0.0.1:1', { maxRetriesPerRequest: null });
  const scheduler = redisScheduler(connection);
  await scheduler.start(async () => undefined);
  await until(() => written.length > 0);
  await scheduler.close(0);
  connection.disconnect();
  write.mockRestore();
  expect(written[0]).toMatch(
    /^gateramp: the scheduler cannot use Redis at 127\.0\.0\.1:1; work continues with a delay of up to 5 s .*ECONNREFUSED/,
  );
  expect(written.join()).not.toContain('hunter2');
});

it('replaces connections that have fallen silent within three seconds, on both sides', async () => {
  const proxy = await startSilentProxy(redis.port);
  onTestFinished(proxy.stop);
  const url = `redis://127.0.0.1:${proxy.port}`;
  const replaced = async (): Promise<number> => {
    const prefix = freshPrefix();
    const [api, listener] = [keep(newProcess(url, { prefix })), keep(await startProcess(url, { prefix }))];
    api.scheduler.wake([{ delayMs: 0 }]);
    await until(() => listener.calls.length > 0);
    proxy.fallSilent();
    return heardAgain({ api, listener });
  };
  expect(await shortest(replaced, 4_000)).toBeLessThan(4_000);
});
