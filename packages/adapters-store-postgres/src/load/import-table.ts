import type { ExportKind, ExportRows } from '@gateramp/core/ports';
import { binaryColumns, type ColumnType, type Value } from '../binary-columns.js';
import type { Statement } from '../statement.js';

/** Where rows of a kind go: one table. */
export interface ImportTable<Row> {
  readonly table: string;
  /** Every column that is written, as a test sees to. */
  readonly columns: readonly string[];
  /** What puts the rows there; null when none of them belongs into this table. */
  insertOf(rows: readonly Row[], schema: string): Statement | null;
}

export type ImportTables = { readonly [Kind in ExportKind]: readonly ImportTable<ExportRows[Kind]>[] };

/** What the driver's arrays have no form for travels as text or JSON: `jsons` as a JSON array. */
type Column = ColumnType | 'decimal' | 'jsons';

function typeOf(type: Column): ColumnType {
  return type === 'decimal' ? 'text' : type === 'jsons' ? 'json' : type;
}

function columnOf(name: string, type: Column): string {
  if (type === 'decimal') return `w.${name}::numeric`;
  if (type !== 'jsons') return `w.${name}`;
  return `(select array_agg(a.item order by a.nth) from json_array_elements(w.${name}) with ordinality as a(item, nth))`;
}

/** A column without a value does not compile. `valuesOf` answers null for a row that has no place in the table. */
export function shelf<Columns extends Readonly<Record<string, Column>>, Row>(
  table: string,
  columns: Columns,
  valuesOf: (row: Row) => Readonly<Record<keyof Columns, Value>> | null,
): ImportTable<Row> {
  const entries = Object.entries(columns);
  const names = entries.map(([name]) => name);
  const types = entries.map(([, type]) => typeOf(type));
  const arrays = types.map((type, nth) => `$${nth + 1}::${type}[]`).join(', ');
  const taken = entries.map(([name, type]) => columnOf(name, type)).join(', ');
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
