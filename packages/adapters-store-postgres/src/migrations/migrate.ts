import type { Pool, PoolClient } from 'pg';
import { borrowed, checkSchema, DEFAULT_SCHEMA } from '../database.js';
import { applied, missingOf, historyIsReady, namesAreMissing, prepareHistory, record } from './applied.js';
import { InstallationError } from '../errors.js';
import { concurrentIndex, onEmptyTable, runConcurrently } from './concurrent-index.js';
import { LOCK_WAIT_MS, Patience, type WaitOptions } from './patience.js';
import { migrations, USABLE_FROM, type Migration } from './migrations.js';

/** The schema, and the progress callback. */
export interface MigrateOptions extends WaitOptions {
  /** The schema of the tables; created if it does not exist. `gateramp` by default. */
  readonly schema?: string;
}

/** The migrations of one version, and the versions that can still start after them. */
export interface Target {
  readonly known: readonly Migration[];
  /** The number of migrations that a version must know to start on this database afterwards. */
  readonly usableFrom: number;
  /** The table that records them; `migrations` by default. */
  readonly history?: string;
}

/**
 * Brings the schema up to date while processes of the previous version serve requests. Safe when many processes start at once: one migrates
 * while the others wait. Returns the names of the migrations it ran.
 *
 * - Each migration runs in its own transaction, so a failed one has no effect, and the next call continues with it.
 * - A migration waits a quarter of a second for a lock, then lets waiting statements proceed and tries again.
 * - Indexes of tables with rows are created and dropped `concurrently`. An interrupted build is repeated.
 * - If there is nothing to do, it only reads.
 *
 * Throws an `InstallationError` if other software has migrated the schema, or a version more than one release newer than this one, and
 * before the first table if the encoding of the database is not UTF-8.
 */
export async function migrate(pool: Pool, options: MigrateOptions = {}): Promise<readonly string[]> {
  const schema = checkSchema(options.schema ?? DEFAULT_SCHEMA);
  return migrateTo({ known: migrations(schema), usableFrom: USABLE_FROM }, pool, schema, options);
}

/** Migrates the schema to the version `target`. */
export async function migrateTo(
  target: Target,
  pool: Pool,
  schema: string,
  options: WaitOptions = {},
): Promise<readonly string[]> {
  const history = `"${schema}".${target.history ?? 'migrations'}`;
  const done = await applied(pool, history);
  if (missingOf(target.known, done, schema).length === 0 && !namesAreMissing(target.known, done)) return [];
  const client = await borrowed(pool);
  const ran: string[] = [];
  const run = { target, pool, client, schema, history };
  try {
    await refuseOtherEncodings(client);
    if (!(await historyIsReady(client, history, target.known, done)))
      await untilDone(run, options, () => prepareHistory(client, schema, history, target.known));
    for (;;) {
      const name = await untilDone(run, options, (patience) => runNext(run, patience));
      if (name === null) break;
      ran.push(name);
    }
    client.release();
    return ran;
  } catch (error) {
    // A connection in an unknown state is not reused.
    client.release(true);
    throw error;
  }
}

/** Other encodings refuse or change characters of names and addresses, once the first one comes. */
async function refuseOtherEncodings(client: PoolClient): Promise<void> {
  const { rows } = await client.query<{ name: string; encoding: string }>(
    `select current_database() as name, current_setting('server_encoding') as encoding`,
  );
  const [{ name, encoding } = { name: '', encoding: 'UTF8' }] = rows;
  if (encoding === 'UTF8') return;
  throw new InstallationError(
    `The database "${name}" has the encoding ${encoding}, and Gateramp needs UTF-8. Create another one: create database gateramp template template0 encoding 'UTF8'`,
  );
}

interface Run {
  readonly target: Target;
  readonly pool: Pool;
  readonly client: PoolClient;
  readonly schema: string;
  /** The qualified name of the table of applied migrations. */
  readonly history: string;
}

/** Repeats `work`, in a transaction that holds the lock of migrations, until no other lock blocks it. */
async function untilDone<Value>(
  { client, schema }: Run,
  options: WaitOptions,
  work: (patience: Patience) => Promise<Value>,
): Promise<Value> {
  const patience = new Patience(client, schema, options);
  for (;;) {
    await client.query(`begin; set local lock_timeout = ${LOCK_WAIT_MS}`);
    try {
      if (await isOurTurn(client, schema)) {
        const value = await work(patience);
        await client.query('commit');
        return value;
      }
      await patience.giveTurn();
    } catch (error) {
      await patience.giveWay(error);
    }
  }
}

/** Runs the first missing migration and returns its name; null if none is missing. */
async function runNext({ target, pool, client, schema, history }: Run, patience: Patience): Promise<string | null> {
  const [next] = missingOf(target.known, await applied(client, history), schema);
  if (next === undefined) return null;
  const index = concurrentIndex(next.sql);
  if (index === null) await client.query(next.sql);
  else if (await onEmptyTable(client, index)) await client.query(index.inTransaction);
  else await runConcurrently({ pool, client }, next, index, patience);
  await record(client, history, next, target.usableFrom);
  return next.name;
}

/** Polled: a statement that waits for the lock would hold a snapshot that a concurrent index build waits for. */
async function isOurTurn(client: PoolClient, schema: string): Promise<boolean> {
  const { rows } = await client.query<{ ours: boolean }>(
    'select pg_try_advisory_xact_lock(hashtextextended($1, 0)) as ours',
    [`${schema}/migrate`],
  );
  return rows[0]?.ours === true;
}
