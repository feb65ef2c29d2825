import type { Pool } from 'pg';
import { asOutage } from './outage.js';

/** The very moment of the answer: `now()` would be when its transaction began. */
const READ = 'select (extract(epoch from clock_timestamp()) * 1000)::float8 as now';

/**
 * What time it is at the database, in epoch milliseconds: the sampler of a `storeClock`. Give it a pool whose
 * connections are not all taken by requests, because waiting for one makes the answer too old to be used.
 */
export function postgresTime(pool: Pick<Pool, 'query'>): () => Promise<number> {
  return async () => {
    const { rows } = await pool.query<{ now: number }>(READ).catch((error: unknown) => {
      throw asOutage(error);
    });
    return rows[0]?.now ?? NaN;
  };
}
