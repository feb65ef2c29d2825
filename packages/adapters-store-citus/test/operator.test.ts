import { COUNT_MAX, postgresOperator, type PostgresOperator } from '@gateramp/adapters-store-postgres';
import { rows } from '@gateramp/conformance';
import { emptyChange, MARKED_WORK_MAX, type Store } from '@gateramp/core/ports';
import type pg from 'pg';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { postgresStore } from '../../adapters-store-postgres/test/patient-store.js';
import { testPool } from '../../adapters-store-postgres/test/postgres-subject.js';
import { citus } from '../src/index.js';
import { distributedSchema } from './cluster-layout.js';

const { ACME, T0 } = rows;

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

it('the backlog stops counting at COUNT_MAX', async () => {
  await pool.query(
    `insert into ${schema}.delivery_queue (id, partner_id, mode, lane, endpoint, event_id, due_at, claims)
      select lpad(n::text, 24, '0'), 'acme', 'test', 'retry', 'acme/test', 'e', $1, 0 from generate_series(1, $2::int) n`,
    [T0, COUNT_MAX + 50],
  );
  expect((await operator.backlog('test', T0)).dueDeliveries).toBe(COUNT_MAX);
});

it('marks count held sessions and parked tasks of a mode up to MARKED_WORK_MAX', async () => {
  const read = async () => (await operator.marks({ scopes: [], work: true })).work;
  const parked = () => ({ ...rows.aTask({ at: T0, dueAt: T0 }), status: 'parked' as const });
  const held = () => ({ row: { ...rows.aSession().session, heldSince: T0 }, expectedVersion: null });
  const kinds = [
    (count: number) => ({ tasks: Array.from({ length: count }, parked) }),
    (count: number) => ({ sessions: Array.from({ length: count }, held) }),
  ];
  for (const of of kinds) {
    const add = (count: number) => store.commit({ ...emptyChange(ACME, T0), ...of(count) });
    await add(MARKED_WORK_MAX - 1);
    const below = await read();
    await add(1);
    const full = await read();
    expect(full).not.toBe(below);
    await add(1);
    expect(await read()).toBe(full);
  }
});
