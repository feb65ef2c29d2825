import type { Pool, PoolClient } from 'pg';
import { borrowed } from '../database.js';
import { InstallationError } from '../errors.js';
import type { Migration } from './migrations.js';
import type { Patience } from './patience.js';

/** A migration that builds or drops one index while its table is in use. */
interface ConcurrentIndex {
  readonly kind: 'create' | 'drop';
  /** Of the index, qualified and quoted. */
  readonly name: string;
  /** Of the table; null for a drop, which does not name it. */
  readonly table: string | null;
  /** The statement without `concurrently`: the quicker way where the table is empty. */
  readonly inTransaction: string;
}

const STATEMENT =
  /^(?:--[^\n]*\n)*(create|drop) (?:unique )?index concurrently (?:if (?:not )?exists )?(\S+?)(?: on (\S+) |;?\s*$)/i;

/** Null for a migration that runs in a transaction. */
export function concurrentIndex(sql: string): ConcurrentIndex | null {
  const [, kind, index = '', table] = STATEMENT.exec(sql) ?? [];
  if (kind === undefined) return null;
  const schema = table?.slice(0, table.indexOf('.'));
  return {
    kind: kind.toLowerCase() === 'create' ? 'create' : 'drop',
    // A new index has its table's schema and is named without one.
    name: index.includes('.') || schema === undefined ? index : `${schema}.${index}`,
    table: table ?? null,
    inTransaction: sql.replace(/\bindex concurrently\b/i, 'index'),
  };
}

/** Whether the statement may as well run in a transaction: on a table without rows it takes milliseconds. */
export async function onEmptyTable(client: PoolClient, { name, table }: ConcurrentIndex): Promise<boolean> {
  const { rows } = await client.query<{ is_empty: boolean }>(
    `select coalesce(pg_relation_size(coalesce(to_regclass($1), (select indrelid from pg_index where indexrelid = to_regclass($2)))), 0) = 0 as is_empty`,
    [table, name],
  );
  return rows[0]?.is_empty === true;
}

interface Place {
  readonly pool: Pool;
  /** In a transaction that holds the lock of migrations, and no other. */
  readonly client: PoolClient;
}

/**
 * On a second connection, since the first holds the lock that keeps other processes from doing the same. The statement
 * takes no lock that requests wait for, so it may wait itself for as long as it has to: for transactions that were open
 * before it.
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

/** A build that failed or was cut off leaves an index that is not valid. */
async function stateOf(worker: PoolClient, { name }: ConcurrentIndex): Promise<'absent' | 'invalid' | 'valid'> {
  const { rows } = await worker.query<{ is_valid: boolean }>(
    'select indisvalid as is_valid from pg_index where indexrelid = to_regclass($1)',
    [name],
  );
  if (rows[0] === undefined) return 'absent';
  return rows[0].is_valid ? 'valid' : 'invalid';
}
