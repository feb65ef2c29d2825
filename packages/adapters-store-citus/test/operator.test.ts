import { BACKLOG_COUNT_MAX, postgresOperator, type PostgresOperator } from '@gateramp/adapters-store-postgres';
import { rows } from '@gateramp/conformance';
import type { Store } from '@gateramp/core/ports';
import type pg from 'pg';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { expectMarksUpToTheLimit } from '../../adapters-store-postgres/test/marked-work.js';
import { postgresStore } from '../../adapters-store-postgres/test/patient-store.js';
import { testPool } from '../../adapters-store-postgres/test/postgres-subject.js';
import { citus } from '../src/index.js';
import { distributedSchema } from './cluster-layout.js';

const { T0 } = rows;

let pool: pg.Pool;
let schema: string;
let store: Store;
let operator: PostgresOperator;
beforeAll(async () => {
  pool = await testPool();
});
beforeEach(async () => {
  schema = await distributedSchema(pool);
  store = postgresStore(pool, { schema, distribution: citus });
  operator = postgresOperator(pool, { schema, distribution: citus });
});
afterAll(() => pool.end());

it('the backlog stops counting at BACKLOG_COUNT_MAX', async () => {
  await pool.query(
    `insert into ${schema}.delivery_queue (id, partner_id, mode, lane, endpoint, event_id, due_at, claims)
      select lpad(n::text, 24, '0'), 'acme', 'test', 'retry', 'acme/test', 'e', $1, 0 from generate_series(1, $2::int) n`,
    [T0, BACKLOG_COUNT_MAX + 50],
  );
  expect((await operator.backlog('test', T0)).dueDeliveries).toBe(BACKLOG_COUNT_MAX);
});

it('marks count held sessions and parked tasks of a mode up to MARKED_WORK_MAX', () =>
  expectMarksUpToTheLimit(store, operator));
