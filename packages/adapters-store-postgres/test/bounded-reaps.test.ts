import { aCreate, rows } from '@gateramp/conformance';
import { DAY } from '@gateramp/core/domain';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { testDatabaseUrl } from '../../../tests/services/test-postgres.js';
import { postgresStore } from './patient-store.js';
import { freshSchema, testPool } from './postgres-subject.js';

/** Plans that Postgres chooses rarely, which would select the rows of a batch again for every row. */
const AGAIN_AND_AGAIN = ['hashjoin', 'mergejoin', 'hashagg', 'sort', 'material', 'memoize']
  .map((name) => `-c enable_${name}=off`)
  .join(' ');

let pool: pg.Pool;
let unusual: pg.Pool;
beforeAll(async () => {
  pool = await testPool();
  unusual = new pg.Pool({ connectionString: await testDatabaseUrl(), max: 2, options: AGAIN_AND_AGAIN });
});
afterAll(() => Promise.all([pool.end(), unusual.end()]));

it('reaps at most as many as asked, however Postgres looks for them', async () => {
  const schema = await freshSchema(pool);
  const store = postgresStore(unusual, { schema });
  for (let nth = 0; nth < 5; nth += 1) await store.commit(aCreate(`key-${nth}`));
  const request = { mode: rows.ACME.mode, now: rows.T0 + 2 * DAY, limit: 2, keepEnded: 30 * DAY };
  const counts = [];
  for (let nth = 0; nth < 4; nth += 1) counts.push(await store.reap(request));
  expect(counts).toEqual([2, 2, 1, 0]);
});
