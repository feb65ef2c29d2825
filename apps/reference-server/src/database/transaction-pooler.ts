import type pg from 'pg';

const ROUNDS = 3;

/** Whether a proxy assigns a different server connection to each transaction. Uses two connections. */
export async function poolsByTransaction(pool: pg.Pool): Promise<boolean> {
  const one = await pool.connect();
  const other = await pool.connect();
  try {
    for (let round = 0; round < ROUNDS; round += 1) {
      const before = await serverProcess(one);
      await other.query('begin');
      const taken = await serverProcess(other);
      // While the other transaction holds it, this connection would have to wait for it or get another one.
      const after = taken === before ? null : await serverProcess(one);
      await other.query('rollback');
      if (after !== before) return true;
    }
    return false;
  } finally {
    one.release();
    other.release();
  }
}

async function serverProcess(client: pg.PoolClient): Promise<number> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  return rows[0]?.pid ?? 0;
}
