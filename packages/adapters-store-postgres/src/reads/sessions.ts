import type { Scope } from '@gateramp/core';
import {
  FLOWS,
  type Instant,
  type PageRequest,
  type Session,
  SESSION_STATUSES,
  type SessionStatus,
} from '@gateramp/core/domain';
import type { Counters, CountersOfEach, SessionFilter } from '@gateramp/core/ports';
import { objectIdTime } from '@gateramp/core/runtime';
import type { QueryResultRow } from 'pg';
import type { Statement } from '../database.js';
import { indexOfKinds, boundsOf, countsOfEach, PageQuery } from './page-query.js';
import { COUNTED, type PageForm, type Reading, type ReadsOf, sumOfCounts } from './reading.js';
import { parseOne, parseRow, type RowText } from './row-by-key.js';
import type { Span } from './spans.js';

interface SessionReads extends ReadsOf<'session'> {
  readonly count: Counters['session'];
  readonly countEach: CountersOfEach['session'];
}

export function sessionReads(reading: Reading, schema: string): SessionReads {
  const rowsOf = <Row extends QueryResultRow>(
    [scope, filter, page, now]: Parameters<Counters['session']>,
    { as, isForEach = false, ...counting }: PageForm,
  ): Promise<readonly Row[]> => {
    const listing = { scope, filter, page, now, index: indexOfKinds(reading), isForEach };
    const pageIn = isWhole(filter) ? wholeListPage : pageOfKinds;
    return reading.listBySpans<Row>('sessions', {
      limit: isForEach ? Number.POSITIVE_INFINITY : page.limit + 1,
      statementIn: (span) => as(pageIn(listing, span, schema)),
      bounds: async () => boundsOf('sessions', filter, page),
      ...counting,
    });
  };
  return {
    count: async (...query) => {
      const [, , { limit }] = query;
      return Math.min(sumOfCounts(await rowsOf(query, COUNTED)), limit + 1);
    },
    countEach: (times, scope, filter, page, now) =>
      countsOfEach(times, page, (bounds, form) => rowsOf([scope, { ...filter, ...bounds }, page, now], form)),
    async find(scope: Scope, id: string): Promise<Session | null> {
      return parseOne<Session>(await reading.rowByKey('sessions', { scope, id }));
    },
    async list(...query): Promise<readonly Session[]> {
      return (await rowsOf<RowText>(query, { as: (page) => page })).map((row) => parseRow<Session>(row));
    },
  };
}

interface SessionListing {
  readonly scope: Scope;
  readonly filter: SessionFilter;
  readonly page: PageRequest;
  readonly now: Instant;
  readonly index: ReturnType<typeof indexOfKinds>;
  readonly isForEach: boolean;
}

/** The span of held sessions, and an instant after all possible ids. */
const ENDLESS = 1_000_000_000_000;
const NEVER = 2 ** 48;

function isWhole({ status, flow, currency, userReference }: SessionFilter): boolean {
  return status === null && flow === null && currency === null && userReference === null;
}

function wholeListPage(
  { scope, filter, page, isForEach }: SessionListing,
  span: Span | null,
  schema: string,
): Statement {
  const query = new PageQuery('s', scope, page, 'key', span).within(isForEach ? 'each' : filter, objectIdTime);
  return { text: `select s.row::text as row from "${schema}".sessions s ${query.clauses}`, values: query.values };
}

/** A merge of one page of each matching kind: rows of other kinds in between are skipped without being read. */
function pageOfKinds(
  { scope, filter, page, now, index, isForEach }: SessionListing,
  span: Span | null,
  schema: string,
): Statement {
  const query = new PageQuery('s', scope, page, index, span)
    .within(isForEach ? 'each' : filter, objectIdTime)
    .where('s.user_reference = ?', filter.userReference);
  const ofKind = [
    `s.status = g.status`,
    `coalesce(s.flow, '') = g.flow`,
    `s.currency = g.currency`,
    `${spanOf(schema)} = g.span`,
  ];
  const rows = `select s.id, s.row from "${schema}".sessions s ${query.clausesWhere(...ofKind, ...statusAt(query, filter.status, now, schema))}`;
  const text = `with recursive ${kinds(query, filter, schema)}
    select p.row::text as row from kinds g cross join lateral (${rows}) p ${query.ending('p.id')}`;
  return { text, values: query.values };
}

/** Every existing kind that matches, each found by one index step. Statuses and flows are few enough to try them all. */
function kinds(query: PageQuery, { status, flow, currency, userReference }: SessionFilter, schema: string): string {
  const [statuses, flows] = [query.value(storedStatuses(status)), query.value(flow === null ? ['', ...FLOWS] : [flow])];
  const fixed = [
    query.ofScope,
    ...(userReference === null ? [] : [`s.user_reference = ${query.value(userReference)}`]),
    ...(currency === null ? [] : [`s.currency = ${query.value(currency)}`]),
  ].join(' and ');
  const next = (of: string, after: string): string =>
    `select s.currency, ${spanOf(schema)} as span from "${schema}".sessions s
      where ${fixed} and s.status = ${of}.status and coalesce(s.flow, '') = ${of}.flow ${after} order by 1, 2 limit 1`;
  const onward =
    currency === null ? `and (s.currency, ${spanOf(schema)}) > (g.currency, g.span)` : `and ${spanOf(schema)} > g.span`;
  return `kinds(status, flow, currency, span) as (
    select f.status, f.flow, n.currency, n.span
      from (select status, flow from unnest(${statuses}::text[]) as status, unnest(${flows}::text[]) as flow) f cross join lateral (${next('f', '')}) n
    union all
    select g.status, g.flow, n.currency, n.span from kinds g cross join lateral (${next('g', onward)}) n)`;
}

/** The stored statuses: sessions that have expired by now may still be stored as open. */
function storedStatuses(status: SessionStatus | null): readonly SessionStatus[] {
  if (status === null) return SESSION_STATUSES;
  return status === 'expired' ? ['expired', 'open'] : [status];
}

/**
 * The effective status at `now`: an overdue session that is not held counts as expired before it is stored so. The sessions of one span
 * (`list_span`) have expired up to the id that was created one span ago, and are open after it.
 */
function statusAt(query: PageQuery, status: SessionStatus | null, now: Instant, schema: string): readonly string[] {
  if (status === 'open') {
    const at = query.value(now);
    return [`s.id >= "${schema}".id_at(${at} - 1000 * g.span)`, `(s.is_held or s.expires_at >= ${at})`];
  }
  if (status === 'expired') {
    const at = query.value(now);
    const end = `case when g.status = 'expired' or g.span = ${ENDLESS} then ${NEVER} else ${at} - 1000 * (g.span - 1) end`;
    return [`s.id < "${schema}".id_at(${end})`, `(g.status = 'expired' or not s.is_held and s.expires_at < ${at})`];
  }
  return [];
}

function spanOf(schema: string): string {
  return `"${schema}".list_span(s.status, s.id, s.expires_at, s.is_held)`;
}
