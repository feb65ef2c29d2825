import type { Pool, PoolClient } from 'pg';
import { InstallationError } from '../errors.js';
import type { Migration } from './migrations.js';

/** An applied migration, as recorded. Other tools and earlier versions wrote fewer columns. */
interface AppliedMigration {
  readonly number: number;
  readonly name?: string | null;
  /** The number of migrations that a version must know to start here, as decided by the version that ran this one. */
  readonly usable_from?: number | null;
}

/** The migrations of the table `history`, which is qualified. */
export async function applied(database: Pool | PoolClient, history: string): Promise<readonly AppliedMigration[]> {
  const { rows: found } = await database.query<{ is_there: boolean }>(
    'select to_regclass($1) is not null as is_there',
    [history],
  );
  if (found[0]?.is_there !== true) return [];
  const { rows } = await database.query<{ row: AppliedMigration }>(
    `select to_jsonb(m) as row from ${history} m order by number`,
  );
  return rows.map(({ row }) => row);
}

/** The migrations of `known` that have not run. Throws if this version cannot work with the schema. */
export function missingOf(
  known: readonly Migration[],
  done: readonly AppliedMigration[],
  schema: string,
): readonly Migration[] {
  for (const { number, name } of done) {
    const expected = known[number - 1];
    if (expected === undefined || name === undefined || name === null || name === '' || name === expected.name)
      continue;
    throw new InstallationError(
      `The schema "${schema}" was migrated by different software or an unreleased version: its migration ${number} is "${name}", but this version has "${expected.name}". ` +
        'Check that the database and schema are the right ones. Drop the schema if its data is not needed, or use another schema.',
    );
  }
  const newest = Math.max(0, ...done.map(({ number }) => number));
  if (newest > known.length) refuseUnlessUsable(known.length, newest, done, schema);
  const numbers = new Set(done.map(({ number }) => number));
  return known.filter(({ number }) => !numbers.has(number));
}

/** One version back is allowed: tables of the next version also serve this one. */
function refuseUnlessUsable(known: number, newest: number, done: readonly AppliedMigration[], schema: string): void {
  const marks = done.flatMap(({ usable_from: from }) => (from === undefined || from === null ? [] : [from]));
  const usableFrom = done.some(({ number, usable_from: from }) => number > known && (from ?? null) === null)
    ? Infinity
    : Math.max(...marks);
  if (known >= usableFrom) return;
  throw new InstallationError(
    `The schema "${schema}" belongs to a newer version of Gateramp: it has migration ${newest}, but this version only knows ${known}. ` +
      'A database supports only the version directly before its own. Start the newer version, or restore a backup from before it was first started.',
  );
}

/** Creates the table of applied migrations, with the columns of this version and a name in every row. */
export async function prepareHistory(
  client: PoolClient,
  schema: string,
  history: string,
  known: readonly Migration[],
): Promise<void> {
  await client.query(`create schema if not exists "${schema}"`);
  await client.query(
    `create table if not exists ${history} (number int primary key, name text not null, applied_at timestamptz not null default now())`,
  );
  const columns = await historyColumns(client, history);
  for (const [name, type] of Object.entries(COLUMNS))
    if (!columns.has(name)) await client.query(`alter table ${history} add column ${name} ${type}`);
  await client.query(
    `update ${history} m set name = k.name from unnest($1::int[], $2::text[]) as k(number, name)
     where m.number = k.number and coalesce(m.name, '') = ''`,
    [known.map(({ number }) => number), known.map(({ name }) => name)],
  );
}

/** Whether the table of applied migrations has the columns of this version and a name in every row. */
export async function historyIsReady(
  client: PoolClient,
  history: string,
  known: readonly Migration[],
  done: readonly AppliedMigration[],
): Promise<boolean> {
  const columns = await historyColumns(client, history);
  return Object.keys(COLUMNS).every((name) => columns.has(name)) && !namesAreMissing(known, done);
}

/** Added if an earlier version or another tool created the table. */
const COLUMNS = { name: 'text', usable_from: 'int' } as const;

async function historyColumns(client: PoolClient, history: string): Promise<ReadonlySet<string>> {
  const { rows } = await client.query<{ name: string }>(
    'select attname as name from pg_attribute where attrelid = to_regclass($1) and attnum > 0 and not attisdropped',
    [history],
  );
  return new Set(rows.map(({ name }) => name));
}

export async function record(
  client: PoolClient,
  history: string,
  { number, name }: Migration,
  usableFrom: number,
): Promise<void> {
  await client.query(`insert into ${history} (number, name, usable_from) values ($1, $2, $3)`, [
    number,
    name,
    usableFrom,
  ]);
}

/** Whether rows lack a name, as written by tools that only record numbers. */
export function namesAreMissing(known: readonly Migration[], done: readonly AppliedMigration[]): boolean {
  return done.some(({ number, name }) => number <= known.length && (name ?? '') === '');
}
