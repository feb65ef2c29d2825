import { expect, it } from 'vitest';
import { Moments } from '../../../src/runtime/scheduling/timers.js';

it('holds one moment of all that are due already, however many are added before it is taken', () => {
  const moments = new Moments();
  for (let now = 0; now < 5_000; now += 1) moments.add(now, 0);
  expect(moments.next()).toBe(0);
  moments.dropUntil(0);
  expect(moments.next()).toBe(Infinity);
});

it('holds what is due later apart from what is due already', () => {
  const moments = new Moments();
  moments.add(100, 0);
  moments.add(100, 50);
  moments.add(101, 0);
  moments.dropUntil(101);
  expect(moments.next()).toBe(150);
});
