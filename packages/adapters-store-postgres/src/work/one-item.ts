import type { Task } from '@gateramp/core/domain';
import type { ClaimsOfOne, Finders, WorkOwner } from '@gateramp/core/ports';
import type { Database } from '../database.js';
import { type LeaseColumns, withLease } from '../reads/deliveries.js';
import { CLAIM_COLUMNS, claimedOf, type DeliveryClaimRow } from './claims.js';

interface TableShape {
  readonly schema: string;
  readonly isDistributed: boolean;
}

interface TaskRow extends LeaseColumns {
  readonly task: string;
}

const COLUMNS = 'row::text as task, lease_token, lease_until, claims';

export function deliveryClaim(database: Database, { schema, isDistributed }: TableShape): ClaimsOfOne['delivery'] {
  const claim = `select ${CLAIM_COLUMNS} from "${schema}".claim_delivery($1, $2, $3, $4, $5)`;
  const claimOfPartner = `with leased as (
      update "${schema}".delivery_queue set lease_token = $5, lease_until = $3::bigint + $4::bigint, claims = claims + 1
      where partner_id = $6 and id = $2 and mode = $1 and due_at <= $3 and (lease_token is null or lease_until <= $3)
      returning event_id, id, claims)
    select d.id as delivery_id, d.created_at as owed_since, d.row::text as work, q.claims,
      e.id, e.partner_id, e.mode, e.session_id, e.sequence, e.type, e.created_at, e.body
    from leased q
    join "${schema}".deliveries d on d.partner_id = $6 and d.mode = $1 and d.id = q.id
    join "${schema}".events e on e.partner_id = $6 and e.id = q.event_id`;
  const partnerOf = partnerFinder(database, schema, 'delivery_queue');
  return async (owner, id, lease) => {
    const values = [owner.mode, id, lease.now, lease.leaseMs, lease.token];
    const [row] = isDistributed
      ? await database.query<DeliveryClaimRow>(claimOfPartner, [...values, await partnerOf(owner, id)])
      : await database.query<DeliveryClaimRow>(claim, values);
    return row === undefined ? null : claimedOf(row, lease);
  };
}

export function taskClaim(database: Database, { schema, isDistributed }: TableShape): ClaimsOfOne['task'] {
  // The collation keeps the planner from searching all due tasks.
  const claim = (ofShard: string) => `update "${schema}".tasks
    set lease_token = $5, lease_until = $3::bigint + $4::bigint, free_at = $3::bigint + $4::bigint, claims = claims + 1
    where ${ofShard}id = $2 and mode collate "POSIX" = $1 and free_at is not null
      and (lease_token is null or lease_until <= $3) and (free_at <= $3 or $6)
    returning ${COLUMNS}`;
  const text = claim(isDistributed ? 'partner_id = $7 and ' : '');
  const partnerOf = partnerFinder(database, schema, 'tasks');
  return async (owner, id, { now, leaseMs, token, early }) => {
    const values = [owner.mode, id, now, leaseMs, token, early];
    const partner = isDistributed ? [await partnerOf(owner, id)] : [];
    return first(await database.query<TaskRow>(text, [...values, ...partner]));
  };
}

/** On distributed tables the partner selects the shard of an item. If the caller does not know it, all shards are asked. */
function partnerFinder(
  database: Database,
  schema: string,
  table: 'tasks' | 'delivery_queue',
): (owner: WorkOwner, id: string) => Promise<string | null> {
  const text = `select partner_id from "${schema}".${table} where id = $1 and mode = $2`;
  return async ({ mode, partnerId }, id) => {
    if (partnerId !== undefined) return partnerId;
    const [row] = await database.query<{ partner_id: string }>(text, [id, mode]);
    return row?.partner_id ?? null;
  };
}

export function taskFinder(database: Database, { schema, isDistributed }: TableShape): Finders['task'] {
  const partner = isDistributed ? 'partner_id' : "row ->> 'partnerId'";
  const find = `select ${COLUMNS} from "${schema}".tasks where id = $2 and mode = $1 and ${partner} = $3`;
  return async ({ partnerId, mode }, id) => first(await database.query<TaskRow>(find, [mode, id, partnerId]));
}

function first(rows: readonly TaskRow[]): Task | null {
  const [row] = rows;
  return row === undefined ? null : taskOf(row);
}

function taskOf(row: TaskRow): Task {
  // Written by this store from a Task.
  return withLease(JSON.parse(row.task) as Task, row);
}
