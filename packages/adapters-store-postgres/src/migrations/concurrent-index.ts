import type { Pool, PoolClient } from 'pg';
import { borrowed } from '../database.js';
import { InstallationError } from '../errors.js';
import type { Migration } from './migrations.js';
import type { Patience } from './patience.js';

/** A migration that creates or drops one index while its table is in use. */
interface ConcurrentIndex {
  readonly kind: 'create' | 'drop';
  /** The qualified and quoted name of the index. */
  readonly name: string;
  /** The table; null for a drop, whose statement does not contain it. */
  readonly table: string | null;
  /** The statement without `concurrently`, which is faster if the table is empty. */
  readonly inTransaction: string;
}

const STATEMENT =
  /^(?:--[^\n]*\n)*(create|drop) (?:unique )?index concurrently (?:if (?:not )?exists )?(\S+?)(?: on (\S+) |;?\s*$)/i;

/** Returns null for a migration that runs in a transaction. */
export function concurrentIndex(sql: string): ConcurrentIndex | null {
  const [, kind, index = '', table] = STATEMENT.exec(sql) ?? [];
  if (kind === undefined) return null;
  const schema = table?.slice(0, table.indexOf('.'));
  return {
    kind: kind.toLowerCase() === 'create' ? 'create' : 'drop',
    // A new index is in the schema of its table and its name is not qualified.
    name: index.includes('.') || schema === undefined ? index : `${schema}.${index}`,
    table: table ?? null,
    inTransaction: sql.replace(/\bindex concurrently\b/i, 'index'),
  };
}

/** Whether the statement can run in a transaction: on a table without rows it takes milliseconds. */
export async function onEmptyTable(client: PoolClient, { name, table }: ConcurrentIndex): Promise<boolean> {
  const { rows } = await client.query<{ is_empty: boolean }>(
    `select coalesce(pg_relation_size(coalesce(to_regclass($1), (select indrelid from pg_index where indexrelid = to_regclass($2)))), 0) = 0 as is_empty`,
    [table, name],
  );
  return rows[0]?.is_empty === true;
}

interface Place {
  readonly pool: Pool;
  /** Is in a transaction that holds only the lock of migrations. */
  readonly client: PoolClient;
}

/**
 * Runs on a second connection, since the first holds the lock that keeps other processes from migrating. The statement takes no lock that
 * requests wait for, so it may wait as long as necessary for transactions that were open before it.
 */
export async function runConcurrently(
  { pool, client }: Place,
  migration: Migration,
  index: ConcurrentIndex,
  patience: Patience,
): Promise<void> {
  if (pool.options.max < 2) {
    throw new InstallationError(
      `The migration "${migration.name}" changes a table in use and needs two connections, but the pool has one. Pass a larger pool to "migrate", or run "gate migrate".`,
    );
  }
  await client.query('set local idle_in_transaction_session_timeout = 0');
  const worker = await borrowed(pool);
  const stop = patience.reportWhile(`Migration "${migration.name}" is running`);
  try {
    const state = await stateOf(worker, index);
    if (index.kind === 'create' && state === 'invalid') await worker.query(`drop index concurrently ${index.name}`);
    if (index.kind === 'drop' || state !== 'valid') await worker.query(migration.sql);
    worker.release();
  } catch (error) {
    worker.release(true);
    throw error;
  } finally {
    await stop();
  }
}

/** A failed or interrupted build leaves an invalid index. */
async function stateOf(worker: PoolClient, { name }: ConcurrentIndex): Promise<'absent' | 'invalid' | 'valid'> {
  const { rows } = await worker.query<{ is_valid: boolean }>(
    'select indisvalid as is_valid from pg_index where indexrelid = to_regclass($1)',
    [name],
  );
  if (rows[0] === undefined) return 'absent';
  return rows[0].is_valid ? 'valid' : 'invalid';
}
