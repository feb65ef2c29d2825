import type { RateLimits } from '@gateramp/core/ports';
import { expect, it } from 'vitest';
import { memoryRateLimits, noRateLimits } from '../src/index.js';
import { RateWindows } from '../src/structures/rate-windows.js';

const rule = { name: 'second', limit: 2, windowMs: 1_000 };

it('answers without waiting', () => {
  const limits = memoryRateLimits({ now: () => 0 }) satisfies RateLimits;
  expect(limits.hit('a', [rule])).toEqual([{ rule, used: 1, resetMs: 1_000 }]);
});

it('shows whole milliseconds on a clock of fractions', () => {
  let now = 0.25;
  const limits = memoryRateLimits({ now: () => now });
  limits.hit('a', [rule]);
  now = 10.5;
  expect(limits.peek('a', [rule])).toEqual([{ rule, used: 1, resetMs: 990 }]);
});

it('forgets the window that ends first when there are too many', () => {
  let now = 0;
  const limits = memoryRateLimits({ now: () => now, windowsMax: 2 });
  for (const key of ['a', 'b', 'c']) {
    limits.hit(key, [rule]);
    now += 1;
  }
  expect(['a', 'b', 'c'].map((key) => limits.peek(key, [rule])[0]?.used)).toEqual([0, 1, 1]);
});

it('drops windows that have ended, a few with each hit', () => {
  const windows = new RateWindows(1_000);
  for (let number = 0; number < 100; number += 1) windows.hit(`key-${number}`, 10, 0);
  expect(windows.size).toBe(100);
  for (let number = 0; number < 40; number += 1) windows.hit('still here', 1_000, 10);
  expect(windows.size).toBe(1);
});

it('never holds more windows than it may', () => {
  const windows = new RateWindows(50);
  for (let number = 0; number < 5_000; number += 1) windows.hit(`key-${number}`, 1_000 + (number % 7), 0);
  expect(windows.size).toBe(50);
});

it('counts nothing when limits are off, yet answers with states', () => {
  const limits = noRateLimits() satisfies RateLimits;
  limits.hit('a', [rule]);
  expect(limits.hit('a', [rule, rule])).toEqual([
    { rule, used: 0, resetMs: 1_000 },
    { rule, used: 0, resetMs: 1_000 },
  ]);
});
