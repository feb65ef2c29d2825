import type { Task } from '@gateramp/core/domain';
import type { ClaimsOfOne, Finders, WorkOwner } from '@gateramp/core/ports';
import {
  claimedOf,
  type Database,
  type DeliveryClaimRow,
  taskOf,
  type TaskRow,
} from '@gateramp/adapters-store-postgres/distribution';

const COLUMNS = 'row::text as row, lease_token, lease_until, claims';

/** The claim of one item, in the shard of its partner. */
export function claimsOfOne(database: Database, schema: string): ClaimsOfOne {
  const delivery = `with leased as (
      update "${schema}".delivery_queue set lease_token = $5, lease_until = $3::bigint + $4::bigint, claims = claims + 1
      where partner_id = $6 and id = $2 and mode = $1 and due_at <= $3 and (lease_token is null or lease_until <= $3)
      returning event_id, id, claims)
    select d.id as delivery_id, d.created_at as owed_since, d.row::text as work, q.claims,
      e.id, e.partner_id, e.mode, e.session_id, e.sequence, e.type, e.created_at, e.body
    from leased q
    join "${schema}".deliveries d on d.partner_id = $6 and d.mode = $1 and d.id = q.id
    join "${schema}".events e on e.partner_id = $6 and e.id = q.event_id`;
  const task = `update "${schema}".tasks
    set lease_token = $5, lease_until = $3::bigint + $4::bigint, free_at = $3::bigint + $4::bigint, claims = claims + 1
    where partner_id = $7 and id = $2 and mode collate "POSIX" = $1 and free_at is not null
      and (lease_token is null or lease_until <= $3) and (free_at <= $3 or $6)
    returning ${COLUMNS}`;
  const ownerOfDelivery = partnerFinder(database, schema, 'delivery_queue');
  const ownerOfTask = partnerFinder(database, schema, 'tasks');
  return {
    delivery: async (owner, id, lease) => {
      const values = [owner.mode, id, lease.now, lease.leaseMs, lease.token, await ownerOfDelivery(owner, id)];
      const [row] = await database.query<DeliveryClaimRow>(delivery, values);
      return row === undefined ? null : claimedOf(row, lease);
    },
    task: async (owner, id, { now, leaseMs, token, early }) => {
      const values = [owner.mode, id, now, leaseMs, token, early, await ownerOfTask(owner, id)];
      return first(await database.query<TaskRow>(task, values));
    },
  };
}

export function taskFinder(database: Database, schema: string): Finders['task'] {
  const find = `select ${COLUMNS} from "${schema}".tasks where id = $2 and mode = $1 and partner_id = $3`;
  return async ({ partnerId, mode }, id) => first(await database.query<TaskRow>(find, [mode, id, partnerId]));
}

/** The partner selects the shard of an item. If the caller does not know it, all shards are asked. */
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

function first(rows: readonly TaskRow[]): Task | null {
  const [row] = rows;
  return row === undefined ? null : taskOf(row);
}
