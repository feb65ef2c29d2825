import { describeLaws, sandboxStoreLaws, storeLaws } from '@gateramp/conformance';
import type pg from 'pg';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { postgresLaws } from './postgres-laws.js';
import { postgresSubject, testPool } from './postgres-subject.js';

/** All laws of a store, on the machine's own Postgres or on the one from npm. */
export function describeConformance({ stock }: { readonly stock: boolean }): void {
  let pool: pg.Pool;
  beforeAll(async () => {
    pool = await testPool(10, { stock });
  });
  afterAll(() => pool.end());

  describeLaws(
    [...storeLaws, ...sandboxStoreLaws, ...postgresLaws(() => pool)],
    postgresSubject(() => pool),
    { describe, it },
  );
}
