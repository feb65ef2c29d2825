import { describeLaws, unfinishedWorkLaws } from '@gateramp/conformance';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { postgresOperator, postgresStore } from '../src/index.js';
import { freshSchema, testPool } from './postgres-subject.js';

let pool: pg.Pool;
beforeAll(async () => {
  pool = await testPool(4);
}, 60_000);
afterAll(() => pool.end());

describeLaws(
  unfinishedWorkLaws,
  {
    create: async () => {
      const schema = await freshSchema(pool);
      return {
        work: postgresOperator(pool, { schema }),
        store: postgresStore(pool, { schema }),
        close: async () => undefined,
      };
    },
  },
  { describe, it },
);

it('finds parked tasks by an index of their own, among many that were done', async () => {
  const schema = await freshSchema(pool);
  const { rows } = await pool.query<{ definition: string }>(
    'select indexdef as definition from pg_indexes where schemaname = $1 and indexname = $2',
    [schema, 'tasks_parked'],
  );
  expect(rows.map(({ definition }) => definition)).toEqual([
    expect.stringMatching(/\(mode, id\) WHERE \(\(free_at IS NULL\) AND \(done_at IS NULL\)\)$/),
  ]);
});
