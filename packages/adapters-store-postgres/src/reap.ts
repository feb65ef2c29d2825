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
  const keys = `with old as materialized (
      select scope, key_hash from "${schema}".idempotency_keys where mode = $1 and expires_at <= $2
      order by expires_at limit $3 for update skip locked),
    gone as (
      delete from "${schema}".idempotency_keys k using old where k.scope = old.scope and k.key_hash = old.key_hash returning 1)
    select count(*)::int as deleted from gone`;
  const documents = `with old as materialized (
      select partner_id, mode, noun, id from "${schema}".documents where mode = $1 and keep_until < $2
      order by keep_until limit $3 for update skip locked),
    gone as (
      delete from "${schema}".documents d using old
      where d.partner_id = old.partner_id and d.mode = old.mode and d.noun = old.noun and d.id = old.id returning 1)
    select count(*)::int as deleted from gone`;
  const deliveries = `with old as materialized (
      select partner_id, mode, id from "${schema}".deliveries where mode collate "POSIX" = $1 and created_at <= $2 and ended_at <= $2
      order by created_at limit $3 for update skip locked),
    gone as (
      delete from "${schema}".deliveries d using old where d.partner_id = old.partner_id and d.mode = old.mode and d.id = old.id returning 1)
    select count(*)::int as deleted from gone`;
  const tasks = `with old as materialized (
      select id from "${schema}".tasks where mode = $1 and done_at <= $2 order by done_at limit $3 for update skip locked),
    gone as (delete from "${schema}".tasks t using old where t.id = old.id returning 1)
    select count(*)::int as deleted from gone`;
  const operations = `with old as materialized (
      select operation_id from "${schema}".sandbox_operations where operation->>'mode' = $1 and ended_at <= $2
      order by ended_at limit $3 for update skip locked),
    gone as (delete from "${schema}".sandbox_operations o using old where o.operation_id = old.operation_id returning 1)
    select count(*)::int as deleted from gone`;
  return async ({ mode, now, keepEnded, limit }) => {
    const kept = now - keepEnded;
    let deleted = 0;
    for (const [text, before] of [
      [keys, now],
      [documents, now],
      [deliveries, kept],
      [tasks, kept],
      [operations, kept],
    ] as const) {
      if (deleted >= limit) break;
      const [row] = await database.query<CountRow>(text, [mode, before, limit - deleted]);
      deleted += row?.deleted ?? 0;
    }
    return deleted;
  };
}

/** A vacuum costs about as much as recording a hundred results. */
const EVERY_RECORDED = 5_000;

/**
 * A draining queue leaves dead entries: every claim scans the index entries of everything claimed since the last vacuum, and
 * autovacuum runs at most once a minute. Recording therefore also runs vacuum. It blocks nothing, gives way to any other vacuum, and
 * without the required role only autovacuum runs.
 */
export function sweepUp(database: Database, schema: string): (recorded: number) => void {
  let sinceLast = 0;
  let isSweeping = false;
  return (recorded) => {
    sinceLast += recorded;
    if (sinceLast < EVERY_RECORDED || isSweeping) return;
    sinceLast = 0;
    isSweeping = true;
    database
      .query(`vacuum (skip_locked, truncate off) "${schema}".delivery_queue`, [])
      .catch(() => undefined)
      .finally(() => {
        isSweeping = false;
      });
  };
}
