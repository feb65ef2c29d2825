import type { Task } from '@gateramp/core/domain';
import type { ClaimsOfOne, Finders } from '@gateramp/core/ports';
import type { Database } from '../database.js';
import { type LeaseColumns, withLease } from '../reads/deliveries.js';
import { CLAIM_COLUMNS, claimedOf, type DeliveryClaimRow } from './claims.js';

interface TaskRow extends LeaseColumns {
  readonly task: string;
}

const COLUMNS = 'row::text as task, lease_token, lease_until, claims';

export function deliveryClaim(database: Database, schema: string): ClaimsOfOne['delivery'] {
  const claim = `select ${CLAIM_COLUMNS} from "${schema}".claim_delivery($1, $2, $3, $4, $5)`;
  return async ({ mode }, id, lease) => {
    const values = [mode, id, lease.now, lease.leaseMs, lease.token];
    const [row] = await database.query<DeliveryClaimRow>(claim, values);
    return row === undefined ? null : claimedOf(row, lease);
  };
}

export function taskClaim(database: Database, schema: string): ClaimsOfOne['task'] {
  // The collation keeps the planner from searching all due tasks.
  const claim = `update "${schema}".tasks
    set lease_token = $5, lease_until = $3::bigint + $4::bigint, free_at = $3::bigint + $4::bigint, claims = claims + 1
    where id = $2 and mode collate "POSIX" = $1 and free_at is not null
      and (lease_token is null or lease_until <= $3) and (free_at <= $3 or $6)
    returning ${COLUMNS}`;
  return async ({ mode }, id, { now, leaseMs, token, early }) =>
    first(await database.query<TaskRow>(claim, [mode, id, now, leaseMs, token, early]));
}

export function taskFinder(database: Database, schema: string): Finders['task'] {
  const find = `select ${COLUMNS} from "${schema}".tasks where id = $2 and mode = $1 and row ->> 'partnerId' = $3`;
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
