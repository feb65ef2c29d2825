import type { ExportCursor, ExportKind, ExportPage, ExportRows } from '@gateramp/store-move';
import { asMembers, columnOf } from './columns.js';
import type { Connection, Value } from './connection.js';

/** The table that contains the rows of a kind. */
export interface RowTable<Row> {
  readonly table: string;
  /** All stored columns, as `table.column`: a test compares them with the tables. */
  readonly reads: readonly string[];
  page(db: Connection, after: ExportCursor | null, limit: number): ExportPage<Row>;
}

export type RowTables = { readonly [Kind in ExportKind]: RowTable<ExportRows[Kind]> };

/**
 * Reads a table along its key. `members` are those of `Stored`, each the column of its name. This package has written them
 * from the same row that `rowOf` restores.
 */
export function shelf<Stored extends Readonly<Record<keyof Stored, Value>>, Row>(
  table: string,
  key: readonly (keyof Stored & string)[],
  members: readonly (keyof Stored & string)[],
  rowOf: (stored: Stored) => Row,
): RowTable<Row> {
  const names = key.map(columnOf).join(', ');
  const select = `select ${asMembers(members)} from ${table}`;
  const onwards = `order by ${names} limit ?`;
  const first = `${select} ${onwards}`;
  const further = `${select} where (${names}) > (${key.map(() => '?').join(', ')}) ${onwards}`;
  return {
    table,
    reads: members.map((member) => `${table}.${columnOf(member)}`),
    page: (db, after, limit) => {
      const stored = after === null ? db.all<Stored>(first, limit) : db.all<Stored>(further, ...after, limit);
      const last = stored.length < limit ? undefined : stored.at(-1);
      return { rows: stored.map(rowOf), next: last === undefined ? null : placeOf(last, key) };
    },
  };
}

/** A table whose columns equal the members of its rows. */
export function plainShelf<Row extends Readonly<Record<keyof Row, Value>>>(
  table: string,
  key: readonly (keyof Row & string)[],
  members: readonly (keyof Row & string)[],
): RowTable<Row> {
  return shelf<Row, Row>(table, key, members, (row) => row);
}

/** The rows of a shelf, each joined with the row of another shelf with the same id. */
export function joined<Row, Whole>(
  one: RowTable<Row>,
  { reads, wholeOf }: { readonly reads: readonly string[]; readonly wholeOf: (db: Connection, row: Row) => Whole },
): RowTable<Whole> {
  return {
    table: one.table,
    reads: [...one.reads, ...reads],
    page: (db, after, limit) => {
      const { rows, next } = one.page(db, after, limit);
      return { rows: rows.map((row) => wholeOf(db, row)), next };
    },
  };
}

function placeOf<Stored extends Readonly<Record<keyof Stored, Value>>>(
  row: Stored,
  key: readonly (keyof Stored)[],
): ExportCursor {
  return key.map((name) => {
    const part: Value = row[name];
    if (part === null) throw new Error('No part of a key is ever null.');
    return part;
  });
}
