import { describeLaws, sandboxStoreLaws, storeLaws } from '@gateramp/conformance';
import type pg from 'pg';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { EACH_POSTGRES } from '../each-postgres.js';
import { postgresSubject, testPool } from '../postgres-subject.js';
import { CLOSE_BORDERS, partitionedSchema } from './partitioned-schema.js';

describe.each(EACH_POSTGRES)('partitioned, on %s', (_, stock) => {
  let pool: pg.Pool;
  beforeAll(async () => {
    pool = await testPool(10, { stock });
  });
  afterAll(() => pool.end());

  describeLaws(
    [...storeLaws, ...sandboxStoreLaws],
    postgresSubject(
      () => pool,
      {},
      (on) => partitionedSchema(on, CLOSE_BORDERS),
    ),
    { describe, it },
  );
});
