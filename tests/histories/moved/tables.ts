import type pg from 'pg';

type Cells = Readonly<Record<string, string | null>>;

interface Column {
  readonly name: string;
  readonly type: string;
}

interface Table {
  readonly name: string;
  readonly columns: readonly Column[];
}

/** Columns that may differ between a moved database and an original one. Sealing the same value twice gives different text. */
const OWN: Readonly<Record<string, readonly string[]>> = {
  // A file does not store the writer and time of a key.
  idempotency_keys: ['reply', 'written_by', 'taken_at'],
  kyc_packages: ['sealed'],
};

/** Digests of the audit trail cover sealed text. */
const SEALED = /"(sealed|beforeDigest|afterDigest|previousDigest|digest)":"[^"]*"|\b\d+\.[0-9a-f]{64}\.[0-9a-f]{64}\b/g;

/** All rows of all tables as text, in a fixed order; with `isExact` including the columns in `OWN`. */
export async function tablesOf(
  pool: pg.Pool,
  schema: string,
  { isExact }: { readonly isExact: boolean },
): Promise<Readonly<Record<string, readonly string[]>>> {
  const { rows: tables } = await pool.query<Table>(
    `select table_name as name,
            array_agg(json_build_object('name', column_name, 'type', data_type) order by column_name) as columns
     from information_schema.columns where table_schema = $1 and table_name not in ('migrations', 'citus_migrations', 'shown_events') group by table_name order by table_name`,
    [schema],
  );
  const found: Record<string, readonly string[]> = {};
  for (const { name, columns } of tables) {
    const left = columns.filter((column) => isExact || !(OWN[name] ?? []).includes(column.name));
    const list = left.map((column) => `${valueOf(column)}::text as "${column.name}"`).join(', ');
    const where = name === 'settings' ? "where name <> 'move'" : '';
    const { rows } = await pool.query<Cells>(`select ${list} from ${schema}."${name}" ${where}`);
    found[name] = rows.map((row) => textOf(row, isExact)).sort();
  }
  return found;
}

/** Compares amounts without trailing zeros: a sum in Postgres keeps those of its addends, a sum in a file does not. */
function valueOf({ name, type }: Column): string {
  return type === 'numeric' ? `trim_scale("${name}")` : `"${name}"`;
}

function textOf(row: Cells, isExact: boolean): string {
  const cells = Object.entries(row).map(([name, text]) => `${name} ${isExact ? text : text?.replaceAll(SEALED, '')}`);
  return cells.join('\n');
}
