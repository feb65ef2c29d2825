import pg from 'pg';

/** The pool size of both sides. */
export const POOL_SIZE = 16;

export function benchPool() {
  const pool = new pg.Pool({ connectionString: process.env.BENCH_DATABASE_URL, max: POOL_SIZE });
  pool.on('error', () => undefined);
  return pool;
}
