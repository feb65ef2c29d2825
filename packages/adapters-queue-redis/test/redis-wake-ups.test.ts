import { setImmediate } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { afterEach, beforeAll, expect, it } from 'vitest';
import { testRedisUrl } from '../../../tests/services/test-redis.js';
import { elapse, freshPrefix, newProcess, startProcess, until, type Process } from './redis-on-trial.js';

let url = '';
let prefix = '';
const processes: Process[] = [];

beforeAll(async () => {
  url = await testRedisUrl();
  prefix = freshPrefix();
});
afterEach(async () => {
  await Promise.all(processes.splice(0).map(({ close }) => close()));
  prefix = freshPrefix();
});

const keep = (made: Process): Process => (processes.push(made), made);
const producer = (): Process => keep(newProcess(url, { prefix }));
const worker = async (): Promise<Process> => keep(await startProcess(url, { prefix }));

it('wakes a process that listens from one that only sends', async () => {
  const [api, listener] = [producer(), await worker()];
  // The first wake-up opens the connection of the process that sends it.
  api.scheduler.wake([{ delayMs: 0 }]);
  await until(() => listener.calls.length > 0);

  const [late, directly]: [number[], number[]] = [[], []];
  for (let nth = 0; nth < 20; nth += 1) {
    await elapse(30);
    const [before, began] = [listener.calls.length, performance.now()];
    api.scheduler.wake([{ delayMs: 0 }]);
    await until(() => listener.calls.length > before);
    late.push((listener.calls.at(-1) ?? Infinity) - began);
    const asked = performance.now();
    await api.connection.ping();
    directly.push(performance.now() - asked);
  }
  const median = (times: readonly number[]): number => times.toSorted((a, b) => a - b)[10] ?? Infinity;
  // A wake-up is two commands and a timer; the machine slows those of a plain client as well.
  expect(median(late)).toBeLessThan(50 + 10 * median(directly));
});

it("waits a hint's delay in the process that has it, so that Redis has nothing to forget", async () => {
  const [api, listener] = [producer(), await worker()];
  const began = performance.now();
  // A timer counts from the begin of its turn of the event loop.
  await setImmediate();
  api.scheduler.wake([{ delayMs: 400 }]);
  await elapse(200);
  expect(await keysOf(prefix)).not.toContain('delayed');
  await until(() => listener.calls.length > 0);
  expect((listener.calls[0] ?? 0) - began).toBeGreaterThan(398);
});

it('wakes one process, not all of them', async () => {
  const [api, ...listeners] = [producer(), await worker(), await worker(), await worker()];
  api.scheduler.wake([{ delayMs: 0 }]);
  await until(() => listeners.some(({ calls }) => calls.length > 0));
  await elapse(500);
  expect(listeners.map(({ calls }) => calls.length).toSorted()).toEqual([0, 0, 1]);
});

it('makes few wake-ups of a storm of hints, the last of them after the last hint', async () => {
  const [api, listener] = [producer(), await worker()];
  const begun = performance.now();
  let last = 0;
  for (let round = 0; round < 50; round += 1) {
    for (let nth = 0; nth < 200; nth += 1) api.scheduler.wake([{ delayMs: 0 }, { delayMs: nth }]);
    last = performance.now();
    await elapse(5);
  }
  await until(() => (listener.calls.at(-1) ?? 0) > last);
  await elapse(400);
  // At most one in 5 ms of 20,000 hints.
  expect(listener.calls.length).toBeLessThan((performance.now() - begun) / 5);
});

it('leaves a bounded number of wake-ups behind while no process listens, and one is enough afterwards', async () => {
  const api = producer();
  for (let nth = 0; nth < 100; nth += 1) {
    api.scheduler.wake([{ delayMs: 0 }]);
    await elapse(20);
  }
  expect(await waiting(prefix)).toBeLessThanOrEqual(64);
  const listener = await worker();
  await until(() => listener.calls.length > 0);
  await expect.poll(() => waiting(prefix)).toBe(0);
});

it('hears every later wake-up of a process, although ids come round again', async () => {
  const [api, listener] = [producer(), await worker()];
  for (let nth = 0; nth < 100; nth += 1) {
    const before = listener.calls.length;
    api.scheduler.wake([{ delayMs: 0 }]);
    await until(() => listener.calls.length > before);
  }
});

it('does not blame Redis when the process itself stood still', async () => {
  const [api, listener] = [producer(), await worker()];
  api.scheduler.wake([{ delayMs: 0 }]);
  await until(() => listener.calls.length > 0);
  const before = listener.calls.length;
  api.scheduler.wake([{ delayMs: 0 }]);
  // Longer than either side waits for an answer.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 3_000);
  await until(() => listener.calls.length > before);
  await elapse(100);
  expect([api.errors, listener.errors]).toEqual([[], []]);
});

it('keeps the wake-ups of two prefixes apart', async () => {
  const [api, stranger] = [producer(), keep(await startProcess(url))];
  api.scheduler.wake([{ delayMs: 0 }]);
  await elapse(300);
  expect(stranger.calls).toEqual([]);
});

it('takes a client whose own options would break it', async () => {
  const connection = new Redis(url, {
    keyPrefix: 'host:',
    lazyConnect: true,
    commandTimeout: 100,
    maxRetriesPerRequest: 3,
    enableOfflineQueue: false,
  });
  const { redisScheduler } = await import('../src/index.js');
  const errors: unknown[] = [];
  const scheduler = redisScheduler(connection, { prefix, onError: (error) => errors.push(error) });
  let calls = 0;
  await scheduler.start(async () => void (calls += 1));
  await elapse(500);
  scheduler.wake([{ delayMs: 0 }]);
  await until(() => calls > 0);
  await scheduler.close(1_000);
  expect(errors).toEqual([]);
  expect(connection.status).toBe('wait');
});

async function asked<Answer>(question: (client: Redis) => Promise<Answer>): Promise<Answer> {
  const client = new Redis(url);
  try {
    return await question(client);
  } finally {
    client.disconnect();
  }
}

const keysOf = async (of: string): Promise<string[]> =>
  (await asked((client) => client.keys(`${of}:*`))).map((key) => key.split(':').at(-1) ?? '');
const waiting = (of: string): Promise<number> => asked((client) => client.llen(`${of}:wake-ups`));
