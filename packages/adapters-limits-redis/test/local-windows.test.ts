import { fc, test } from '@fast-check/vitest';
import { expect, it } from 'vitest';
import { LocalWindows } from '../src/local-windows.js';

const rule = { name: 'short', limit: 3, windowMs: 1_000 };

it('never holds more windows than it may, and lets the older half give way', () => {
  const windows = new LocalWindows(() => 0, 4);
  for (const key of ['a', 'b', 'a', 'c', 'd', 'a']) windows.hit(key, rule);
  expect(['a', 'b', 'c', 'd'].map((key) => windows.peek(key, rule).used)).toEqual([3, 1, 1, 1]);
  windows.hit('e', rule);
  expect(['a', 'b', 'c', 'd', 'e'].map((key) => windows.peek(key, rule).used)).toEqual([0, 0, 1, 1, 1]);
});

test.prop([
  fc.array(
    fc.record({
      key: fc.constantFrom('a', 'b', 'a:short'),
      after: fc.integer({ min: 0, max: 700 }),
      peek: fc.boolean(),
    }),
    { maxLength: 60 },
  ),
])('counts in fixed windows that start at their first hit', (steps) => {
  let now = 0;
  const windows = new LocalWindows(() => now);
  const model = new Map<string, number[]>();
  for (const { key, after, peek } of steps) {
    now += after;
    const hits = model.get(key) ?? [];
    const live = hits[0] !== undefined && now < hits[0] + rule.windowMs ? hits : [];
    if (!peek) live.push(now);
    model.set(key, live);
    const expected = {
      rule,
      used: live.length,
      resetMs: live[0] === undefined ? rule.windowMs : live[0] + rule.windowMs - now,
    };
    expect(peek ? windows.peek(key, rule) : windows.hit(key, rule)).toEqual(expected);
  }
});
