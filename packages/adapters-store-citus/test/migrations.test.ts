import type pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { freshSchema, testPool } from '../../adapters-store-postgres/test/postgres-subject.js';
import { citusMigrations, migrateCitus } from '../src/index.js';

let pool: pg.Pool;
beforeAll(async () => {
  pool = await testPool();
});
afterAll(() => pool.end());

it('creates its functions once, however many processes start at once, and no other schema has them', async () => {
  const [schema, other] = [await freshSchema(pool), await freshSchema(pool)];
  const functionsOf = async (name: string) => {
    const text = `select proname::text as name from pg_proc
      where pronamespace = $1::regnamespace and (proname like '%of\\_partner' or proname = 'save_audited') order by 1`;
    return (await pool.query<{ name: string }>(text, [name])).rows.map((row) => row.name);
  };
  const ran = await Promise.all(Array.from({ length: 4 }, () => migrateCitus(pool, { schema })));
  expect(ran.flat()).toEqual(citusMigrations(schema).map(({ name }) => name));
  expect(await migrateCitus(pool, { schema })).toEqual([]);
  expect(await functionsOf(other)).toEqual([]);
  expect(await functionsOf(schema)).toEqual([
    'claim_deliveries_of_partner',
    'commit_audited_of_partner',
    'commit_of_partner',
    'record_deliveries_of_partner',
    'save_audited',
  ]);
});
