import type { Scope } from '@gateramp/core';
import type { DeliveryAttempt, EndpointHealth, PageRequest } from '@gateramp/core/domain';
import type { DeliveryFilter, DeliveryRecord, Finders } from '@gateramp/core/ports';
import { deliveryOfRow } from '../delivery-row.js';
import { deliveryPage } from './delivery-pages.js';
import { PageQuery } from './page-query.js';
import type { Reading, ReadsOf } from './reading.js';

/** A delivery, the lease of its place in the queue if it has one, and its attempts. `bigint` arrives as text. */
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
  // Each delivery's place is looked up by itself: joined, some plans read the whole queue.
  const select = (from: string): string =>
    `select d.id, d.event_id, d.event_type, d.created_at, d.row::text as row, array_to_json(d.attempts)::text as attempts,
      q.id is not null as is_queued, q.lease_token, q.lease_until, q.claims
    from ${from} d left join lateral (
      select id, lease_token, lease_until, claims from "${schema}".delivery_queue where id = d.id limit 1) q on true`;
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
      const { text, values } = deliveryPage({ scope, filter, page }, schema);
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

/** The row as it was written last, with the lease it has now. */
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
