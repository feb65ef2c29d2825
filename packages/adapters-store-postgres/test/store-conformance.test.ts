import { describeLaws, storeLaws } from '@gateramp/conformance';
import pg from 'pg';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { testDatabaseUrl } from '../../../tests/services/test-postgres.js';
import { postgresSubject } from './postgres-subject.js';

describe.each([
  ['the Postgres from npm', false],
  ["the machine's own Postgres, as it comes", true],
])('on %s', (_, stock) => {
  let pool: pg.Pool;
  beforeAll(async () => {
    pool = new pg.Pool({ connectionString: await testDatabaseUrl({ stock }), max: 10 });
    pool.on('error', () => undefined);
  });
  afterAll(() => pool.end());

  describeLaws(
    storeLaws,
    postgresSubject(() => pool),
    { describe, it },
  );
});
