import { expect, it } from 'vitest';
import { FairQueue } from '../../src/work/fair-queue.js';
import { takeFairly } from '../../src/work/take-fairly.js';

interface Item {
  readonly id: string;
  due: number;
  heapIndex: number;
}

let reads = 0;

/** An item that counts how often it is read. */
function counted(id: string, due: number): Item {
  let value = due;
  return {
    id,
    heapIndex: -1,
    get due() {
      reads += 1;
      return value;
    },
    set due(next) {
      value = next;
    },
  };
}

function names(queue: FairQueue<Item>, limit: number, now = 1_000, perEndpoint = Infinity): string[] {
  return takeFairly([{ queue, now }], { limit, perEndpoint }).map(({ item }) => item.id);
}

it('gives an endpoint with little its turn next to one with a backlog that is older', () => {
  const queue = new FairQueue<Item>();
  for (let number = 0; number < 100; number += 1) queue.wait('busy', counted(`busy-${number}`, number));
  queue.wait('calm', counted('calm-0', 900));
  expect(names(queue, 4)).toEqual(['busy-0', 'busy-1', 'busy-2', 'calm-0']);
});

it('looks at no more of a backlog of a hundred thousand than it takes', () => {
  const queue = new FairQueue<Item>();
  for (let number = 0; number < 100_000; number += 1) queue.wait('busy', counted(`busy-${number}`, number % 900));
  for (let number = 0; number < 8; number += 1) queue.wait(`calm-${number}`, counted(`calm-${number}`, 950 + number));
  reads = 0;
  expect(names(queue, 9)).toHaveLength(9);
  expect(reads).toBeLessThan(400);
});

it('takes nothing for an endpoint whose places are all leased, until a lease lapses', () => {
  const queue = new FairQueue<Item>();
  queue.lease('slow', counted('held', 2_000));
  queue.wait('slow', counted('waiting', 0));
  expect(names(queue, 5, 1_999, 1)).toEqual([]);
  expect(names(queue, 5, 2_000, 2)).toEqual(['waiting', 'held']);
});

it('orders the work of two clocks by how long it is overdue on its own', () => {
  const ahead = new FairQueue<Item>();
  const behind = new FairQueue<Item>();
  ahead.wait('a', counted('ahead', 1_000_000 - 5));
  behind.wait('b', counted('behind', 100 - 7));
  const sources = [
    { queue: ahead, now: 1_000_000 },
    { queue: behind, now: 100 },
  ];
  expect(takeFairly(sources, { limit: 2, perEndpoint: 1 }).map(({ item }) => item.id)).toEqual(['behind', 'ahead']);
});

it('keeps nothing of an endpoint that has no work left', () => {
  const queue = new FairQueue<Item>();
  const only = counted('only', 0);
  queue.wait('gone', only);
  queue.remove('gone', only);
  expect(queue.peek()).toBeNull();
  expect(Object.values(queue).map((part: { size: number }) => part.size)).toEqual([0, 0]);
});
