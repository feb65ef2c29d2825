import { PAUSED_LANE } from '@gateramp/core/domain';
import { MARKED_WORK_MAX, type Marks, type OperatorReads } from '@gateramp/core/ports';
import type { Database } from '../database.js';

/** The queued deliveries per lane that are compared, and the newest audit entries that are searched for one of a mode. */
const QUEUED_MAX = 32;
const ENTRIES_MAX = 50;

/** `bigint` arrives as text. */
interface MarksRow {
  readonly place: string | null;
  readonly events: string | null;
  readonly deliveries: string | null;
  readonly settings: string | null;
  readonly audit: string | null;
  readonly work: string | null;
}

interface MarkedScope {
  readonly partner: string;
  readonly mode: string;
  readonly isDistributed: boolean;
}

/** The marks of one scope, whose partner and mode are these expressions: selects of one `value`. Each reads only the head of an index. */
export function markParts(schema: string, { partner, mode, isDistributed }: MarkedScope) {
  const ofShard = isDistributed ? `partner_id = ${partner} and ` : '';
  // Types are few; the newest event of each is one step in the index of lists.
  const newestFirst = (row: string): string =>
    `order by ${row}.created_at desc, coalesce(${row}.sequence, 0) desc, ${row}.id desc limit 1`;
  const nextType = (more: string): string =>
    `(select e.type from "${schema}".events e where e.partner_id = ${partner} and e.mode = ${mode} ${more} order by e.type limit 1)`;
  return {
    newestEvent: `with recursive types(type) as (
      select ${nextType('')} union all
      select ${nextType('and e.type > t.type')} from types t where t.type is not null)
    select n.id as value from types t cross join lateral (
      select e.created_at, e.sequence, e.id from "${schema}".events e
      where e.partner_id = ${partner} and e.mode = ${mode} and e.type = t.type
      ${newestFirst('e')}) n ${newestFirst('n')}`,
    queue: `select sum(hashtextextended(q.id || '.' || q.due_at, 0)) as value
    from unnest('{first,retry,${PAUSED_LANE}}'::text[]) as l(lane) cross join lateral (
      select id, due_at from "${schema}".delivery_queue
      where ${ofShard}lane = l.lane and endpoint = ${partner} || '/' || ${mode} || '/webhook'
      order by due_at, id limit ${QUEUED_MAX}) q`,
    health: `select concat_ws('.', h.last_success_at, h.last_failure_at, h.consecutive_failures) as value
    from "${schema}".endpoint_health h where h.partner_id = ${partner} and h.mode = ${mode}`,
    entry: `select max(a.sequence) as value from (
      select sequence, row ->> 'mode' as mode from "${schema}".audit_entries
      where partner_id = ${partner} order by sequence desc limit ${ENTRIES_MAX}) a
    where a.mode is null or a.mode = ${mode}`,
  };
}

/** A number that differs once a row came or went, unless there are more than are compared. A select of one `value`. */
export function sumOfIds(rows: string): string {
  return `select coalesce(sum(hashtextextended(id, 0)), 0) as value from (select id from ${rows} limit ${MARKED_WORK_MAX}) marked`;
}

/** One statement for all scopes. */
export function marks(database: Database, schema: string): OperatorReads['marks'] {
  const { newestEvent, queue, health, entry } = markParts(schema, {
    partner: 's.partner_id',
    mode: 's.mode',
    isDistributed: false,
  });
  const work = ['test', 'live'].flatMap((mode) => [
    `(${sumOfIds(`"${schema}".sessions where mode = '${mode}' and is_held`)})`,
    `(${sumOfIds(`"${schema}".tasks where mode = '${mode}' and free_at is null and done_at is null`)})`,
  ]);
  const text = `select i.audit, i.work, s.place, (${newestEvent}) as events, concat_ws('/', (${queue}), (${health})) as deliveries, (${entry}) as settings
    from (select (select max(sequence) from "${schema}".audit_entries) as audit,
      case when $3::boolean then concat_ws('.', ${work.join(', ')}) end as work) i
    left join unnest($1::text[], $2::text[]) with ordinality as s(partner_id, mode, place) on true
    order by s.place`;
  return async ({ scopes, work: withWork }): Promise<Marks> => {
    const values = [scopes.map(({ partnerId }) => partnerId), scopes.map(({ mode }) => mode), withWork];
    const rows = await database.query<MarksRow>(text, values);
    return {
      scopes: rows
        .filter((row) => row.place !== null)
        .map(({ events, deliveries, settings }) => ({
          events,
          deliveries: deliveries ?? '',
          settings: Number(settings ?? 0),
        })),
      audit: Number(rows[0]?.audit ?? 0),
      work: rows[0]?.work ?? null,
    };
  };
}
