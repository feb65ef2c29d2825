import { fc, test } from '@fast-check/vitest';
import { expect, it } from 'vitest';
import { IndexedHeap } from '../../src/structures/indexed-heap.js';

const item = (rank: number) => ({ rank, heapIndex: -1 });
const emptyHeap = () => new IndexedHeap<ReturnType<typeof item>>((a, b) => a.rank < b.rank);

function drain(heap: IndexedHeap<ReturnType<typeof item>>): number[] {
  const ranks: number[] = [];
  for (let next = heap.pop(); next !== null; next = heap.pop()) ranks.push(next.rank);
  return ranks;
}

it('gives its items back in order', () => {
  const heap = emptyHeap();
  [3, 1, 2].forEach((rank) => heap.place(item(rank)));
  expect(drain(heap)).toEqual([1, 2, 3]);
});

it('refuses an item that sits in another heap', () => {
  const first = emptyHeap();
  const shared = item(1);
  first.place(item(0));
  first.place(shared);
  expect(() => emptyHeap().place(shared)).toThrow('another heap');
});

test.prop([
  fc.array(
    fc.record({
      rank: fc.integer({ min: 0, max: 20 }),
      then: fc.oneof(fc.constant('stay' as const), fc.constant('leave' as const), fc.integer({ min: 0, max: 20 })),
    }),
  ),
])('stays in order whatever is moved or removed, and keeps nothing that left', (plans) => {
  const heap = emptyHeap();
  const items = plans.map(({ rank }) => item(rank));
  items.forEach((each) => heap.place(each));
  const expected: number[] = [];
  plans.forEach(({ then }, index) => {
    const each = items[index] ?? item(0);
    if (then === 'leave') heap.remove(each);
    else if (then !== 'stay') {
      each.rank = then;
      heap.place(each);
    }
    if (then !== 'leave') expected.push(each.rank);
    else expect(each.heapIndex).toBe(-1);
  });
  expect(heap.size).toBe(expected.length);
  expect(drain(heap)).toEqual(expected.sort((a, b) => a - b));
});
