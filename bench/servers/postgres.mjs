import pg from 'pg';

/** The same pool for both sides. */
export const POOL_SIZE = 16;

export function benchPool() {
  const pool = new pg.Pool({ connectionString: process.env.BENCH_DATABASE_URL, max: POOL_SIZE });
  pool.on('error', () => undefined);
  return pool;
}
