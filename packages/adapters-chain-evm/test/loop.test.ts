import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { loopOf } from '../src/loop.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Work that takes 5 ms, with the number of rounds and the most that ran at once. */
function counted() {
  const seen = { rounds: 0, running: 0, most: 0 };
  const work = async (): Promise<void> => {
    seen.rounds += 1;
    seen.running += 1;
    seen.most = Math.max(seen.most, seen.running);
    await new Promise((resolve) => setTimeout(resolve, 5));
    seen.running -= 1;
  };
  return { seen, loop: loopOf(work, { everyMs: 10, failed: () => undefined }) };
}

it('stopped and started during a round it is one loop, which the next stop ends', async () => {
  const { seen, loop } = counted();
  loop.start();
  await vi.advanceTimersByTimeAsync(2);
  void loop.stop();
  loop.start();
  await vi.advanceTimersByTimeAsync(98);
  expect([seen.most, seen.rounds]).toEqual([1, 8]);
  const stopped = loop.stop();
  await vi.advanceTimersByTimeAsync(5);
  await stopped;
  const { rounds } = seen;
  await vi.advanceTimersByTimeAsync(100);
  expect(seen.rounds).toBe(rounds);
});

it('passes on the error of a round and goes on', async () => {
  const errors: unknown[] = [];
  const loop = loopOf(() => Promise.reject(new Error('no RPC')), {
    everyMs: 10,
    failed: (error) => errors.push(error),
  });
  loop.start();
  await vi.advanceTimersByTimeAsync(25);
  await loop.stop();
  expect(errors).toHaveLength(3);
});
