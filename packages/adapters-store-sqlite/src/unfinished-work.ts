import { type Delivery, type Lane, laneEndpoint, type Mode, type Session, type Task } from '@gateramp/core/domain';
import { DUE_TASKS_MAX, type UnfinishedWork } from '@gateramp/core/ports';
import type { SqliteDatabase } from './database.js';
import { parsed } from './rows.js';

interface RowText {
  readonly row: string;
}

/** The operators' reads of what is not done. */
export function unfinishedWork({ connection }: Pick<SqliteDatabase, 'connection'>): UnfinishedWork {
  /** A lease moves `free_at` away from the due time. Few deliveries of an endpoint are leased, so these are all compared. */
  const ofEndpoint = (mode: Mode, lane: Lane, endpoint: string, limit: number): readonly RowText[] =>
    connection().all<RowText>(
      `select row from (
         select * from (
           select id, row from deliveries indexed by deliveries_due
           where mode = ? and lane = ? and endpoint = ? and free_at is not null order by free_at, id limit ?)
         union
         select id, row from deliveries indexed by deliveries_leased where mode = ? and lane = ? and endpoint = ? and lease_token is not null)
       order by row ->> 'dueAt', id limit ?`,
      ...[mode, lane, endpoint, limit, mode, lane, endpoint, limit],
    );
  return {
    queuedDeliveries: async (mode, perLane, partnerId = null) => {
      const inLane = (lane: Lane): readonly RowText[] =>
        partnerId === null
          ? connection().all<RowText>(
              `select row from deliveries where mode = ? and lane = ? and free_at is not null order by row ->> 'dueAt', id limit ?`,
              ...[mode, lane, perLane],
            )
          : ofEndpoint(mode, lane, laneEndpoint({ partnerId, mode }, lane), perLane);
      return connection()
        .all<{ lane: Lane }>('select distinct lane from queue_heads where mode = ?', mode)
        .flatMap(({ lane }) => inLane(lane))
        .map((row) => parsed<Delivery>(row))
        .toSorted((one, other) => (one.dueAt ?? 0) - (other.dueAt ?? 0) || (one.id < other.id ? -1 : 1));
    },
    // Of each group SQLite returns the row that has the minimum.
    oldestTasks: async (mode, now) => {
      const found = connection().all<RowText & { readonly due: number }>(
        `with due as materialized (
           select id, row ->> 'kind' as kind, free_at from tasks where mode = ? and free_at is not null and free_at <= ?
           order by free_at, id limit ${DUE_TASKS_MAX + 1})
         select t.row, (select count(*) from due) as due from (select id, kind, min(free_at) as since from due group by kind) heads
         join tasks t using (id) order by since, id`,
        ...[mode, now],
      );
      return { tasks: found.map((row) => parsed<Task>(row)), hasMore: (found[0]?.due ?? 0) > DUE_TASKS_MAX };
    },
    stuckTasks: async (mode, dueBefore, limit) =>
      connection()
        .all<RowText>(
          `select row from (
             select * from (select id, row from tasks where mode = ? and free_at is null and done_at is null order by id limit ?)
             union
             select * from (
               select id, row from tasks where mode = ? and free_at is not null and row ->> 'failures' > 0 order by id limit ?)
             union
             select * from (
               select id, row from tasks where mode = ? and free_at is not null and free_at < ? order by free_at, id limit ?))
           order by id limit ?`,
          ...[mode, limit, mode, limit, mode, dueBefore, limit, limit],
        )
        .map((row) => parsed<Task>(row)),
    parkedTasks: async (mode, limit, partnerIds = null) =>
      connection()
        .all<RowText>(
          `select row from tasks where mode = ? and free_at is null and done_at is null
             ${partnerIds === null ? '' : 'and partner_id in (select value from json_each(?))'} order by id limit ?`,
          ...(partnerIds === null ? [mode, limit] : [mode, JSON.stringify(partnerIds), limit]),
        )
        .map((row) => parsed<Task>(row)),
    countDeadLetters: async (scopes, limit) =>
      scopes.map(
        ({ partnerId, mode }) =>
          connection().all(
            `select 1 from deliveries indexed by deliveries_by_status
             where partner_id = ? and mode = ? and status = 'dead_lettered' and target = 'webhook' limit ?`,
            ...[partnerId, mode, limit],
          ).length,
      ),
    heldSessions: async (mode, limit) =>
      connection()
        .all<RowText>(
          `select row from (
             select id, row, held_since from sessions where mode = ? and held_since is not null order by id limit ?)
           order by held_since, id`,
          ...[mode, limit],
        )
        .map((row) => parsed<Session>(row)),
  };
}
