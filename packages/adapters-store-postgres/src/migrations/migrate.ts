import type { Pool, PoolClient } from 'pg';
import { borrowed } from '../database.js';
import { InstallationFault } from '../installation-fault.js';
import { checkSchema, DEFAULT_SCHEMA } from '../schema.js';
import { migrations, type Migration } from './migrations.js';

/** The schema that is migrated. */
export interface MigrateOptions {
  /** Where the tables go; made if it is not there. `gateramp` by default. */
  readonly schema?: string;
}

/**
 * Brings the schema up to date, each migration in a transaction of its own: one that fails leaves nothing, and the next
 * call goes on with it. Of two in one transaction the second would wait, with the locks of the first, for requests that
 * wait for those. Safe when many processes start at once, because they queue for a lock that lives in the transaction.
 * Where there is nothing to do it only reads: it waits for no lock, and a database user that may make nothing will do.
 * Returns the names of the migrations it ran. A schema that a newer version has migrated is an `InstallationFault`: what
 * this version would write may not be what that one expects.
 */
export async function migrate(pool: Pool, options: MigrateOptions = {}): Promise<readonly string[]> {
  const schema = checkSchema(options.schema ?? DEFAULT_SCHEMA);
  return migrateTo(migrations(schema), pool, schema);
}

/** `known` are all the migrations of the version that the schema is brought to. */
export async function migrateTo(known: readonly Migration[], pool: Pool, schema: string): Promise<readonly string[]> {
  if (await isUpToDate(known, pool, schema)) return [];
  const client = await borrowed(pool);
  const ran: string[] = [];
  try {
    for (;;) {
      const name = await runNext(known, client, schema);
      if (name === null) break;
      ran.push(name);
    }
    client.release();
    return ran;
  } catch (error) {
    // A connection in an unknown state goes back to nobody.
    client.release(true);
    throw error;
  }
}

async function isUpToDate(known: readonly Migration[], pool: Pool, schema: string): Promise<boolean> {
  const { rows } = await pool.query<{ is_there: boolean }>('select to_regclass($1) is not null as is_there', [
    `"${schema}".migrations`,
  ]);
  return rows[0]?.is_there === true && (await missingOf(known, pool, schema)).length === 0;
}

/** The name of the first that was missing; null if none was. */
async function runNext(known: readonly Migration[], client: PoolClient, schema: string): Promise<string | null> {
  await client.query('begin');
  await client.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`${schema}/migrate`]);
  await client.query(`create schema if not exists "${schema}"`);
  await client.query(
    `create table if not exists "${schema}".migrations (number int primary key, name text not null, applied_at timestamptz not null default now())`,
  );
  const [next] = await missingOf(known, client, schema);
  if (next !== undefined) {
    await client.query(next.sql);
    await client.query(`insert into "${schema}".migrations (number, name) values ($1, $2)`, [next.number, next.name]);
  }
  await client.query('commit');
  return next?.name ?? null;
}

async function missingOf(
  known: readonly Migration[],
  database: Pool | PoolClient,
  schema: string,
): Promise<readonly Migration[]> {
  const { rows } = await database.query<{ number: number }>(`select number from "${schema}".migrations`);
  const done = new Set(rows.map(({ number }) => number));
  const newest = Math.max(0, ...done);
  if (newest > known.length) {
    throw new InstallationFault(
      `The schema "${schema}" is of a newer version of Gateramp: it has migration ${newest}, and this version knows ${known.length}. ` +
        'Start that version, or restore a backup from before it was first started.',
    );
  }
  return known.filter(({ number }) => !done.has(number));
}
