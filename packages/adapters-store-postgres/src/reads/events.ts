import type { Mode, Scope } from '@gateramp/core';
import type { GateEvent, PageRequest } from '@gateramp/core/domain';
import type { EventFilter, Listers } from '@gateramp/core/ports';
import type { Statement } from '../database.js';
import type { Reading, ReadsOf } from './reading.js';

/** `bigint` arrives as text. */
export interface EventRow {
  readonly id: string;
  readonly partner_id: string;
  readonly mode: Mode;
  readonly session_id: string | null;
  readonly sequence: number | null;
  readonly type: string;
  readonly created_at: string;
  readonly body: string;
}

interface EventReads extends ReadsOf<'event'> {
  readonly ofSession: Listers['session_event'];
}

export function eventReads(reading: Reading, schema: string): EventReads {
  const found = (by: string): string =>
    `select ${EVENT_COLUMNS} from "${schema}".events e where ${by} = $3 and ${ofPartner(reading, 'e')} and mode = $2`;
  const one = found('id');
  const all = `${found('session_id')} order by sequence`;
  return {
    async find(scope: Scope, id: string): Promise<GateEvent | null> {
      const [row] = await reading.find<EventRow>(one, [scope.partnerId, scope.mode, id]);
      return row === undefined ? null : eventOf(row);
    },
    async list(scope: Scope, filter: EventFilter, page: PageRequest): Promise<readonly GateEvent[]> {
      return (await reading.list<EventRow>(eventPage({ scope, filter, page, reading }, schema))).map(eventOf);
    },
    async ofSession(scope: Scope, sessionId: string): Promise<readonly GateEvent[]> {
      return (await reading.find<EventRow>(all, [scope.partnerId, scope.mode, sessionId])).map(eventOf);
    },
  };
}

export function eventOf(row: EventRow): GateEvent {
  return {
    id: row.id,
    partnerId: row.partner_id,
    mode: row.mode,
    sessionId: row.session_id,
    sequence: row.sequence,
    type: row.type,
    createdAt: Number(row.created_at),
    body: row.body,
  };
}

interface EventListing {
  readonly scope: Scope;
  readonly filter: EventFilter;
  readonly page: PageRequest;
  readonly reading: Reading;
}

/** An event's position in the list, as in `events_listed`. */
const PLACE = 'e.created_at, coalesce(e.sequence, 0), e.id';

const EVENT_COLUMNS = 'e.id, e.partner_id, e.mode, e.session_id, e.sequence, e.type, e.created_at, e.body';

/**
 * One page of events: those of one session, those of one type, or a merge of one page of each type. The page of a type reads little more
 * than its own rows, however many events of other types are in between.
 */
function eventPage({ scope, filter, page, reading }: EventListing, schema: string): Statement {
  const events = `"${schema}".events`;
  const values: unknown[] = [scope.partnerId, scope.mode];
  const value = (given: unknown): string => `$${values.push(given)}`;
  const ofScope = (row: string): string => `${row}.partner_id = $1 and ${row}.mode = $2`;
  const conditions = [ofScope('e')];
  if (filter.createdAfter !== null) conditions.push(`e.created_at >= ${value(filter.createdAfter)}`);
  if (filter.createdBefore !== null) conditions.push(`e.created_at < ${value(filter.createdBefore)}`);
  if (page.start.kind !== 'newest') {
    const cursor = value(page.start.id);
    // Each part separately: compared with a whole row of a subquery, the index would not be used.
    const place = ['created_at', 'coalesce(sequence, 0)', 'id'].map(
      (part) =>
        `(select ${part} from ${events} c where c.id = ${cursor} and ${ofPartner(reading, 'c')} and c.mode = $2)`,
    );
    conditions.push(`(${PLACE}) ${page.start.kind === 'after' ? '<' : '>'} (${place.join(', ')})`);
  }
  const direction = page.start.kind === 'before' ? 'asc' : 'desc';
  const ending = (row: string): string =>
    `order by ${['created_at', 'sequence', 'id'].map((part) => `${partOf(row, part)} ${direction}`).join(', ')} limit ${page.limit + 1}`;
  const rowsWhere = (from: string, ...more: readonly string[]): string =>
    `select ${EVENT_COLUMNS} from ${from} e where ${[...conditions, ...more].join(' and ')} ${ending('e')}`;

  if (filter.sessionId !== null) {
    // These are few and have an index: all are found by it (the offset forces the planner to do so), and
    // the rest of the filter selects from them.
    const ofShard = reading.isDistributed ? 'partner_id = $1 and ' : '';
    const ofSession = `(select * from ${events} where ${ofShard}session_id = ${value(filter.sessionId)} offset 0)`;
    const more = filter.type === null ? [] : [`e.type = ${value(filter.type)}`];
    return { text: rowsWhere(ofSession, ...more), values };
  }
  if (filter.type !== null) return { text: rowsWhere(events, `e.type = ${value(filter.type)}`), values };
  const nextType = (more: string): string =>
    `(select e.type from ${events} e where ${ofScope('e')} ${more} order by e.type limit 1)`;
  const text = `with recursive types(type) as (
      select ${nextType('')} union all
      select ${nextType('and e.type > t.type')} from types t where t.type is not null)
    select e.* from types t cross join lateral (${rowsWhere(events, 'e.type = t.type')}) e ${ending('e')}`;
  return { text, values };
}

/**
 * A condition for rows found by their id or session. The collation keeps the planner from searching along the index of lists, which begins
 * with the partner. On distributed tables the indexes of ids and sessions begin with it too.
 */
function ofPartner({ isDistributed }: Reading, row: string): string {
  return `${row}.partner_id${isDistributed ? '' : ' collate "POSIX"'} = $1`;
}

function partOf(row: string, part: string): string {
  return part === 'sequence' ? `coalesce(${row}.sequence, 0)` : `${row}.${part}`;
}
