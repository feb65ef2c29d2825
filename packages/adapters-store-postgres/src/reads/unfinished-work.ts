import type { Mode } from '@gateramp/core';
import type { Delivery, Session, Task } from '@gateramp/core/domain';
import type { UnfinishedWork } from '@gateramp/core/ports';
import type { Database } from '../database.js';
import { deliveryOfRow } from '../delivery-row.js';
import { withLease, type LeaseColumns } from './deliveries.js';
import { parseRow, type RowText } from './row-by-key.js';

export interface QueuedRow extends RowText, LeaseColumns {
  readonly id: string;
  readonly partner_id: string;
  readonly event_id: string;
  readonly event_type: string;
  readonly created_at: string;
}

export interface TaskRow extends RowText, LeaseColumns {}

/** The operators' reads of what is not done. Reads the queue and the indexes of unfinished tasks, never what has ended. */
export function unfinishedWork(database: Database, schema: string): UnfinishedWork {
  const queued = `select d.id, d.partner_id, d.event_id, d.event_type, d.created_at, d.row::text as row,
      q.lease_token, q.lease_until, q.claims
    from "${schema}".lanes_of($1) as l(lane)
    cross join lateral (
      select id, partner_id, due_at, lease_token, lease_until, claims from "${schema}".delivery_queue
      where mode = $1 and lane = l.lane and ($3::text is null or partner_id = $3) order by due_at, id limit $2) q
    join "${schema}".deliveries d on d.partner_id = q.partner_id and d.mode = $1 and d.id = q.id
    order by q.due_at, q.id`;
  const oldest = `select row, lease_token, lease_until, claims from (
      select distinct on (row ->> 'kind') row::text as row, lease_token, lease_until, claims, free_at, id from "${schema}".tasks
      where mode = $1 and free_at is not null and free_at <= $2 order by row ->> 'kind', free_at, id) heads
    order by free_at, id`;
  // Parked tasks have an index of their own; the union keeps the planner from reading finished ones.
  const stuck = `select row, lease_token, lease_until, claims from (
      (select id, row::text as row, lease_token, lease_until, claims from "${schema}".tasks
        where mode = $1 and free_at is null and done_at is null order by id limit $3)
      union all
      (select id, row::text as row, lease_token, lease_until, claims from "${schema}".tasks
        where mode = $1 and free_at is not null and (free_at < $2 or (row ->> 'failures')::int > 0) order by id limit $3)) found
    order by id limit $3`;
  const held = `select row::text as row from "${schema}".sessions
    where mode = $1 and is_held order by (row ->> 'heldSince')::bigint, id limit $2`;
  return {
    queuedDeliveries: async (mode, perLane, partnerId = null) =>
      (await database.query<QueuedRow>(queued, [mode, perLane, partnerId])).map((row) => queuedOf(mode, row)),
    oldestTasks: async (mode, now) => (await database.query<TaskRow>(oldest, [mode, now])).map(taskOf),
    stuckTasks: async (mode, dueBefore, limit) =>
      (await database.query<TaskRow>(stuck, [mode, dueBefore, limit])).map(taskOf),
    heldSessions: async (mode, limit) =>
      (await database.query<RowText>(held, [mode, limit])).map((row) => parseRow<Session>(row)),
  };
}

export function queuedOf(mode: Mode, row: QueuedRow): Delivery {
  const { id, partner_id: partnerId, event_id: eventId, event_type: eventType, created_at: createdAt } = row;
  const columns = { id, eventId, eventType, partnerId, mode, createdAt: Number(createdAt) };
  return withLease(deliveryOfRow(columns, row.row), row);
}

export function taskOf(row: TaskRow): Task {
  return withLease(parseRow<Task>(row), row);
}
