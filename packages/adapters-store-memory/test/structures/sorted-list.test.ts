import { fc, test } from '@fast-check/vitest';
import { expect, it } from 'vitest';
import { isBeforeById, type ById } from '../../src/store/scoped-index.js';
import { SortedList } from '../../src/structures/sorted-list.js';

const name = (number: number) => number.toString().padStart(8, '0');
const ids = (items: Iterable<{ readonly id: string }>) => [...items].map(({ id }) => id);

function first<Item>(items: Iterable<Item>, count: number): Item[] {
  const found: Item[] = [];
  for (const item of items) {
    found.push(item);
    if (found.length === count) break;
  }
  return found;
}

it('walks newest first from a cursor, and nearest first from below one', () => {
  const list = new SortedList(isBeforeById);
  ['a', 'd', 'b', 'c'].forEach((id) => list.add({ id }));
  expect(ids(list.below(null))).toEqual(['d', 'c', 'b', 'a']);
  expect(ids(list.below({ id: 'c' }))).toEqual(['b', 'a']);
  expect(ids(list.above({ id: 'b' }))).toEqual(['c', 'd']);
});

it('compares a cursor that does not exist', () => {
  const list = new SortedList(isBeforeById);
  ['a', 'c', 'e'].forEach((id) => list.add({ id }));
  expect(ids(list.below({ id: 'd' }))).toEqual(['c', 'a']);
  expect(ids(list.above({ id: 'b' }))).toEqual(['c', 'e']);
  expect(ids(list.below({ id: '0' }))).toEqual([]);
  expect(ids(list.above({ id: 'z' }))).toEqual([]);
});

test.prop(
  [
    fc.uniqueArray(fc.integer({ min: 0, max: 5_000 }), { maxLength: 2_000, size: 'max' }),
    fc.integer({ min: 0, max: 5_000 }),
    fc.integer({ min: 1, max: 7 }),
  ],
  { numRuns: 30 },
)('is a sorted array in every order of arrival and removal', (numbers, cursor, every) => {
  const list = new SortedList(isBeforeById);
  numbers.forEach((number) => list.add({ id: name(number) }));
  numbers.filter((_, index) => index % every === 0).forEach((number) => list.remove({ id: name(number) }));
  // Positions without an item.
  numbers.forEach((number) => list.remove({ id: `${name(number)} free` }));
  const left = numbers
    .filter((_, index) => index % every !== 0)
    .map(name)
    .sort();
  expect(ids(list.below(null))).toEqual([...left].reverse());
  expect(ids(list.below({ id: name(cursor) }))).toEqual(left.filter((id) => id < name(cursor)).reverse());
  expect(ids(list.above({ id: name(cursor) }))).toEqual(left.filter((id) => id > name(cursor)));
});

it('reads a page of a million rows by looking at hardly more than the page', () => {
  let looks = 0;
  const list = new SortedList<ById, ById>((one, other) => {
    looks += 1;
    return isBeforeById(one, other);
  });
  for (let number = 0; number < 1_000_000; number += 1) list.add({ id: name(number ^ 3) });
  expect(looks).toBeLessThan(15_000_000);

  looks = 0;
  const page = first(list.below({ id: name(500_000) }), 101);
  expect(looks).toBeLessThan(30);
  expect(page[100]?.id).toBe(name(499_899));
  looks = 0;
  first(list.above({ id: name(500_000) }), 101);
  expect(looks).toBeLessThan(150);
});
