import { rows } from '@gateramp/conformance';
import pg from 'pg';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { testDatabaseUrl } from '../../../tests/services/test-postgres.js';
import { migrate, migrations, postgresStore } from '../src/index.js';
import { migrateTo } from '../src/migrations/migrate.js';
import { aSchemaName, testPool } from './postgres-subject.js';

let pool: pg.Pool;
beforeAll(async () => {
  pool = await testPool();
});
afterAll(() => pool.end());

it('runs each migration once however many processes start at once', async () => {
  const schema = aSchemaName();
  const ran = await Promise.all(Array.from({ length: 6 }, () => migrate(pool, { schema })));
  expect(ran.flat().sort()).toEqual(
    migrations(schema)
      .map(({ name }) => name)
      .sort(),
  );
  expect(await migrate(pool, { schema })).toEqual([]);
});

it('waits for no lock and writes nothing where there is nothing to do', async () => {
  const schema = aSchemaName();
  await migrate(pool, { schema });
  const holder = await pool.connect();
  await holder.query('begin');
  await holder.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`${schema}/migrate`]);
  const reader = new pg.Pool({
    connectionString: await testDatabaseUrl(),
    options: '-c default_transaction_read_only=on',
  });
  expect(await migrate(reader, { schema })).toEqual([]);
  await reader.end();
  await holder.query('commit');
  holder.release();
});

it('brings a database of an earlier version up to date, and keeps what is in it', async () => {
  const schema = aSchemaName();
  const key = rows.aKey();
  const [before, after] = [migrations(schema).slice(0, 4), migrations(schema).slice(4)];
  await pool.query(
    `create schema ${schema}; create table ${schema}.migrations (number int primary key, name text not null)`,
  );
  for (const { number, name, sql } of before)
    await pool.query(`${sql}; insert into ${schema}.migrations values (${number}, '${name}')`);
  await pool.query(`insert into ${schema}.api_keys (hash, partner_id, row) values ($1, $2, $3)`, [
    key.hash,
    key.partnerId,
    JSON.stringify(key),
  ]);
  expect(await migrate(pool, { schema })).toEqual(after.map(({ name }) => name));
  expect(await postgresStore(pool, { schema }).listKeys(key.partnerId)).toEqual([{ key, lastUsedAt: null }]);
});

it('takes no function away from processes of the version before, which are replaced one after another', async () => {
  const schema = aSchemaName();
  const ofTheVersionBefore = migrations(schema).slice(0, 4);
  const functions = async (): Promise<readonly string[]> =>
    (
      await pool.query<{ name: string }>(
        'select p.oid::regprocedure::text as name from pg_proc p where pronamespace = $1::regnamespace',
        [schema],
      )
    ).rows.map(({ name }) => name);
  await pool.query(
    `create schema ${schema}; create table ${schema}.migrations (number int primary key, name text not null)`,
  );
  for (const { number, name, sql } of ofTheVersionBefore)
    await pool.query(`${sql}; insert into ${schema}.migrations values (${number}, '${name}')`);
  const before = await functions();
  await migrate(pool, { schema });
  expect(before).not.toHaveLength(0);
  expect(await functions()).toEqual(expect.arrayContaining([...before]));
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
  const { rows: found } = await pool.query('select tablename from pg_tables where schemaname = $1', [schema]);
  expect(found).toEqual([{ tablename: 'tasks' }]);
});

it('goes on where it was stopped: what was done before the one that failed stays', async () => {
  const schema = aSchemaName();
  const known = migrations(schema);
  const half = known.map((one) => (one.number === 4 ? { ...one, sql: `${one.sql}; select 1 / 0` } : one));
  await expect(migrateTo(half, pool, schema)).rejects.toThrow('division by zero');
  expect(await migrate(pool, { schema })).toEqual(known.slice(3).map(({ name }) => name));
});

it('keeps no lock of one migration while it runs the next, which waits for those who wait for that lock', async () => {
  const schema = aSchemaName();
  await migrate(pool, { schema });
  const locks = (number: number, table: string) => ({
    number: migrations(schema).length + number,
    name: `locks ${table}`,
    sql: `lock table "${schema}".${table} in access exclusive mode`,
  });
  const request = await pool.connect();
  await request.query('begin');
  await request.query(`select from "${schema}".sessions`);
  const known = [...migrations(schema), locks(1, 'deliveries'), locks(2, 'sessions')];
  const migrating = migrateTo(known, pool, schema);
  await vi.waitFor(async () => {
    const { rows: waiting } = await pool.query(
      `select from pg_locks where not granted and relation = '"${schema}".sessions'::regclass`,
    );
    expect(waiting).toHaveLength(1);
  });
  await request.query(`set local lock_timeout = '5s'`);
  await request.query(`select from "${schema}".deliveries`);
  await request.query('commit');
  request.release();
  expect(await migrating).toHaveLength(2);
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
