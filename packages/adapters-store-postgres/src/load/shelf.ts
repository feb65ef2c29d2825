import type { Kept, KeptKind } from '@gateramp/core/ports';
import { binaryColumns, type ColumnType, type Value } from '../binary-columns.js';
import type { Statement } from '../statement.js';

/** Where rows of a kind go: one table. */
export interface Shelf<Row> {
  readonly table: string;
  /** Every column that is written, as a test sees to. */
  readonly columns: readonly string[];
  /** What puts the rows there; null when none of them belongs into this table. */
  insertOf(rows: readonly Row[], schema: string): Statement | null;
}

export type Shelves = { readonly [Kind in KeptKind]: readonly Shelf<Kept[Kind]>[] };

/** `decimal` travels as text. */
type Column = ColumnType | 'decimal';

/** A column without a value does not compile. `valuesOf` answers null for a row that has no place in the table. */
export function shelf<Columns extends Readonly<Record<string, Column>>, Row>(
  table: string,
  columns: Columns,
  valuesOf: (row: Row) => Readonly<Record<keyof Columns, Value>> | null,
): Shelf<Row> {
  const entries = Object.entries(columns);
  const names = entries.map(([name]) => name);
  const types = entries.map(([, type]) => (type === 'decimal' ? 'text' : type));
  const arrays = types.map((type, nth) => `$${nth + 1}::${type}[]`).join(', ');
  const taken = entries.map(([name, type]) => (type === 'decimal' ? `w.${name}::numeric` : `w.${name}`)).join(', ');
  const list = names.join(', ');
  return {
    table,
    columns: names,
    insertOf: (rows, schema) => {
      const values = rows.map(valuesOf).filter((row) => row !== null);
      if (values.length === 0) return null;
      const text = `insert into "${schema}".${table} (${list}) select ${taken} from unnest(${arrays}) as w(${list})`;
      const cells = values.map((row) => names.map((name) => row[name] ?? null));
      return { text, values: binaryColumns(types, cells) };
    },
  };
}
