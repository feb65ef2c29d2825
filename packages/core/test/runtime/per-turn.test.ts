import { fc, test } from '@fast-check/vitest';
import { setImmediate as turn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { perTurn } from '../../src/runtime/per-turn.js';

it('runs sixteen at a time together with their follow-up work, and all items of one turn before the next turn', async () => {
  const seen: string[] = [];
  const begin = perTurn<number>((item) => {
    seen.push(`begin ${item}`);
    void Promise.resolve().then(() => seen.push(`go on ${item}`));
  });
  for (let item = 0; item < 40; item += 1) begin(item);
  const over = turn().then(() => seen.push('turn over'));
  expect(seen).toEqual([]);
  await over;
  const steps = (from: number, to: number) =>
    ['begin', 'go on'].flatMap((step) => Array.from({ length: to - from }, (_, n) => `${step} ${from + n}`));
  expect(seen).toEqual([...steps(0, 16), ...steps(16, 32), ...steps(32, 40), 'turn over']);
});

test.prop([fc.array(fc.record({ count: fc.nat(40), inTurn: fc.boolean() }), { maxLength: 12 })])(
  'runs each item once, in order of arrival',
  async (bursts) => {
    const begun: number[] = [];
    let asked = 0;
    const begin = perTurn<number>((item) => begun.push(item));
    const burst = (count: number) => {
      for (let n = 0; n < count; n += 1) begin(asked++);
    };
    for (const { count, inTurn } of bursts) {
      burst(count);
      // Between the immediates of one phase, or after all of them.
      if (inTurn) setImmediate(() => queueMicrotask(() => burst(count)));
      else await turn();
    }
    for (let left = 0; left < 3; left += 1) await turn();
    expect(begun).toEqual(Array.from({ length: asked }, (_, n) => n));
  },
);
