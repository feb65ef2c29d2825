import type pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Database, pooled } from '../src/database.js';
import { sweepUp } from '../src/reap.js';
import { aSchemaName, freshSchema, testPool } from './postgres-subject.js';

let pool: pg.Pool;
beforeAll(async () => {
  pool = await testPool(1);
});
afterAll(() => pool.end());

it.each([false, true])(
  'clears the queue of what was recorded, once every few thousand deliveries; prepared statements: %s',
  async (preparedStatements) => {
    const schema = await freshSchema(pool);
    const recorded = sweepUp(database(preparedStatements), schema);
    for (let nth = 0; nth < 4; nth += 1) recorded(1_200);
    expect(await vacuums(schema)).toBe(0);
    recorded(1_200);
    expect(await vacuums(schema)).toBe(1);
  },
);

it('spends a small share of the time in vacuums, however long each takes', async () => {
  const schema = await freshSchema(pool);
  let time = 0;
  const slow: Database = {
    async query<Row extends pg.QueryResultRow>(text: string, values: readonly unknown[]) {
      const found = await database().query<Row>(text, values);
      time += 1_000;
      return found;
    },
  };
  const recorded = sweepUp(slow, schema, () => time);
  recorded(5_000);
  expect(await vacuums(schema)).toBe(1);
  recorded(100_000);
  time += 19_000;
  recorded(100_000);
  expect(await vacuums(schema)).toBe(1);
  time += 1_000;
  recorded(1);
  expect(await vacuums(schema)).toBe(2);
});

it('says nothing when it may not or cannot: autovacuum comes all the same', async () => {
  const recorded = sweepUp(database(), aSchemaName());
  recorded(1_000_000);
  expect(await vacuums('nowhere')).toBe(0);
});

function database(preparedStatements = false) {
  return pooled(pool, { queryTimeoutMs: 5_000, preparedStatements });
}

/** Runs after everything requested earlier, as the pool has one connection. */
async function vacuums(schema: string): Promise<number> {
  await pool.query('select pg_stat_force_next_flush()');
  const counted = await pool.query<{ vacuums: string }>(
    `select coalesce(sum(vacuum_count), 0) as vacuums from pg_stat_user_tables where schemaname = $1 and relname = 'delivery_queue'`,
    [schema],
  );
  return Number(counted.rows[0]?.vacuums);
}
