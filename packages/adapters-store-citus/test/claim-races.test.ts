import { describeLaws } from '@gateramp/conformance';
import type pg from 'pg';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { postgresSubject, testPool } from '../../adapters-store-postgres/test/postgres-subject.js';
import { claimRaceLaws } from './claim-race-laws.js';

let pool: pg.Pool;
beforeAll(async () => {
  pool = await testPool();
});
afterAll(() => pool.end());

describeLaws(
  claimRaceLaws(() => pool),
  postgresSubject(() => pool),
  { describe, it },
);
