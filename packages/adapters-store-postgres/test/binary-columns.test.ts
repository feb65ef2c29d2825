import type pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { binaryColumns, type Value } from '../src/binary-columns.js';
import { testPool } from './postgres-subject.js';

let pool: pg.Pool;
beforeAll(async () => {
  pool = await testPool(1);
});
afterAll(() => pool.end());

it('hands over every value as it is: nulls, empty text, quotes, characters of many bytes, and integers of either sign up to 2^53', async () => {
  const sent: readonly (readonly Value[])[] = [
    ['', 0, 0, true, '{}'],
    ['a "quoted" \\ comma, {brace}\n', -1, -1, false, '{"a":"\\"b\\""}'],
    ['Zürich 東京 🙂', 2 ** 31 - 1, Number.MAX_SAFE_INTEGER, null, '[null]'],
    [null, null, null, true, null],
    ['NULL', -(2 ** 31), Number.MIN_SAFE_INTEGER, false, '"NULL"'],
    ['x'.repeat(70_000), 7, 1_800_000_000_000, true, '1.50'],
  ];
  expect(await echoed(sent)).toEqual(sent);
});

it('hands over more than it has room for at first, of characters of many bytes, and little after much', async () => {
  const many = Array.from({ length: 300 }, (_, n): readonly Value[] => ['東'.repeat(2_000), n, n, null, '{}']);
  expect(await echoed(many)).toEqual(many);
  expect(await echoed([['a', 1, 2, true, '3']])).toEqual([['a', 1, 2, true, '3']]);
});

it('keeps what it has handed over while more is put together', () => {
  const [first] = binaryColumns(['text'], [['one']]);
  const before = first?.toString('hex');
  binaryColumns(['text'], [['two']]);
  expect(first?.toString('hex')).toBe(before);
});

it.each([
  ['int4', 2 ** 31],
  ['int4', -(2 ** 31) - 1],
  ['int4', 0.5],
  ['int8', Infinity],
  ['int8', 2 ** 63],
  ['int8', NaN],
  ['text', 7],
  ['json', true],
] as const)('refuses for a column of %s what would be another value there: %s', (type, value) => {
  expect(() => binaryColumns([type], [[value]])).toThrow(RangeError);
});

it('hands over no rows at all', async () => {
  expect(await echoed([])).toEqual([]);
});

async function echoed(sent: readonly (readonly Value[])[]): Promise<readonly (readonly Value[])[]> {
  const { rows } = await pool.query<{ a: Value; b: Value; c: string | null; d: Value; e: Value }>({
    text: `select a, b, c, d, e::text from unnest($1::text[], $2::int[], $3::bigint[], $4::boolean[], $5::json[]) as w(a, b, c, d, e)`,
    values: [...binaryColumns(['text', 'int4', 'int8', 'bool', 'json'], sent)],
  });
  return rows.map(({ a, b, c, d, e }) => [a, b, c === null ? null : Number(c), d, e]);
}
