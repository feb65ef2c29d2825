import { describeLaws, storeLaws } from '@gateramp/conformance';
import type pg from 'pg';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { postgresLaws } from './postgres-laws.js';
import { EACH_POSTGRES } from './each-postgres.js';
import { postgresSubject, testPool } from './postgres-subject.js';

describe.each(EACH_POSTGRES)('on %s', (_, stock) => {
  let pool: pg.Pool;
  beforeAll(async () => {
    pool = await testPool(10, { stock });
  });
  afterAll(() => pool.end());

  describeLaws(
    [...storeLaws, ...postgresLaws(() => pool)],
    postgresSubject(() => pool),
    { describe, it },
  );
});
