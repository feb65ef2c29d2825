import type { Pool } from 'pg';

const READ = 'select (extract(epoch from clock_timestamp()) * 1000)::float8 as now';

/**
 * Whether the database answers, and how far its clock is ahead of ours, in milliseconds. Half the way there and back is taken for the way
 * there, so what remains is as wrong as the network is slow.
 */
export async function probeDatabase(pool: Pool): Promise<{ readonly aheadMs: number }> {
  const asked = Date.now();
  const { rows } = await pool.query<{ now: number }>(READ);
  const answered = Date.now();
  const [row] = rows;
  if (row === undefined) throw new Error('The database told no time.');
  return { aheadMs: row.now - (asked + answered) / 2 };
}
