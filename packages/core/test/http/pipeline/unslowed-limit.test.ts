import { expect, it } from 'vitest';
import { UnslowedLimit } from '../../../src/http/pipeline/unslowed-limit.js';

/** The limit after `requests` against a store whose answer takes `durationOf(running, nth)`. */
function limitAgainst(durationOf: (running: number, nth: number) => number, requests: number): number {
  const limit = new UnslowedLimit(1, 64);
  for (let nth = 0; nth < requests; nth += 1) limit.observe(durationOf(limit.value, nth), limit.value === 1);
  return limit.value;
}

it('rises to the maximum while requests only wait for a remote store', () => {
  expect(limitAgainst(() => 10, 10_000)).toBe(64);
});

it('rises to the maximum when durations vary by a fifth', () => {
  expect(limitAgainst((_, nth) => (nth % 2 === 0 ? 8 : 12), 10_000)).toBe(64);
});

it('stays low when requests queue for one core', () => {
  expect(limitAgainst((running) => 1 + running / 4, 10_000)).toBeLessThanOrEqual(4);
});

it('does not take an overloaded store as the baseline', () => {
  const limit = new UnslowedLimit(1, 64);
  for (let nth = 0; nth < 100; nth += 1) limit.observe(2, true);
  for (let nth = 0; nth < 10_000; nth += 1) limit.observe(20, false);
  expect(limit.value).toBe(1);
});

it('follows a store that answers every request more slowly than before', () => {
  const limit = new UnslowedLimit(1, 64);
  for (let nth = 0; nth < 100; nth += 1) limit.observe(2, true);
  for (let nth = 0; nth < 10_000; nth += 1) limit.observe(20, limit.value === 1);
  expect(limit.value).toBe(64);
});

it('falls to the minimum when a store slows down', () => {
  const limit = new UnslowedLimit(1, 64);
  for (let nth = 0; nth < 5_000; nth += 1) limit.observe(10, limit.value === 1);
  expect(limit.value).toBe(64);
  let lowest = limit.value;
  for (let nth = 0; nth < 200; nth += 1) {
    limit.observe(100, limit.value === 1);
    lowest = Math.min(lowest, limit.value);
  }
  expect(lowest).toBe(1);
});
