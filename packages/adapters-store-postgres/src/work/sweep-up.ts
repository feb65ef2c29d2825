import type { Database } from '../database.js';

/** Each costs about as much as recording a hundred results. */
const EVERY_RECORDED = 5_000;

/**
 * A queue that drains leaves what it was behind: every claim walks over the index entries of all that was claimed since
 * the last vacuum, and Postgres comes by itself once a minute at best. So recording also sweeps up. It locks
 * no one out, gives way to any other vacuum, and where the role may not do it, autovacuum is what there is.
 */
export function sweepUp(database: Database, schema: string): (recorded: number) => void {
  let sinceLast = 0;
  let isSweeping = false;
  return (recorded) => {
    sinceLast += recorded;
    if (sinceLast < EVERY_RECORDED || isSweeping) return;
    sinceLast = 0;
    isSweeping = true;
    database
      .query(`vacuum (skip_locked, truncate off) "${schema}".delivery_queue`, [])
      .catch(() => undefined)
      .finally(() => {
        isSweeping = false;
      });
  };
}
