import type { Mode, Scope } from '@gateramp/core';
import type { GateEvent, Instant, PageRequest } from '@gateramp/core/domain';
import type { EventFilter, Listers } from '@gateramp/core/ports';
import type { Statement } from '../database.js';
import type { Reading, ReadsOf } from './reading.js';
import { shownEvents } from './shown-events.js';
import { boundText, pruningCondition, type Span, spanAt, type SpanBounds } from './spans.js';

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

export function eventReads(reading: Reading, schema: string, onHeldBack: (scope: Scope) => void): EventReads {
  const shownUntil = shownEvents(reading, schema, onHeldBack);
  const found = (by: string): string =>
    `select ${EVENT_COLUMNS} from "${schema}".events e where ${by} = $3 and ${ofPartner(reading, 'e')} and mode = $2`;
  const one = found('id');
  const all = `${found('session_id')} order by sequence`;
  const place = `select created_at, coalesce(sequence, 0) as sequence from "${schema}".event_keys where id = $1`;
  const byKey = `${one} and e.created_at = (select created_at from "${schema}".event_keys where id = $3)`;
  const ifWhole = `${one} and (select relkind from pg_class where oid = '"${schema}".events'::regclass) = 'r'`;

  /** The statements that find an event, the most probable first. Each searches one partition. */
  async function* findingOne(id: string): AsyncGenerator<string> {
    const ranges = await reading.rangesOf('events');
    if (ranges === null) {
      yield one;
      return;
    }
    const at = timeIn(id);
    const span = at === null ? null : spanAt('events', ranges, at);
    if (span !== null) yield `${one} and e.created_at >= ${span.from} and e.created_at < ${span.below}`;
    yield byKey;
    // There are no keys if the table has been made whole since its ranges were read.
    yield ifWhole;
  }

  async function pageOf(scope: Scope, filter: EventFilter, page: PageRequest): Promise<readonly GateEvent[]> {
    const listing = { scope, filter, page, reading };
    if (filter.sessionId !== null)
      return (await reading.list<EventRow>(eventPage(listing, UNPARTITIONED, schema))).map(eventOf);
    let cursor: Place | null = null;
    const found = await reading.listBySpans<EventRow>('events', {
      limit: page.limit + 1,
      statementIn: (span) => eventPage(listing, { span, cursor }, schema),
      probableStart: page.start.kind === 'newest' ? null : timeIn(page.start.id),
      bounds: async (ask) => {
        if (page.start.kind === 'newest') return boundsOf(listing, null);
        // Keys are missing if the table has been made whole since its ranges were read.
        [cursor = null] = await ask<Place>({ text: place, values: [page.start.id] });
        return cursor === null ? null : boundsOf(listing, Number(cursor.created_at));
      },
    });
    return found.map(eventOf);
  }

  return {
    async find(scope: Scope, id: string): Promise<GateEvent | null> {
      for await (const statement of findingOne(id)) {
        const [row] = await reading.find<EventRow>(statement, [scope.partnerId, scope.mode, id]);
        if (row !== undefined) return eventOf(row);
      }
      return null;
    },
    async list(scope: Scope, filter: EventFilter, page: PageRequest): Promise<readonly GateEvent[]> {
      const found = await pageOf(scope, filter, page);
      // The events of a session are in the order of their commits anyway.
      if (filter.sessionId !== null) return found;
      const until = await shownUntil(scope, found, page.start);
      if (until === Infinity) return found;
      return pageOf(scope, { ...filter, createdBefore: Math.min(filter.createdBefore ?? Infinity, until + 1) }, page);
    },
    async ofSession(scope: Scope, sessionId: string): Promise<readonly GateEvent[]> {
      return (await reading.find<EventRow>(all, [scope.partnerId, scope.mode, sessionId])).map(eventOf);
    },
  };
}

/** The creation time in an id of `nodeIds`; null for ids of hosts and of earlier versions, which have none. */
function timeIn(id: string): Instant | null {
  const [, high, low] = /^([0-9a-f]{8})-([0-9a-f]{4})-7/.exec(id) ?? [];
  return high === undefined || low === undefined ? null : Number.parseInt(high + low, 16);
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

/** Where the event lies that is the cursor of a page. */
interface Place {
  readonly created_at: string;
  readonly sequence: number;
}

/**
 * The span of a page, null if the table is not partitioned, and the place of its cursor if a statement has already found it. Otherwise
 * the page's statement looks the cursor up in the span, and returns nothing if it is not there.
 */
interface SpanAndCursor {
  readonly span: Span | null;
  readonly cursor: Place | null;
}

const UNPARTITIONED: SpanAndCursor = { span: null, cursor: null };

function boundsOf({ filter, page: { start } }: EventListing, cursorAt: Instant | null): SpanBounds {
  const [after, before] = [start.kind === 'after' ? cursorAt : null, start.kind === 'before' ? cursorAt : null];
  return {
    start,
    from: Math.max(filter.createdAfter ?? 0, before ?? 0),
    until: Math.min(filter.createdBefore ?? Infinity, after ?? Infinity),
  };
}

/**
 * One page of events: those of one session, those of one type, or a merge of one page of each type. The page of a type reads little more
 * than its own rows, however many events of other types are in between.
 */
function eventPage(
  { scope: { partnerId, mode }, filter, page, reading }: EventListing,
  { span, cursor }: SpanAndCursor,
  schema: string,
): Statement {
  const events = `"${schema}".events`;
  const values: unknown[] = [partnerId, mode];
  const value = (given: unknown): string => `$${values.push(given)}`;
  const ofScope = (row: string): string => `${row}.partner_id = $1 and ${row}.mode = $2`;
  const [from, last] = span === null ? [] : [span.from, Number(span.below) - 1].map((at) => boundText(at, span, value));
  const ofSpan = (row: string): string => `${row}.created_at >= ${from} and ${row}.created_at <= ${last}`;
  // A scan begins at one bound of each side, and reads everything between that and a closer one; Postgres finds out which of several
  // is the closest only if all of them are written with `<=`, or `>=`, and only the place of the cursor is not.
  const conditions = [ofScope('e')];
  const { createdAfter, createdBefore } = filter;
  const { kind } = page.start;
  const cursorAt = cursor === null ? null : Number(cursor.created_at);
  const isInSpan = span !== null && cursorAt !== null && cursorAt >= Number(span.from) && cursorAt < Number(span.below);
  let place: readonly string[] = [];
  let placeOfCursor = '';
  if (page.start.kind !== 'newest') {
    const id = value(page.start.id);
    const inSpan = span !== null && (cursor === null || isInSpan) ? ` and ${ofSpan('c')}` : '';
    const found = `${events} c where c.id = ${id} and ${ofPartner(reading, 'c')} and c.mode = $2${inSpan}`;
    // Each part separately: compared with a whole row of a subquery, the index would not be used.
    place =
      cursor === null
        ? ['created_at', 'sequence', 'id'].map((part) => `(select ${part} from place)`)
        : [value(cursorAt), value(cursor.sequence), id];
    if (cursor === null)
      placeOfCursor = `place as materialized (select created_at, coalesce(sequence, 0) as sequence, id from ${found})`;
    // Keys do not say whose an event is.
    if (cursor !== null) conditions.push(`exists (select from ${found} and c.created_at = ${place[0]})`);
    conditions.push(`(${PLACE}) ${kind === 'after' ? '<' : '>'} (${place.join(', ')})`);
  }
  const isAfter = kind === 'after';
  const isBefore = kind === 'before';
  if (span !== null) conditions.push(ofSpan('e'));
  if (span !== null && (cursorAt !== null || kind === 'newest')) {
    const least = Math.max(createdAfter ?? 0, isBefore ? (cursorAt ?? 0) : 0);
    const most = Math.min((createdBefore ?? Infinity) - 1, isAfter ? (cursorAt ?? Infinity) : Infinity);
    if (createdAfter !== null || isBefore) conditions.push(`e.created_at >= ${value(least)}`);
    if (createdBefore !== null || isAfter) conditions.push(`e.created_at <= ${value(most)}`);
  } else {
    const closest = (of: string, bound: Instant | null, isSide: boolean): string | null => {
      const cursorBound = isSide && (bound !== null || span !== null) ? place.slice(0, 1) : [];
      const bounds = [...(bound === null ? [] : [value(bound)]), ...cursorBound];
      return bounds.length > 1 ? `${of}(${bounds.join(', ')})` : (bounds[0] ?? null);
    };
    const least = closest('greatest', createdAfter, isBefore);
    const most = closest('least', createdBefore === null ? null : createdBefore - 1, isAfter);
    if (least !== null) conditions.push(`e.created_at >= ${least}`);
    if (most !== null) conditions.push(`e.created_at <= ${most}`);
  }
  const direction = page.start.kind === 'before' ? 'asc' : 'desc';
  const ending = (row: string): string =>
    `order by ${['created_at', 'sequence', 'id'].map((part) => `${partOf(row, part)} ${direction}`).join(', ')} limit ${page.limit + 1}`;
  const rowsWhere = (from: string, ...more: readonly string[]): string =>
    `select ${EVENT_COLUMNS} from ${from} e where ${[...conditions, ...more].join(' and ')} ${ending('e')}`;

  const withPlace = placeOfCursor === '' ? '' : `with ${placeOfCursor} `;
  if (filter.sessionId !== null) {
    // These are few and have an index: all are found by it (the offset forces the planner to do so), and
    // the rest of the filter selects from them.
    const ofSession = `(select * from ${events} where ${reading.isDistributed ? 'partner_id = $1 and ' : ''}session_id = ${value(filter.sessionId)} offset 0)`;
    const more = filter.type === null ? [] : [`e.type = ${value(filter.type)}`];
    return { text: withPlace + rowsWhere(ofSession, ...more), values };
  }
  if (filter.type !== null) return { text: withPlace + rowsWhere(events, `e.type = ${value(filter.type)}`), values };
  const scope =
    span === null
      ? ofScope('e')
      : `${ofScope('e')} and ${pruningCondition('e.created_at', `>= ${from}`, `<= ${last}`)}`;
  const nextType = (more: string): string =>
    `(select e.type from ${events} e where ${scope} ${more} order by e.type limit 1)`;
  const text = `with recursive ${placeOfCursor === '' ? '' : `${placeOfCursor}, `}types(type) as (
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
