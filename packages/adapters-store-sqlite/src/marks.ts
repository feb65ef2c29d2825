import type { Scope } from '@gateramp/core';
import { deliveryEndpoint, PAUSED_LANE } from '@gateramp/core/domain';
import { MARKED_WORK_MAX, type Marks, type OperatorReads, type ScopeMarks } from '@gateramp/core/ports';
import type { SqliteDatabase } from './database.js';

/** The queued deliveries per lane that are compared, and the newest audit entries that are searched for one of a mode. */
const QUEUED_MAX = 32;
const ENTRIES_MAX = 50;

/** Each part reads the head of an index. */
export function marks({ connection }: Pick<SqliteDatabase, 'connection'>): OperatorReads['marks'] {
  const value = (text: string, ...values: readonly (string | number)[]): string | number | null =>
    connection().all<{ value: string | number | null }>(text, ...values)[0]?.value ?? null;
  return async ({ scopes, work }): Promise<Marks> => ({
    scopes: scopes.map(marksOf),
    audit: Number(value('select max(sequence) as value from audit_entries') ?? 0),
    work: work ? ['test', 'live'].map(workOf).join() : null,
  });

  function marksOf({ partnerId, mode }: Scope): ScopeMarks {
    const endpoint = deliveryEndpoint({ partnerId, mode, target: 'webhook' });
    const queued = ['first', 'retry', PAUSED_LANE].map((lane) =>
      value(
        `select group_concat(id || '.' || due) as value from (select id, row ->> 'dueAt' as due from deliveries
         where mode = ? and lane = ? and endpoint = ? and free_at is not null order by free_at, id limit ${QUEUED_MAX})`,
        ...[mode, lane, endpoint],
      ),
    );
    const health = value('select row as value from endpoint_health where partner_id = ? and mode = ?', partnerId, mode);
    return {
      events: eventOf(partnerId, mode),
      deliveries: [...queued, health].join('/'),
      settings: Number(
        value(
          `select max(sequence) as value from (select sequence, row ->> 'mode' as mode from audit_entries
           where partner_id = ? order by sequence desc limit ${ENTRIES_MAX}) where mode is null or mode = ?`,
          ...[partnerId, mode],
        ) ?? 0,
      ),
    };
  }

  function eventOf(partnerId: string, mode: string): string | null {
    const id = value(
      `select id as value from events where partner_id = ? and mode = ?
       order by created_at desc, place desc, id desc limit 1`,
      ...[partnerId, mode],
    );
    return id === null ? null : String(id);
  }

  function workOf(mode: string): string {
    const ids = (rows: string): string =>
      String(value(`select group_concat(id) as value from (select id from ${rows} limit ${MARKED_WORK_MAX})`, mode));
    const held = ids('sessions where mode = ? and held_since is not null');
    return `${held}.${ids('tasks where mode = ? and free_at is null and done_at is null')}`;
  }
}
