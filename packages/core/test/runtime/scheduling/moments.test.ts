import { expect, it } from 'vitest';
import { Moments } from '../../../src/runtime/scheduling/timers.js';

it('stores a single moment for all that are already due', () => {
  const moments = new Moments();
  for (let now = 0; now < 5_000; now += 1) moments.add(now, 0);
  expect(moments.next()).toBe(0);
  moments.dropUntil(0);
  expect(moments.next()).toBe(Infinity);
});

it('separates moments that are due later from those already due', () => {
  const moments = new Moments();
  moments.add(100, 0);
  moments.add(100, 50);
  moments.add(101, 0);
  moments.dropUntil(101);
  expect(moments.next()).toBe(150);
});
