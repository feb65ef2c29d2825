import type { Delivery, Session, Task } from '@gateramp/core/domain';
import type { UnfinishedWork } from '@gateramp/core/ports';
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
    oldestTasks: async (mode, now) =>
      connection()
        .all<RowText>(
          `select row, min(free_at) as since from tasks where mode = ? and free_at is not null and free_at <= ?
           group by row ->> 'kind' order by since, id`,
          ...[mode, now],
        )
        .map((row) => parsed<Task>(row)),
    stuckTasks: async (mode, dueBefore, limit) =>
      connection()
        .all<RowText>(
          `select row from tasks where mode = ? and done_at is null
            and (free_at is null or free_at < ? or row ->> 'failures' > 0) order by id limit ?`,
          ...[mode, dueBefore, limit],
        )
        .map((row) => parsed<Task>(row)),
    heldSessions: async (mode, limit) =>
      connection()
        .all<RowText>(
          'select row from sessions where mode = ? and held_since is not null order by held_since, id limit ?',
          ...[mode, limit],
        )
        .map((row) => parsed<Session>(row)),
  };
}
