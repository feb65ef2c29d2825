import type { Scope } from '@gateramp/core';
import { Batcher, type BatchResult } from '../batcher.js';
import { isOutage } from '../errors.js';
import { PARTITION_KEYS } from '../partitions/tables.js';
import { literal, type RangesOf, type Span, spanAt } from './spans.js';

/** Tables whose key is partner, mode and id. */
type KeyedTable = 'sessions' | 'intents' | 'transactions';

interface RowKey {
  readonly scope: Scope;
  readonly id: string;
}

/** Null if there is no such row. */
export type RowByKey = (table: KeyedTable, key: RowKey) => Promise<RowText | null>;

/** Runs a statement that reads rows, each with the position of its key. */
type FindRows = (text: string, values: readonly string[]) => Promise<readonly PlacedRow[]>;

interface PlacedRow extends RowText {
  readonly place: number;
}

/** Reads one row per statement. */
export function rowByKey(find: FindRows, schema: string): RowByKey {
  return async (table, key) => (await find(rowsText(schema, table, null, 1), valuesOf([key])))[0] ?? null;
}

/** Concurrent statements for one table; keys requested meanwhile join the next one. */
const SLOTS = 3;

/** The maximum number of rows in one statement. A power of two. */
const ROWS_MAX = 32;

/** `span` is the partition that ids of this time belong to; null if that is not known. */
interface KeyInSpan extends RowKey {
  readonly span: Span | null;
}

/**
 * Reads rows that are requested together in one statement, which costs hardly more than reading a single row. Rows of different partitions
 * are read by separate statements, each with a plan of one partition: a plan with all partitions costs as much as reading several rows.
 */
export function batchedRowByKey(find: FindRows, rangesOf: RangesOf, schema: string): RowByKey {
  const single = rowByKey(find, schema);
  const foldOf = (table: KeyedTable): Batcher<KeyInSpan, RowText | null> =>
    new Batcher({
      run: (keys) => rowsOf(table, keys),
      contends: () => NOTHING,
      // Ranges may be read again while keys wait, and then differ in one bound only.
      kindOf: ({ span }) => (span === null ? '' : `${span.from}-${span.below}`),
      slots: SLOTS,
      batchMax: ROWS_MAX,
    });

  async function rowsOf(
    table: KeyedTable,
    keys: readonly KeyInSpan[],
  ): Promise<readonly BatchResult<RowText | null>[]> {
    const paddedKeys = padded(keys);
    try {
      const text = rowsText(schema, table, keys[0]?.span ?? null, paddedKeys.length);
      const found = await find(text, valuesOf(paddedKeys));
      const rows = new Map(found.map((row) => [row.place, row]));
      return keys.map((_, place) => ({ status: 'fulfilled', value: rows.get(place) ?? null }));
    } catch (error) {
      if (isOutage(error) || keys.length === 1) throw error;
      // One of the keys is not valid text for Postgres: the others must not be affected.
      return Promise.allSettled(keys.map((key) => single(table, key)));
    }
  }

  const folds = { sessions: foldOf('sessions'), intents: foldOf('intents'), transactions: foldOf('transactions') };

  async function spanOf(table: KeyedTable, { id }: RowKey): Promise<Span | null> {
    const ranges = await rangesOf(table);
    const at = ranges === null ? null : PARTITION_KEYS[table].instantOf(id);
    return ranges === null || at === null ? null : spanAt(table, ranges, at);
  }

  return async (table, key) => folds[table].add({ ...key, span: await spanOf(table, key) });
}

const NOTHING: readonly string[] = [];

/** Repeats the last key up to a power of two, so that few different statements are prepared. */
function padded(keys: readonly RowKey[]): readonly RowKey[] {
  const [last] = keys.slice(-1);
  const count = 2 ** Math.ceil(Math.log2(keys.length));
  return last === undefined ? keys : [...keys, ...Array.from({ length: count - keys.length }, () => last)];
}

function valuesOf(keys: readonly RowKey[]): readonly string[] {
  return keys.flatMap(({ scope, id }) => [scope.partnerId, scope.mode, id]);
}

/**
 * Uses parameters instead of arrays: the cost of the plan then does not depend on their values, and Postgres keeps it. Every row is looked
 * up by its key, whatever the table statistics say.
 */
function rowsText(schema: string, table: KeyedTable, span: Span | null, count: number): string {
  const columns = 'row::text as row';
  // The span contains every id of its keys, also if its partition has been merged or divided since.
  const ofSpan = span === null ? '' : `id >= ${literal(span.from)} and id < ${literal(span.below)} and `;
  const from = `from "${schema}".${table} where ${ofSpan}partner_id`;
  // The limit tells the planner that a plan for any id costs no more than one for this id, also where partitions would be searched.
  if (count === 1) return `select 0 as place, ${columns} ${from} = $1 and mode = $2 and id = $3 limit 1`;
  const keys = Array.from({ length: count }, (_, place) => {
    const [partner, mode, id] = [1, 2, 3].map((nth) => `$${3 * place + nth}::text`);
    return `(${place}, ${partner}, ${mode}, ${id})`;
  });
  return `select k.place, r.row from (values ${keys.join(', ')}) as k(place, partner, mode, id)
    cross join lateral (select ${columns} ${from} = k.partner and mode = k.mode and id = k.id limit 1) r`;
}

/** A row as returned by Postgres: exactly the JSON that the store was given. */
export interface RowText {
  readonly row: string;
}

/** Parses a row that this store has written from a typed value, so its text has the shape of the type. */
export function parseRow<Row>({ row }: RowText): Row {
  return JSON.parse(row) as Row;
}

export function parseOne<Row>(row: RowText | null): Row | null {
  return row === null ? null : parseRow<Row>(row);
}

export function parseFirst<Row>(rows: readonly RowText[]): Row | null {
  return parseOne<Row>(rows[0] ?? null);
}
