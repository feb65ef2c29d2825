import type { ExportKind, ExportRows } from '@gateramp/store-move';
import { binaryColumns, type ColumnType, type Value } from '../binary-columns.js';
import type { Statement } from '../database.js';

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

type Snake<Text extends string> = Text extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${Snake<Rest>}`
  : Text;

/** Columns that are members of the row under the same name. `row` is the whole of it, as JSON. */
type Own<Row> =
  | 'row'
  | { [Name in keyof Row & string]: Row[Name] extends Value ? Snake<Name> : never }[keyof Row & string];

/** The columns that the row does not have, or not as they are stored. */
type Others<Columns, Row> = { readonly [Name in Exclude<keyof Columns, Own<Row>>]: Value } & {
  readonly [Name in keyof Columns]?: Value;
};

/** A column without a value does not compile. `othersOf` answers null for a row that has no place in the table. */
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
      // `Others` and `Own` have let nothing else through.
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
