import { describeLaws, storeLaws } from '@gateramp/testing/conformance';
import type pg from 'pg';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { postgresSubject, testPool } from './postgres-subject.js';

let pool: pg.Pool;
beforeAll(async () => {
  pool = await testPool();
});
afterAll(() => pool.end());

describeLaws(storeLaws, postgresSubject(() => pool), { describe, it });
