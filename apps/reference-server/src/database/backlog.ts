import type { Mode } from '@gateramp/core';
import type { Pool } from 'pg';
import { SCHEMA } from './schema.js';

/** What waits for a worker in one mode. Counts stop at `COUNT_MAX`: beyond it the number changes nothing that an operator would do. */
export interface Backlog {
  readonly dueDeliveries: number;
  readonly overdueDeliveries: number;
  readonly dueTasks: number;
  readonly overdueTasks: number;
  readonly heldSessions: number;
}

export const COUNT_MAX = 10_000;

/** Due this long and still not taken: workers are missing, stuck or too few. */
export const OVERDUE_MS = 30_000;

const count = (rows: string): string => `(select count(*)::int from (select ${rows} limit ${COUNT_MAX}) counted)`;
const deliveries = (until: string): string => count(`from ${SCHEMA}.delivery_queue where mode = $1 and lane in ('first', 'retry') and free_at <= ${until}`);
const tasks = (until: string): string => count(`from ${SCHEMA}.tasks where mode = $1 and free_at is not null and free_at <= ${until}`);

/** Heads of indexes only. `free_at` is the due time, or the end of a lease: a lapsed lease is due again. */
const READ = `select ${deliveries('$2')} as "dueDeliveries", ${deliveries('$3')} as "overdueDeliveries",
  ${tasks('$2')} as "dueTasks", ${tasks('$3')} as "overdueTasks",
  ${count(`from ${SCHEMA}.sessions where mode = $1 and is_held`)} as "heldSessions"`;

export async function readBacklog(pool: Pool, mode: Mode, now: number): Promise<Backlog> {
  const { rows } = await pool.query<Backlog>(READ, [mode, now, now - OVERDUE_MS]);
  const [backlog] = rows;
  if (backlog === undefined) throw new Error('A select of counts answered no row.');
  return backlog;
}
