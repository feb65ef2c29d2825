import type { Mode } from '@gateramp/core';
import type { Delivery, Session, Task } from '@gateramp/core/domain';
import { DUE_TASKS_MAX, type UnfinishedWork } from '@gateramp/core/ports';
import type { QueryResultRow } from 'pg';
import type { Statement } from '../database.js';
import { deliveryOfRow } from '../delivery-row.js';
import { withLease, type LeaseColumns } from './deliveries.js';
import { parseRow, type RowText } from './row-by-key.js';

/** A queued delivery, with its lease. */
export interface QueuedRow extends RowText, LeaseColumns {
  readonly id: string;
  readonly partner_id: string;
  readonly event_id: string;
  readonly event_type: string;
  readonly created_at: string;
}

/** A task, with its lease. */
export interface TaskRow extends RowText, LeaseColumns {}

/** Runs a statement that reads the head of an index, in the order of that index. */
export type ReadHead = <Row extends QueryResultRow>(statement: Statement) => Promise<readonly Row[]>;

/**
 * Statistics from before a backlog make the planner expect a few rows, of which it would read and sort all. Without these scans and sorts,
 * only the order of an index is left.
 */
export const IN_INDEX_ORDER =
  '; set local enable_bitmapscan = off; set local enable_seqscan = off; set local enable_sort = off';

/** Of tasks, which have no column of their partner where tables are not distributed. */
export const OF_PARTNERS = " and row ->> 'partnerId' = any($3::text[])";

/** The operators' reads of what is not done. Reads the queue and the indexes of unfinished tasks, never what has ended. */
export function unfinishedWork(readHead: ReadHead, schema: string): UnfinishedWork {
  const queued = (
    which: string,
  ): string => `select d.id, d.partner_id, d.event_id, d.event_type, d.created_at, d.row::text as row,
      q.lease_token, q.lease_until, q.claims
    from "${schema}".lanes_of($1) as l(lane)
    cross join lateral (
      select id, partner_id, due_at, lease_token, lease_until, claims from "${schema}".delivery_queue
      where lane = l.lane and ${which} order by due_at, id limit $2) q
    cross join lateral (
      select * from "${schema}".deliveries where partner_id = q.partner_id and mode = $1 and id = q.id limit 1) d
    order by q.due_at, q.id`;
  // Its endpoint in a lane, as `laneEndpoint` has it; it contains the mode. A type of event has no slash.
  const ofPartner = queued(`endpoint = $3 || '/' || $1 || '/' ||
        case when l.lane like 'consumer:%' then regexp_replace(l.lane, '/[^/]*$', '') else 'webhook' end`);
  const ofAll = queued('mode = $1');
  // However much is due, only the head of it is looked at.
  const oldest = `with due as materialized (
      select id, free_at, row ->> 'kind' as kind from "${schema}".tasks
      where mode = $1 and free_at is not null and free_at <= $2 order by free_at, id limit ${DUE_TASKS_MAX + 1}),
    heads as (select distinct on (kind) id, free_at from due order by kind, free_at, id)
    select t.row::text as row, t.lease_token, t.lease_until, t.claims, (select count(*) > ${DUE_TASKS_MAX} from due) as has_more
    from heads h cross join lateral (select * from "${schema}".tasks where id = h.id limit 1) t order by h.free_at, h.id`;
  // Each branch is read from the head of an index of its own; a failed task may be overdue too.
  const columns = 'id, row::text as row, lease_token, lease_until, claims';
  const stuck = `select row, lease_token, lease_until, claims from (
      select distinct on (id) * from (
        (select ${columns} from "${schema}".tasks where mode = $1 and free_at is null and done_at is null order by id limit $3)
        union all
        (select ${columns} from "${schema}".tasks
          where mode = $1 and free_at is not null and (row ->> 'failures')::int > 0 order by id limit $3)
        union all
        (select ${columns} from "${schema}".tasks
          where mode = $1 and free_at is not null and free_at < $2 order by free_at, id limit $3)) found
      order by id) stuck
    order by id limit $3`;
  // Work is parked so rarely that the tasks of other partners may be read in between.
  const parked = (which: string): string => `select row::text as row, lease_token, lease_until, claims
    from "${schema}".tasks where mode = $1 and free_at is null and done_at is null${which} order by id limit $2`;
  const dead = `select (select count(*)::int from (
      select from "${schema}".deliveries d where d.partner_id collate "POSIX" = s.partner_id and d.mode = s.mode and d.kind = 'dead_lettered'
      limit $3) counted) as count
    from unnest($1::text[], $2::text[]) with ordinality as s(partner_id, mode, nth) order by s.nth`;
  // The order of creation is that of an index; since when a session is held is in its row, and an index over rows would cost every update.
  const held = `select row::text as row from (
      select id, row from "${schema}".sessions where mode = $1 and is_held order by id limit $2) first
    order by (row ->> 'heldSince')::bigint, id`;
  return {
    queuedDeliveries: async (mode, perLane, partnerId = null) => {
      const [text, values] = partnerId === null ? [ofAll, [mode, perLane]] : [ofPartner, [mode, perLane, partnerId]];
      return (await readHead<QueuedRow>({ text, values })).map((row) => queuedOf(mode, row));
    },
    oldestTasks: async (mode, now) => {
      const found = await readHead<TaskRow & { readonly has_more: boolean }>({ text: oldest, values: [mode, now] });
      return { tasks: found.map(taskOf), hasMore: found[0]?.has_more ?? false };
    },
    stuckTasks: async (mode, dueBefore, limit) =>
      (await readHead<TaskRow>({ text: stuck, values: [mode, dueBefore, limit] })).map(taskOf),
    parkedTasks: async (mode, limit, partnerIds = null) => {
      const text = parked(partnerIds === null ? '' : OF_PARTNERS);
      const values = partnerIds === null ? [mode, limit] : [mode, limit, partnerIds];
      return (await readHead<TaskRow>({ text, values })).map(taskOf);
    },
    countDeadLetters: async (scopes, limit) => {
      const values = [scopes.map(({ partnerId }) => partnerId), scopes.map(({ mode }) => mode), limit];
      return (await readHead<{ count: number }>({ text: dead, values })).map(({ count }) => count);
    },
    heldSessions: async (mode, limit) =>
      (await readHead<RowText>({ text: held, values: [mode, limit] })).map((row) => parseRow<Session>(row)),
  };
}

/** The delivery of a row. */
export function queuedOf(mode: Mode, row: QueuedRow): Delivery {
  const { id, partner_id: partnerId, event_id: eventId, event_type: eventType, created_at: createdAt } = row;
  const columns = { id, eventId, eventType, partnerId, mode, createdAt: Number(createdAt) };
  return withLease(deliveryOfRow(columns, row.row), row);
}

/** The task of a row. */
export function taskOf(row: TaskRow): Task {
  return withLease(parseRow<Task>(row), row);
}
