import { setTimeout as rest } from 'node:timers/promises';
import type { Pool, PoolClient } from 'pg';
import { borrowed } from '../database.js';
import { InstallationError } from '../errors.js';
import { LOCK_WAIT_MS, Patience, type WaitOptions } from '../migrations/patience.js';

/** A change of partitions under way: no migration and no other such change runs at the same time. */
export interface PartitionWork {
  readonly client: PoolClient;
  readonly schema: string;
  readonly onProgress: (line: string) => void;
  /** Runs short statements in one transaction, which waits a quarter of a second for its locks, gives way and tries again. */
  readonly briefly: <Value>(statements: (client: PoolClient) => Promise<Value>) => Promise<Value>;
}

const TURN_MS = 100;
const TURNS_MAX = 100;

/** The lock is held by a transaction of its own that does nothing else, so neither a proxy nor a long statement loses it. */
export async function withPartitionWork<Value>(
  pool: Pool,
  schema: string,
  options: WaitOptions,
  work: (work: PartitionWork) => Promise<Value>,
): Promise<Value> {
  const holder = await borrowed(pool);
  try {
    await holder.query('begin; set local idle_in_transaction_session_timeout = 0');
    await takeTurn(holder, schema);
    const client = await borrowed(pool);
    try {
      const done = await work({
        client,
        schema,
        onProgress: options.onProgress ?? (() => undefined),
        briefly: (statements) => briefly(client, schema, options, statements),
      });
      client.release();
      return done;
    } catch (error) {
      // A connection in an unknown state is not reused.
      client.release(true);
      throw error;
    }
  } finally {
    await holder.query('rollback').catch(() => undefined);
    holder.release();
  }
}

async function takeTurn(holder: PoolClient, schema: string): Promise<void> {
  for (let turn = 0; turn < TURNS_MAX; turn += 1) {
    const { rows } = await holder.query<{ ours: boolean }>(
      'select pg_try_advisory_xact_lock(hashtextextended($1, 0)) as ours',
      [`${schema}/migrate`],
    );
    if (rows[0]?.ours === true) return;
    await rest(TURN_MS);
  }
  throw new InstallationError(
    `Another process is migrating or partitioning the schema "${schema}". Try again when it has ended.`,
  );
}

async function briefly<Value>(
  client: PoolClient,
  schema: string,
  options: WaitOptions,
  statements: (client: PoolClient) => Promise<Value>,
): Promise<Value> {
  const patience = new Patience(client, schema, options);
  for (;;) {
    await client.query(`begin; set local lock_timeout = ${LOCK_WAIT_MS}`);
    try {
      const value = await statements(client);
      await client.query('commit');
      return value;
    } catch (error) {
      await patience.giveWay(error);
    }
  }
}
