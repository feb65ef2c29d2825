import { rows } from '@gateramp/conformance';
import type pg from 'pg';
import { cutOpenEnd } from '../../src/partitions/cut.js';
import { withPartitionWork } from '../../src/partitions/session.js';
import { PARTITIONED_TABLES } from '../../src/partitions/tables.js';
import { freshSchema } from '../postgres-subject.js';

/** Close to each other and to the time of the laws, so that these cross them. */
export const CLOSE_BORDERS = [-60_000, 1, 1_000, 60_000, 3_600_000, 86_400_000].map((after) => rows.T0 + after);

/** A new schema whose tables are partitioned at any instants. */
export async function partitionedSchema(pool: pg.Pool, borders: readonly number[]): Promise<string> {
  const schema = await freshSchema(pool);
  const [first = 0, ...others] = borders;
  await withPartitionWork(pool, schema, {}, async (work) => {
    for (const table of PARTITIONED_TABLES) await cutOpenEnd(work, table, [first, ...others]);
  });
  return schema;
}
