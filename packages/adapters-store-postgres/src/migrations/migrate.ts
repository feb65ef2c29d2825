import type { Pool, PoolClient } from 'pg';
import { borrowed, checkSchema, DEFAULT_SCHEMA } from '../database.js';
import { applied, missingOf, historyIsReady, namesAreMissing, prepareHistory, record } from './applied.js';
import { concurrentIndex, onEmptyTable, runConcurrently } from './concurrent-index.js';
import { LOCK_WAIT_MS, Patience, type WaitOptions } from './patience.js';
import { migrations, USABLE_FROM, type Migration } from './migrations.js';

/** Which schema is migrated, and who is notified while it waits. */
export interface MigrateOptions extends WaitOptions {
  /** Where the tables go; made if it is not there. `gateramp` by default. */
  readonly schema?: string;
}

/** The migrations of one version, and the versions that may still start once they have run. */
export interface Target {
  readonly known: readonly Migration[];
  /** The number of migrations that a version has to know to start on this database afterwards. */
  readonly usableFrom: number;
}

/**
 * Brings the schema up to date while processes of the previous version serve requests. Safe when many processes start at
 * once: one migrates, the others wait for it. Returns the names of the migrations it ran.
 *
 * - Each migration runs in a transaction of its own, so one that fails leaves nothing, and the next call goes on with it.
 * - A migration waits a quarter of a second for a lock, then gives way to everyone it has kept waiting and tries again.
 * - An index is built or dropped `concurrently` where its table has rows. A build that was cut off is repeated.
 * - Where there is nothing to do it only reads.
 *
 * Throws an `InstallationError` if something else has migrated the schema, or a version that is newer than the one that
 * follows this one.
 */
export async function migrate(pool: Pool, options: MigrateOptions = {}): Promise<readonly string[]> {
  const schema = checkSchema(options.schema ?? DEFAULT_SCHEMA);
  return migrateTo({ known: migrations(schema), usableFrom: USABLE_FROM }, pool, schema, options);
}

/** `target` is the version that the schema is brought to. */
export async function migrateTo(
  target: Target,
  pool: Pool,
  schema: string,
  options: WaitOptions = {},
): Promise<readonly string[]> {
  const done = await applied(pool, schema);
  if (missingOf(target.known, done, schema).length === 0 && !namesAreMissing(target.known, done)) return [];
  const client = await borrowed(pool);
  const ran: string[] = [];
  const run = { target, pool, client, schema };
  try {
    if (!(await historyIsReady(client, schema, target.known, done)))
      await untilDone(run, options, () => prepareHistory(client, schema, target.known));
    for (;;) {
      const name = await untilDone(run, options, (patience) => runNext(run, patience));
      if (name === null) break;
      ran.push(name);
    }
    client.release();
    return ran;
  } catch (error) {
    // A connection in an unknown state is not used again.
    client.release(true);
    throw error;
  }
}

interface Run {
  readonly target: Target;
  readonly pool: Pool;
  readonly client: PoolClient;
  readonly schema: string;
}

/** Repeats `work`, in a transaction that holds the lock of migrations, until no other lock was in its way. */
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

/** Runs the first migration that is missing and returns its name; null if none is. */
async function runNext({ target, pool, client, schema }: Run, patience: Patience): Promise<string | null> {
  const [next] = missingOf(target.known, await applied(client, schema), schema);
  if (next === undefined) return null;
  const index = concurrentIndex(next.sql);
  if (index === null) await client.query(next.sql);
  else if (await onEmptyTable(client, index)) await client.query(index.inTransaction);
  else await runConcurrently({ pool, client }, next, index, patience);
  await record(client, schema, next, target.usableFrom);
  return next.name;
}

/** Polled, because a statement that waits for it would hold a snapshot that a concurrent index build waits for. */
async function isOurTurn(client: PoolClient, schema: string): Promise<boolean> {
  const { rows } = await client.query<{ ours: boolean }>(
    'select pg_try_advisory_xact_lock(hashtextextended($1, 0)) as ours',
    [`${schema}/migrate`],
  );
  return rows[0]?.ours === true;
}
