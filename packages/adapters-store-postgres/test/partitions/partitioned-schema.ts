import type pg from 'pg';
import { cutOpenEnd } from '../../src/partitions/cut.js';
import { withPartitionWork } from '../../src/partitions/session.js';
import { PARTITIONED_TABLES } from '../../src/partitions/tables.js';
import { freshSchema } from '../postgres-subject.js';

/** A new schema whose tables are partitioned at any instants. */
export async function partitionedSchema(pool: pg.Pool, borders: readonly number[]): Promise<string> {
  const schema = await freshSchema(pool);
  const [first = 0, ...others] = borders;
  await withPartitionWork(pool, schema, {}, async (work) => {
    for (const table of PARTITIONED_TABLES) await cutOpenEnd(work, table, [first, ...others]);
  });
  return schema;
}
