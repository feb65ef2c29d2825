import { describeLaws, rows, storeLaws } from '@gateramp/conformance';
import type pg from 'pg';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { EACH_POSTGRES, postgresSubject, testPool } from '../postgres-subject.js';
import { partitionedSchema } from './partitioned-schema.js';

/** Close to each other and to the time of the laws, so that these cross them. */
const BORDERS = [-60_000, 1, 1_000, 60_000, 3_600_000, 86_400_000].map((after) => rows.T0 + after);

describe.each(EACH_POSTGRES)('partitioned, on %s', (_, stock) => {
  let pool: pg.Pool;
  beforeAll(async () => {
    pool = await testPool(10, { stock });
  });
  afterAll(() => pool.end());

  describeLaws(
    storeLaws,
    postgresSubject(
      () => pool,
      {},
      (on) => partitionedSchema(on, BORDERS),
    ),
    { describe, it },
  );
});
