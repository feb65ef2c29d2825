import { expect, it } from 'vitest';
import { UnslowedLimit } from '../../../src/http/pipeline/unslowed-limit.js';

/** A store whose duration depends on the number of running requests. */
function limitAgainst(durationOf: (running: number) => number, requests: number): number {
  const limit = new UnslowedLimit(4, 64, 2);
  for (let nth = 0; nth < requests; nth += 1) limit.observe(durationOf(limit.value));
  return limit.value;
}

it('rises to the maximum if requests mostly wait for a store that is not busy', () => {
  expect(limitAgainst(() => 10, 10_000)).toBe(64);
});

it('stays if requests take twice as long as usual because they queue for one core', () => {
  const reached = limitAgainst((running) => 1 + running / 4, 10_000);
  expect(reached).toBeGreaterThanOrEqual(4);
  expect(reached).toBeLessThanOrEqual(16);
});

it('falls back to its minimum when a store slows down', () => {
  const limit = new UnslowedLimit(4, 64, 2);
  for (let nth = 0; nth < 5_000; nth += 1) limit.observe(10);
  expect(limit.value).toBe(64);
  let lowest = limit.value;
  for (let nth = 0; nth < 200; nth += 1) {
    limit.observe(100);
    lowest = Math.min(lowest, limit.value);
  }
  expect(lowest).toBe(4);
});
