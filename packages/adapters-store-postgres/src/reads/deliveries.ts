import type { Scope } from '@gateramp/core';
import type { DeliveryAttempt, DeliveryStatus, EndpointHealth, PageRequest } from '@gateramp/core/domain';
import type { Counters, CountersOfEach, DeliveryFilter, DeliveryRecord, Finders } from '@gateramp/core/ports';
import { objectIdTime } from '@gateramp/core/runtime';
import type { QueryResultRow } from 'pg';
import type { Statement } from '../database.js';
import { deliveryOfRow } from '../delivery-row.js';
import { indexOfKinds, boundsOf, countsOfEach, PageQuery } from './page-query.js';
import { COUNTED, type PageForm, type Reading, type ReadsOf, sumOfCounts } from './reading.js';
import type { Span } from './spans.js';

/** A delivery, the lease of its queue entry if it has one, and its attempts. `bigint` arrives as text. */
interface RecordRow {
  readonly id: string;
  readonly event_id: string;
  readonly event_type: string;
  readonly created_at: string;
  readonly row: string;
  readonly is_queued: boolean;
  readonly lease_token: string | null;
  readonly lease_until: string | null;
  readonly claims: number | null;
  readonly attempts: string | null;
}

interface DeliveryReads extends ReadsOf<'delivery'> {
  readonly findEndpointHealth: Finders['endpoint_health'];
  readonly count: Counters['delivery'];
  readonly countEach: CountersOfEach['delivery'];
}

export function deliveryReads(reading: Reading, schema: string): DeliveryReads {
  const ofShard = shardOf(reading);
  // Each queue entry is looked up separately: with a join, some plans read the whole queue.
  const select = (from: string): string =>
    `select d.id, d.event_id, d.event_type, d.created_at, d.row::text as row, array_to_json(d.attempts)::text as attempts,
      q.id is not null as is_queued, q.lease_token, q.lease_until, q.claims
    from ${from} d left join lateral (
      select id, lease_token, lease_until, claims from "${schema}".delivery_queue where ${ofShard}id = d.id limit 1) q on true`;
  const health = `select consecutive_failures, last_success_at, last_failure_at, last_error from "${schema}".endpoint_health
    where partner_id = $1 and mode = $2`;
  const rowsOf = <Row extends QueryResultRow>(
    [scope, filter, page]: Parameters<Counters['delivery']>,
    { as, isForEach = false, ...counting }: PageForm,
  ): Promise<readonly Row[]> => {
    const listing = { scope, filter, page, reading, isForEach };
    return isOfKinds(filter)
      ? reading.listBySpans<Row>('deliveries', {
          limit: isForEach ? Number.POSITIVE_INFINITY : page.limit + 1,
          statementIn: (span) => as(pageOfKinds(listing, span, schema)),
          bounds: async () => boundsOf('deliveries', filter, page),
          ...counting,
        })
      : reading.list<Row>(as(pageByKey(listing, schema)));
  };
  return {
    count: async (...query) => {
      const [, , { limit }] = query;
      return Math.min(sumOfCounts(await rowsOf(query, COUNTED)), limit + 1);
    },
    countEach: (times, scope, filter, page) =>
      countsOfEach(times, page, (bounds, form) => rowsOf([scope, { ...filter, ...bounds }, page], form)),
    async find(scope: Scope, id: string): Promise<DeliveryRecord | null> {
      const page: PageRequest = { start: { kind: 'newest' }, limit: 1 };
      const query = new PageQuery('d', scope, page).where('d.id = ?', id);
      const [row] = await reading.find<RecordRow>(`${select(`"${schema}".deliveries`)} ${query.clauses}`, query.values);
      return row === undefined ? null : recordOf(scope, row);
    },
    async findEndpointHealth(scope: Scope): Promise<EndpointHealth | null> {
      const [row] = await reading.find<HealthRow>(health, [scope.partnerId, scope.mode]);
      return row === undefined ? null : healthOf(row);
    },
    async list(scope: Scope, filter: DeliveryFilter, page: PageRequest): Promise<readonly DeliveryRecord[]> {
      const direction = page.start.kind === 'before' ? 'asc' : 'desc';
      const as = ({ text, values }: Statement): Statement => ({
        text: `${select(`(${text})`)} order by d.id ${direction}`,
        values,
      });
      return (await rowsOf<RecordRow>([scope, filter, page], { as })).map((row) => recordOf(scope, row));
    },
  };
}

function recordOf({ partnerId, mode }: Scope, row: RecordRow): DeliveryRecord {
  const { id, event_id: eventId, event_type: eventType, created_at: createdAt } = row;
  const columns = { id, eventId, eventType, partnerId, mode, createdAt: Number(createdAt) };
  const delivery = deliveryOfRow(columns, row.row);
  // Written by this store from DeliveryAttempts.
  const attempts = row.attempts === null ? [] : (JSON.parse(row.attempts) as readonly DeliveryAttempt[]);
  return { delivery: row.is_queued ? withLease(delivery, row) : delivery, attempts };
}

export interface LeaseColumns {
  readonly lease_token: string | null;
  readonly lease_until: string | null;
  readonly claims: number | null;
}

/** The row as last written, with its current lease. */
export function withLease<Row>(row: Row, { lease_token, lease_until, claims }: LeaseColumns): Row {
  return {
    ...row,
    leaseToken: lease_token,
    leaseUntil: lease_until === null ? null : Number(lease_until),
    claims: claims ?? 0,
  };
}

interface HealthRow {
  readonly consecutive_failures: number;
  readonly last_success_at: string | null;
  readonly last_failure_at: string | null;
  readonly last_error: string | null;
}

function healthOf(row: HealthRow): EndpointHealth {
  return {
    consecutiveFailures: row.consecutive_failures,
    lastSuccessAt: row.last_success_at === null ? null : Number(row.last_success_at),
    lastFailureAt: row.last_failure_at === null ? null : Number(row.last_failure_at),
    lastError: row.last_error,
  };
}

interface DeliveryListing {
  readonly scope: Scope;
  readonly filter: DeliveryFilter;
  readonly page: PageRequest;
  readonly reading: Reading;
  readonly isForEach: boolean;
}

/** Begins a condition on one row or on those of an event: distributed tables are searched in the shard of the partner. */
function shardOf({ isDistributed }: Reading): string {
  return isDistributed ? 'partner_id = $1 and ' : '';
}

const deliveryRows = (from: string, clauses: string): string =>
  `select d.id, d.event_id, d.event_type, d.created_at, d.row, d.attempts from ${from} d ${clauses}`;

function isOfKinds({ status, target, eventId, sessionId }: DeliveryFilter): boolean {
  return eventId === null && sessionId === null && target === 'webhook' && status !== 'pending';
}

/**
 * One page of deliveries, with the columns to read: those of one event or session, those that are no webhooks, or those waiting for a
 * first attempt. A page reads little more than its own rows, whatever the filter excludes.
 */
function pageByKey({ scope, filter, page, reading, isForEach }: DeliveryListing, schema: string): Statement {
  const { status, target, eventType, eventId, sessionId } = filter;
  const query = new PageQuery('d', scope, page)
    .within(isForEach ? 'each' : filter, objectIdTime)
    .where('d.status = ?', status)
    .where('d.event_type = ?', eventType);
  const deliveries = `"${schema}".deliveries`;
  const ofShard = shardOf(reading);
  const isPending = eventId === null && sessionId === null && target === 'webhook';
  if (isPending) {
    // Deliveries that wait for a first attempt are in the queue; delivered ones, the majority of their kind, are not. The ids of the queue
    // are in the order of the page (the offset forces the planner to use it), each is looked up, and a full page ends the scan.
    const waiting = `select w.id from "${schema}".delivery_queue w where ${ofShard}w.lane = any ('{first,retry}')
      and w.endpoint = ${query.value(`${scope.partnerId}/${scope.mode}/webhook`)} ${query.andIdsOf('w')} order by w.id ${query.direction} offset 0`;
    const text = `select p.* from (${waiting}) w cross join lateral (${deliveryRows(deliveries, query.clausesWhere('d.id = w.id'))}) p
      ${query.ending('w.id')}`;
    return { text, values: query.values };
  }
  query.where(`coalesce(d.row ->> 'target', 'webhook') = ?`, target);
  // Those of an event or session are few and have an index: all are found by it (the offsets force the planner to do so), and
  // the rest of the filter selects from them.
  const events = [
    ...(eventId === null ? [] : [`id = ${query.value(eventId)}`]),
    ...(sessionId === null ? [] : [`session_id = ${query.value(sessionId)}`]),
  ];
  const from =
    events.length === 0
      ? deliveries
      : `(select d.* from (select id from "${schema}".events where ${ofShard}${events.join(' and ')} offset 0) e
          cross join lateral (select * from ${deliveries} where ${ofShard}event_id = e.id offset 0) d)`;
  return { text: deliveryRows(from, query.clauses), values: query.values };
}

/** A merge of one page of each kind and event type. */
function pageOfKinds(
  { scope, filter, page, reading, isForEach }: DeliveryListing,
  span: Span | null,
  schema: string,
): Statement {
  const { status, eventType } = filter;
  const deliveries = `"${schema}".deliveries`;
  // The other kinds contain one status each: with the condition repeated, the planner would expect so
  // few rows that it might scan all of them.
  const query = new PageQuery('d', scope, page, indexOfKinds(reading), span)
    .within(isForEach ? 'each' : filter, objectIdTime)
    .where('d.status = ?', status === 'delivered' ? status : null);
  const kinds = query.value(status === null ? [...new Set(Object.values(KINDS))] : [KINDS[status]]);
  const paged = deliveryRows(deliveries, query.clausesWhere('d.kind = k.kind', 'd.event_type = k.type'));
  if (eventType !== null) {
    const text = `select p.* from (select kind, ${query.value(eventType)}::text as type from unnest(${kinds}::text[]) as kind) k
      cross join lateral (${paged}) p ${query.ending('p.id')}`;
    return { text, values: query.values };
  }
  const nextType = (more: string): string =>
    `(select d.event_type from ${deliveries} d where ${query.ofScope} and d.kind = k.kind ${more} order by d.event_type limit 1)`;
  const text = `with recursive kinds(kind, type) as (
      select k.kind, ${nextType('')} from unnest(${kinds}::text[]) as k(kind) union all
      select k.kind, ${nextType('and d.event_type > k.type')} from kinds k where k.type is not null)
    select p.* from kinds k cross join lateral (${paged}) p ${query.ending('p.id')}`;
  return { text, values: query.values };
}

/** The values of the column `kind`: deliveries that succeed at once have one kind from the start, so that their row is updated in place. */
const KINDS: Readonly<Record<DeliveryStatus, 'quiet' | 'retrying' | 'dead_lettered'>> = {
  pending: 'quiet',
  delivered: 'quiet',
  retrying: 'retrying',
  dead_lettered: 'dead_lettered',
};
