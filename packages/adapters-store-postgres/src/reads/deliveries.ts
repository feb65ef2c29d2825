import type { Scope } from '@gateramp/core';
import type { DeliveryAttempt, DeliveryStatus, EndpointHealth, PageRequest } from '@gateramp/core/domain';
import type { DeliveryFilter, DeliveryRecord, Finders } from '@gateramp/core/ports';
import { objectIdTime } from '@gateramp/core/runtime';
import type { Statement } from '../database.js';
import { deliveryOfRow } from '../delivery-row.js';
import { alongKinds, PageQuery } from './page-query.js';
import type { Reading, ReadsOf } from './reading.js';

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
}

export function deliveryReads(reading: Reading, schema: string): DeliveryReads {
  const ofShard = reading.isDistributed ? 'partner_id = $1 and ' : '';
  // Each queue entry is looked up separately: with a join, some plans read the whole queue.
  const select = (from: string): string =>
    `select d.id, d.event_id, d.event_type, d.created_at, d.row::text as row, array_to_json(d.attempts)::text as attempts,
      q.id is not null as is_queued, q.lease_token, q.lease_until, q.claims
    from ${from} d left join lateral (
      select id, lease_token, lease_until, claims from "${schema}".delivery_queue where ${ofShard}id = d.id limit 1) q on true`;
  const health = `select consecutive_failures, last_success_at, last_failure_at, last_error from "${schema}".endpoint_health
    where partner_id = $1 and mode = $2`;
  return {
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
      const { text, values } = deliveryPage({ scope, filter, page, reading }, schema);
      const direction = page.start.kind === 'before' ? 'asc' : 'desc';
      const whole = `${select(`(${text})`)} order by d.id ${direction}`;
      return (await reading.list<RecordRow>({ text: whole, values })).map((row) => recordOf(scope, row));
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
}

/**
 * One page of deliveries, with the columns to read: those of one event or session, those waiting for a first attempt, or a merge of one
 * page of each kind and event type. A page reads little more than its own rows, whatever the filter excludes.
 */
function deliveryPage({ scope, filter, page, reading }: DeliveryListing, schema: string): Statement {
  const { status, target, eventType, eventId, sessionId } = filter;
  const pageBy = (along: 'key' | 'kinds'): PageQuery =>
    new PageQuery('d', scope, page, along === 'kinds' ? alongKinds(reading) : along).within(filter, objectIdTime);
  const ofShard = reading.isDistributed ? 'partner_id = $1 and ' : '';
  const rows = (from: string, clauses: string): string =>
    `select d.id, d.event_id, d.event_type, d.created_at, d.row, d.attempts from ${from} d ${clauses}`;
  const deliveries = `"${schema}".deliveries`;
  if (eventId !== null || sessionId !== null) {
    const query = pageBy('key')
      .where('d.status = ?', status)
      .where(`coalesce(d.row ->> 'target', 'webhook') = ?`, target)
      .where('d.event_type = ?', eventType);
    // These are few and have an index: all are found by it (the offsets force the planner to do so), and
    // the rest of the filter selects from them.
    const events = [
      ...(eventId === null ? [] : [`id = ${query.value(eventId)}`]),
      ...(sessionId === null ? [] : [`session_id = ${query.value(sessionId)}`]),
    ];
    const found = `(select d.* from (select id from "${schema}".events where ${ofShard}${events.join(' and ')} offset 0) e
      cross join lateral (select * from ${deliveries} where ${ofShard}event_id = e.id offset 0) d)`;
    return { text: rows(found, query.clauses), values: query.values };
  }
  if (target !== 'webhook') {
    const query = pageBy('key')
      .where('d.status = ?', status)
      .where(`coalesce(d.row ->> 'target', 'webhook') = ?`, target)
      .where('d.event_type = ?', eventType);
    return { text: rows(deliveries, query.clauses), values: query.values };
  }
  if (status === 'pending') {
    const query = pageBy('key').where('d.status = ?', status).where('d.event_type = ?', eventType);
    // Deliveries that wait for a first attempt are in the queue; delivered ones, the majority of their kind, are not. The ids of the queue
    // are in the order of the page (the offset forces the planner to use it), each is looked up, and a full page ends the scan.
    const waiting = `select w.id from "${schema}".delivery_queue w where ${ofShard}w.lane = any ('{first,retry}')
      and w.endpoint = ${query.value(`${scope.partnerId}/${scope.mode}/webhook`)} ${query.andIdsOf('w')} order by w.id ${query.direction} offset 0`;
    const text = `select p.* from (${waiting}) w cross join lateral (${rows(deliveries, query.clausesWhere('d.id = w.id'))}) p
      ${query.ending('w.id')}`;
    return { text, values: query.values };
  }
  // The other kinds contain one status each: with the condition repeated, the planner would expect so
  // few rows that it might scan all of them.
  const query = pageBy('kinds').where('d.status = ?', status === 'delivered' ? status : null);
  const kinds = query.value(status === null ? [...new Set(Object.values(KINDS))] : [KINDS[status]]);
  const paged = rows(deliveries, query.clausesWhere('d.kind = k.kind', 'd.event_type = k.type'));
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
