import type { Mode } from '@gateramp/core';
import type { Task } from '@gateramp/core/domain';
import type { Lease } from '@gateramp/core/ports';
import type { Database } from '../database.js';
import { withLease, type LeaseColumns } from '../reads/delivery-reads.js';

interface TaskRow extends LeaseColumns {
  readonly task: string;
}

export function taskWork(database: Database, schema: string) {
  const columns = 'row::text as task, lease_token, lease_until, claims';
  const claimOne = `update "${schema}".tasks
    set lease_token = $5, lease_until = $3::bigint + $4::bigint, free_at = $3::bigint + $4::bigint, claims = claims + 1
    where id = $2 and mode = $1 and free_at is not null
      and (lease_token is null or lease_until <= $3) and (free_at <= $3 or $6)
    returning ${columns}`;
  const find = `select ${columns} from "${schema}".tasks where id = $2 and mode = $1`;
  return {
    async claimTask(mode: Mode, id: string, lease: Lease & { readonly early: boolean }): Promise<Task | null> {
      const { now, leaseMs, token, early } = lease;
      return first(await database.query<TaskRow>(claimOne, [mode, id, now, leaseMs, token, early]));
    },
    async findTask(mode: Mode, id: string): Promise<Task | null> {
      return first(await database.query<TaskRow>(find, [mode, id]));
    },
  };
}

function first(rows: readonly TaskRow[]): Task | null {
  const [row] = rows;
  return row === undefined ? null : taskOf(row);
}

function taskOf(row: TaskRow): Task {
  // Written by this store from a Task.
  return withLease(JSON.parse(row.task) as Task, row);
}
