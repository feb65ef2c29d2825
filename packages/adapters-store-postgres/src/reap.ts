import type { ReapRequest } from '@gateramp/core/ports';
import type { Database } from './database.js';

interface CountRow {
  readonly deleted: number;
}

/**
 * Deletes rows that can no longer be read: expired keys first, as they are many, then deliveries, tasks and sandbox operations that ended
 * long ago; documents as soon as they need not be kept. Locked rows are left for the next run, so reaping neither waits nor blocks. A batch
 * is selected once: as a subquery, some plans select again for every row, and find the next batch, until all rows are gone.
 */
export function reap(database: Database, schema: string): (request: ReapRequest) => Promise<number> {
  const kinds = [...OLD_ROWS, OLD_OPERATIONS].map((kind) => [kind.since, reapStatement(schema, kind, '')] as const);
  return (request) => reapKinds(database, kinds, request, []);
}

interface OldRows {
  readonly table: string;
  readonly key: readonly string[];
  /** A condition on the mode and the instant before which rows are old. */
  readonly isOld: string;
  readonly order: string;
  /** The instant: that of the request, or the one before which ended rows are not kept. */
  readonly since: 'now' | 'kept';
}

/** The kinds of rows that belong to a partner. */
export const OLD_ROWS: readonly OldRows[] = [
  {
    table: 'idempotency_keys',
    key: ['scope', 'key_hash'],
    isOld: 'mode = $1 and expires_at <= $2',
    order: 'expires_at',
    since: 'now',
  },
  {
    table: 'documents',
    key: ['partner_id', 'mode', 'noun', 'id'],
    isOld: 'mode = $1 and keep_until < $2',
    order: 'keep_until',
    since: 'now',
  },
  {
    table: 'deliveries',
    key: ['partner_id', 'mode', 'id'],
    isOld: 'mode collate "POSIX" = $1 and created_at <= $2 and ended_at <= $2',
    order: 'created_at',
    since: 'kept',
  },
  { table: 'tasks', key: ['id'], isOld: 'mode = $1 and done_at <= $2', order: 'done_at', since: 'kept' },
];

/** Not of a partner. */
export const OLD_OPERATIONS: OldRows = {
  table: 'sandbox_operations',
  key: ['operation_id'],
  isOld: `operation->>'mode' = $1 and ended_at <= $2`,
  order: 'ended_at',
  since: 'kept',
};

/** `ofShard` is a condition on the partner, or nothing. */
export function reapStatement(schema: string, { table, key, isOld, order }: OldRows, ofShard: string): string {
  return `with old as materialized (
      select ${key.join(', ')} from "${schema}".${table} where ${ofShard}${isOld} order by ${order} limit $3 for update skip locked),
    gone as (
      delete from "${schema}".${table} t using old
      where ${ofShard.replace('partner_id', 't.partner_id')}${key.map((column) => `t.${column} = old.${column}`).join(' and ')} returning 1)
    select count(*)::int as deleted from gone`;
}

/** Deletes old rows of these kinds, up to the limit of the request, and returns their number. */
export async function reapKinds(
  database: Database,
  kinds: readonly (readonly [since: OldRows['since'], statement: string])[],
  { mode, now, keepEnded, limit }: ReapRequest,
  partner: readonly string[],
): Promise<number> {
  let deleted = 0;
  for (const [since, statement] of kinds) {
    if (deleted >= limit) break;
    const before = since === 'now' ? now : now - keepEnded;
    const [row] = await database.query<CountRow>(statement, [mode, before, limit - deleted, ...partner]);
    deleted += row?.deleted ?? 0;
  }
  return deleted;
}

/** A vacuum costs about as much as recording a hundred results. */
const EVERY_RECORDED = 5_000;

/** The greatest share of the time spent in vacuums: while a transaction holds a snapshot, each reads more and removes nothing. */
const SHARE = 1 / 20;

/**
 * A draining queue leaves dead entries: every claim scans the index entries of everything claimed since the last vacuum, and
 * autovacuum runs at most once a minute. Recording therefore also runs vacuum. It blocks nothing, gives way to any other vacuum, and
 * without the required role only autovacuum runs.
 */
export function sweepUp(
  database: Database,
  schema: string,
  clock: () => number = () => performance.now(),
): (recorded: number) => void {
  let sinceLast = 0;
  let isSweeping = false;
  let restsUntil = -Infinity;
  return (recorded) => {
    sinceLast += recorded;
    const startedAt = clock();
    if (sinceLast < EVERY_RECORDED || isSweeping || startedAt < restsUntil) return;
    sinceLast = 0;
    isSweeping = true;
    database
      .query(`vacuum (skip_locked, truncate off) "${schema}".delivery_queue`, [])
      .catch(() => undefined)
      .finally(() => {
        const endedAt = clock();
        restsUntil = endedAt + (endedAt - startedAt) / SHARE;
        isSweeping = false;
      });
  };
}
