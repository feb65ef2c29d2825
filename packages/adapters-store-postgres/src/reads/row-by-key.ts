import type { Scope } from '@gateramp/core';
import { Batcher, type BatchResult } from '../batcher.js';
import { isOutage } from '../errors.js';

/** Tables whose key is partner, mode and id. */
type KeyedTable = 'sessions' | 'intents' | 'transactions';

interface RowKey {
  readonly scope: Scope;
  readonly id: string;
}

/** Null where there is no such row. */
export type RowByKey = (table: KeyedTable, key: RowKey) => Promise<RowText | null>;

/** Runs a statement that reads rows, each with the place of its key. */
type FindRows = (text: string, values: readonly string[]) => Promise<readonly PlacedRow[]>;

interface PlacedRow extends RowText {
  readonly place: number;
}

/** One statement a row. */
export function rowByKey(find: FindRows, schema: string): RowByKey {
  return async (table, key) => (await find(rowsText(schema, table, 1), valuesOf([key])))[0] ?? null;
}

/** Statements under way at once for one table; what is asked for meanwhile goes into the next. */
const SLOTS = 3;

/** In one statement at most. A power of two. */
const ROWS_MAX = 32;

/** Rows that are asked for together are read by one statement, which costs hardly more than one that reads one of them. */
export function batchedRowByKey(find: FindRows, schema: string): RowByKey {
  const single = rowByKey(find, schema);
  const foldOf = (table: KeyedTable): Batcher<RowKey, RowText | null> =>
    new Batcher({
      run: (keys) => rowsOf(table, keys),
      contends: () => NOTHING,
      slots: SLOTS,
      batchMax: ROWS_MAX,
    });

  async function rowsOf(table: KeyedTable, keys: readonly RowKey[]): Promise<readonly BatchResult<RowText | null>[]> {
    const asked = padded(keys);
    try {
      const found = await find(rowsText(schema, table, asked.length), valuesOf(asked));
      const rows = new Map(found.map((row) => [row.place, row]));
      return keys.map((_, place) => ({ status: 'fulfilled', value: rows.get(place) ?? null }));
    } catch (error) {
      if (isOutage(error) || keys.length === 1) throw error;
      // One of them is no text that Postgres takes: its neighbours never feel it.
      return Promise.allSettled(keys.map((key) => single(table, key)));
    }
  }

  const folds = { sessions: foldOf('sessions'), intents: foldOf('intents'), transactions: foldOf('transactions') };
  return (table, key) => folds[table].add(key);
}

const NOTHING: readonly string[] = [];

/** The last key again and again, up to a power of two: so there are few statements to prepare. */
function padded(keys: readonly RowKey[]): readonly RowKey[] {
  const [last] = keys.slice(-1);
  const count = 2 ** Math.ceil(Math.log2(keys.length));
  return last === undefined ? keys : [...keys, ...Array.from({ length: count - keys.length }, () => last)];
}

function valuesOf(keys: readonly RowKey[]): readonly string[] {
  return keys.flatMap(({ scope, id }) => [scope.partnerId, scope.mode, id]);
}

/**
 * Parameters instead of arrays, as what a plan costs then does not depend on their values, and Postgres keeps it. Every
 * row is looked up along the key, whatever the planner believes of the table.
 */
function rowsText(schema: string, table: KeyedTable, count: number): string {
  const columns = 'row::text as row';
  const from = `from "${schema}".${table} where partner_id`;
  if (count === 1) return `select 0 as place, ${columns} ${from} = $1 and mode = $2 and id = $3`;
  const keys = Array.from({ length: count }, (_, place) => {
    const [partner, mode, id] = [1, 2, 3].map((nth) => `$${3 * place + nth}::text`);
    return `(${place}, ${partner}, ${mode}, ${id})`;
  });
  return `select k.place, r.row from (values ${keys.join(', ')}) as k(place, partner, mode, id)
    cross join lateral (select ${columns} ${from} = k.partner and mode = k.mode and id = k.id limit 1) r`;
}

/** A row as Postgres hands it out: the very JSON the store was given. */
export interface RowText {
  readonly row: string;
}

/**
 * Reads rows that this store wrote itself from typed values, so their text has the type's shape.
 */
export function parseRow<Row>({ row }: RowText): Row {
  return JSON.parse(row) as Row;
}

export function parseOne<Row>(row: RowText | null): Row | null {
  return row === null ? null : parseRow<Row>(row);
}

export function parseFirst<Row>(rows: readonly RowText[]): Row | null {
  return parseOne<Row>(rows[0] ?? null);
}
