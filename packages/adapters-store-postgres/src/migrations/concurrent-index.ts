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
    `select coalesce((select sum(pg_relation_size(relid)) from pg_partition_tree(t.oid)), pg_relation_size(t.oid), 0) = 0 as is_empty
     from (select coalesce(to_regclass($1), (select indrelid from pg_index where indexrelid = to_regclass($2))) as oid) t`,
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
  const { rows } = await worker.query<{ pid: number }>('select pg_backend_pid() as pid');
  const stop = patience.reportWhile(`Migration "${migration.name}" is running`, rows[0]?.pid ?? 0);
  try {
    for (const one of await onEachPartition(worker, index, migration.sql)) {
      const state = await stateOf(worker, one.index);
      if (index.kind === 'create' && state === 'invalid')
        await worker.query(`drop index concurrently ${one.index.name}`);
      if (index.kind === 'drop' || state !== 'valid') await worker.query(one.sql);
    }
    worker.release();
  } catch (error) {
    worker.release(true);
    throw error;
  } finally {
    await stop();
  }
}

interface Step {
  readonly index: ConcurrentIndex;
  readonly sql: string;
}

/**
 * Postgres neither creates nor drops an index of a partitioned table concurrently, so each partition gets one of its own; partitions that
 * are made later copy it. One that is dropped has a name of its own on each partition, and is found by its definition.
 */
async function onEachPartition(worker: PoolClient, index: ConcurrentIndex, sql: string): Promise<readonly Step[]> {
  const { name, table } = index;
  if (index.kind === 'create' && table !== null) {
    const { rows } = await worker.query<{ leaf: string; suffix: string }>(
      `select format('%I.%I', n.nspname, c.relname) as leaf, c.relname as suffix from pg_partition_tree(to_regclass($1)) t
       join pg_class c on c.oid = t.relid join pg_namespace n on n.oid = c.relnamespace where t.isleaf order by 2`,
      [table],
    );
    if (rows.length === 0) return [{ index, sql }];
    const simple = name.slice(name.lastIndexOf('.') + 1);
    return rows.map(({ leaf, suffix }) => ({
      index: { ...index, name: `${name}_${suffix}`, table: leaf },
      sql: sql.replace(`${simple} on ${table} `, `${simple}_${suffix} on ${leaf} `),
    }));
  }
  const { rows } = await worker.query<{ twin: string }>(
    `select format('%I.%I', n.nspname, c.relname) as twin from pg_index o
     join pg_inherits i on i.inhrelid = o.indrelid join pg_inherits j on j.inhparent = i.inhparent
     join pg_index s on s.indrelid = j.inhrelid and s.indkey::text = o.indkey::text and s.indclass::text = o.indclass::text
       and s.indcollation::text = o.indcollation::text and s.indisunique = o.indisunique
       and pg_get_expr(s.indexprs, s.indrelid) is not distinct from pg_get_expr(o.indexprs, o.indrelid)
       and pg_get_expr(s.indpred, s.indrelid) is not distinct from pg_get_expr(o.indpred, o.indrelid)
     join pg_class c on c.oid = s.indexrelid join pg_namespace n on n.oid = c.relnamespace
     where o.indexrelid = to_regclass($1)
     -- The one that was named goes last: if this is interrupted, the others are still found by it.
     order by s.indexrelid = o.indexrelid, 1`,
    [name],
  );
  if (rows.length === 0) return [{ index, sql }];
  return rows.map(({ twin }) => ({
    index: { ...index, name: twin },
    sql: `drop index concurrently if exists ${twin}`,
  }));
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
