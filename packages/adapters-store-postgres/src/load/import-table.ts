import type { ExportKind, ExportRows } from '@gateramp/store-move';
import { binaryColumns, type ColumnType, type Value } from '../binary-columns.js';
import type { Statement } from '../database.js';

/** One table that receives rows of a kind. */
export interface ImportTable<Row> {
  readonly table: string;
  /** All written columns; a test checks that none is missing. */
  readonly columns: readonly string[];
  /** The insert statement for the rows; null if none of them belongs in this table. */
  insertOf(rows: readonly Row[], schema: string): Statement | null;
}

export type ImportTables = { readonly [Kind in ExportKind]: readonly ImportTable<ExportRows[Kind]>[] };

/** Types without an array form in the driver are sent as text or JSON: `jsons` as a JSON array. */
type Column = ColumnType | 'decimal' | 'jsons';

function typeOf(type: Column): ColumnType {
  return type === 'decimal' ? 'text' : type === 'jsons' ? 'json' : type;
}

function columnOf(name: string, type: Column): string {
  if (type === 'decimal') return `w.${name}::numeric`;
  if (type !== 'jsons') return `w.${name}`;
  return `(select array_agg(a.item order by a.nth) from json_array_elements(w.${name}) with ordinality as a(item, nth))`;
}

type Snake<Text extends string> = Text extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${Snake<Rest>}`
  : Text;

/** Columns with the name and value of a member of the row. `row` is the whole row as JSON. */
type Own<Row> =
  | 'row'
  | { [Name in keyof Row & string]: Row[Name] extends Value ? Snake<Name> : never }[keyof Row & string];

/** Columns that the row does not have, or stores in another form. */
type Others<Columns, Row> = { readonly [Name in Exclude<keyof Columns, Own<Row>>]: Value } & {
  readonly [Name in keyof Columns]?: Value;
};

/**
 * Defines the table of a kind. A column without a value does not compile. `othersOf` returns null for a row without a place in the table.
 */
export function shelf<Columns extends Readonly<Record<string, Column>>, Row extends object>(
  table: string,
  columns: Columns,
  othersOf: (row: Row) => Others<Columns, Row> | null,
): ImportTable<Row> {
  const entries = Object.entries(columns);
  const names = entries.map(([name]) => name);
  const types = entries.map(([, type]) => typeOf(type));
  const arrays = types.map((type, nth) => `$${nth + 1}::${type}[]`).join(', ');
  const taken = entries.map(([name, type]) => columnOf(name, type)).join(', ');
  const list = names.join(', ');
  const members = names.map(
    (name) => [name, name.replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase())] as const,
  );
  const cellsOf = (row: Row, others: Readonly<Record<string, unknown>>): readonly Value[] =>
    members.map(([name, member]) => {
      if (name === 'row' && !(name in others)) return JSON.stringify(row);
      // `Others` and `Own` exclude any other type.
      return ((name in others ? others[name] : Reflect.get(row, member)) ?? null) as Value;
    });
  return {
    table,
    columns: names,
    insertOf: (rows, schema) => {
      const cells = rows.flatMap((row) => {
        const others = othersOf(row);
        return others === null ? [] : [cellsOf(row, others)];
      });
      if (cells.length === 0) return null;
      const text = `insert into "${schema}".${table} (${list}) select ${taken} from unnest(${arrays}) as w(${list})`;
      return { text, values: binaryColumns(types, cells) };
    },
  };
}
