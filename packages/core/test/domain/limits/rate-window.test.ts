import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import {
  isBlocked,
  remaining,
  resetSeconds,
  tightest,
  type RateState,
} from '../../../src/domain/limits/rate-window.js';
import { forAll } from '../for-all.js';

function state(limit: number, used: number, resetMs = 1_000): RateState {
  return { rule: { name: `${limit}`, limit, windowMs: 60_000 }, used, resetMs };
}

describe('a rate window', () => {
  it.each([
    [0, false, 10],
    [1, false, 9],
    [10, false, 0],
    [11, true, 0],
    [500, true, 0],
  ])('of 10 after %i hits: blocked %s, remaining %i', (used, blocked, left) => {
    expect(isBlocked(state(10, used))).toBe(blocked);
    expect(remaining(state(10, used))).toBe(left);
  });

  it.each([
    [60_000, 60],
    [59_001, 60],
    [59_000, 59],
    [1_001, 2],
    [1, 1],
    [0, 1],
  ])(
    'that ends in %i ms resets in %i whole seconds: a client that waits them is never too early',
    (resetMs, seconds) => {
      expect(resetSeconds(state(1, 1, resetMs))).toBe(seconds);
    },
  );
});

describe('with several tiers', () => {
  it('the headers describe the one closest to blocking', () => {
    const [short, medium, long] = [state(10, 3), state(60, 58), state(300, 58)];
    expect(tightest([short, medium, long])).toBe(medium);
    expect(tightest([medium, short, long])).toBe(medium);
  });

  it('or, of two equally close, the one that resets later, in any order', () => {
    const [brief, lasting] = [state(10, 11, 2_000), state(60, 60, 30_000)];
    expect(tightest([brief, lasting])).toBe(lasting);
    expect(tightest([lasting, brief])).toBe(lasting);
  });

  it('the result is null if none applies', () => {
    expect(tightest([])).toBeNull();
  });

  const states = fc.array(
    fc
      .tuple(fc.integer({ min: 1, max: 300 }), fc.nat(400), fc.nat(60_000))
      .map(([limit, used, ms]) => state(limit, used, ms)),
    {
      minLength: 1,
    },
  );
  forAll([states])(
    'no tier has less left, and waiting for it also passes every other tier with nothing left',
    (all) => {
      const found = tightest(all);
      if (found === null) throw new Error('There was a tier.');
      expect(remaining(found)).toBe(Math.min(...all.map(remaining)));
      expect(all.some(isBlocked)).toBe(all.some((one) => isBlocked(one) && remaining(found) === 0));
      for (const other of all)
        if (remaining(other) === remaining(found)) expect(found.resetMs).toBeGreaterThanOrEqual(other.resetMs);
    },
  );
});
