import type pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { migrate, migrations, postgresStore } from '../src/index.js';
import { aSchemaName, testPool } from './postgres-subject.js';

let pool: pg.Pool;
beforeAll(async () => {
  pool = await testPool();
});
afterAll(() => pool.end());

it('runs each migration once however many processes start at once', async () => {
  const schema = aSchemaName();
  const ran = await Promise.all(Array.from({ length: 6 }, () => migrate(pool, { schema })));
  expect(ran.flat()).toEqual(migrations(schema).map(({ name }) => name));
  expect(await migrate(pool, { schema })).toEqual([]);
});

it('is plain SQL that a host may run with a tool of its own', async () => {
  const schema = aSchemaName();
  await pool.query(`create schema ${schema}`);
  for (const { sql } of migrations(schema)) await pool.query(sql);
  expect(await postgresStore(pool, { schema }).readSetting('pepper')).toBeNull();
});

it('leaves nothing behind when a migration fails', async () => {
  const schema = aSchemaName();
  await pool.query(`create schema ${schema}; create table ${schema}.tasks ()`);
  await expect(migrate(pool, { schema })).rejects.toThrow('already exists');
  const { rows } = await pool.query('select tablename from pg_tables where schemaname = $1', [schema]);
  expect(rows).toEqual([{ tablename: 'tasks' }]);
});

it('keeps two schemas of one database apart', async () => {
  const [one, other] = [aSchemaName(), aSchemaName()];
  await migrate(pool, { schema: one });
  await migrate(pool, { schema: other });
  await postgresStore(pool, { schema: one }).swapSetting('pepper', null, 'one');
  expect(await postgresStore(pool, { schema: other }).readSetting('pepper')).toBeNull();
});

it('refuses a schema whose name would have to be quoted', async () => {
  await expect(migrate(pool, { schema: 'x"; drop schema public; --' })).rejects.toThrow('cannot be used');
});
