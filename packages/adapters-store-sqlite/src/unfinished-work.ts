import type { Delivery, Session, Task } from '@gateramp/core/domain';
import { DUE_TASKS_MAX, type UnfinishedWork } from '@gateramp/core/ports';
import type { SqliteDatabase } from './database.js';
import { parsed } from './rows.js';

interface RowText {
  readonly row: string;
}

/** The operators' reads of what is not done. */
export function unfinishedWork({ connection }: Pick<SqliteDatabase, 'connection'>): UnfinishedWork {
  return {
    queuedDeliveries: async (mode, perLane, partnerId = null) =>
      connection()
        .all<{ lane: string }>('select distinct lane from queue_heads where mode = ?', mode)
        .flatMap(({ lane }) =>
          connection().all<RowText>(
            `select row from deliveries where mode = ? and lane = ? and free_at is not null and (? is null or partner_id = ?)
             order by row ->> 'dueAt', id limit ?`,
            ...[mode, lane, partnerId, partnerId, perLane],
          ),
        )
        .map((row) => parsed<Delivery>(row))
        .toSorted((one, other) => (one.dueAt ?? 0) - (other.dueAt ?? 0) || (one.id < other.id ? -1 : 1)),
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
    parkedTasks: async (mode, limit) =>
      connection()
        .all<RowText>(
          'select row from tasks where mode = ? and free_at is null and done_at is null order by id limit ?',
          ...[mode, limit],
        )
        .map((row) => parsed<Task>(row)),
    countDeadLetters: async (scopes, limit) =>
      scopes.map(
        ({ partnerId, mode }) =>
          connection().all<{ count: number }>(
            `select count(*) as count from (select 1 from deliveries indexed by deliveries_by_status
               where partner_id = ? and mode = ? and status = 'dead_lettered' and target = 'webhook' limit ?)`,
            ...[partnerId, mode, limit],
          )[0]?.count ?? 0,
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
