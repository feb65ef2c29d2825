import { rows } from '@gateramp/conformance';
import pg from 'pg';
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest';
import { scratchDatabase } from '../../../tests/services/scratch-database.js';
import { testDatabaseUrl } from '../../../tests/services/test-postgres.js';
import { migrate, migrations, postgresStore } from '../src/index.js';
import { migrateTo } from '../src/migrations/migrate.js';
import { aSchemaName, freshSchema, testPool } from './postgres-subject.js';

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
  const { rows: found } = await pool.query(
    "select tablename from pg_tables where schemaname = $1 and tablename <> 'migrations'",
    [schema],
  );
  expect(found).toEqual([{ tablename: 'tasks' }]);
  expect((await pool.query(`select from "${schema}".migrations`)).rows).toEqual([]);
});

it('goes on where it was stopped: what was done before the one that failed stays', async () => {
  const schema = aSchemaName();
  const known = migrations(schema);
  const half = known.map((one) => (one.number === 4 ? { ...one, sql: `${one.sql}; select 1 / 0` } : one));
  await expect(migrateTo({ known: half, usableFrom: 0 }, pool, schema)).rejects.toThrow('division by zero');
  expect(await migrate(pool, { schema })).toEqual(known.slice(3).map(({ name }) => name));
});

const nth = (schema: string, number: number, sql: string) => ({
  number: migrations(schema).length + number,
  name: `extra-${number}`,
  sql: sql.replaceAll('gate.', `"${schema}".`),
});

it('gives way to those who wait behind it for a lock that it cannot have, says so, and tries again', async () => {
  const schema = await freshSchema(pool);
  const locks = nth(schema, 1, 'alter table gate.sessions add column extra text');
  const reader = await pool.connect();
  await reader.query(`begin; select from "${schema}".sessions`);
  const lines: string[] = [];
  const target = { known: [...migrations(schema), locks], usableFrom: 0 };
  const migrating = migrateTo(target, pool, schema, { onProgress: (line) => lines.push(line) });
  await vi.waitFor(() => expect(lines).not.toHaveLength(0), { timeout: 10_000 });
  expect(lines[0]).toMatch(/^The migration waits for a lock held by process \d+ of Postgres \(".+"\), open for \d+ s/);
  await pool.query(`select from "${schema}".sessions`);
  await reader.query('commit');
  reader.release();
  expect(await migrating).toEqual(['extra-1']);
});

it('gives up on a lock that it never gets, and says who holds it', async () => {
  const schema = await freshSchema(pool);
  const reader = await pool.connect();
  await reader.query(`begin; select from "${schema}".sessions`);
  const known = [...migrations(schema), nth(schema, 1, 'alter table gate.sessions add column extra text')];
  const gaveUp = migrateTo({ known, usableFrom: 0 }, pool, schema, { giveUpAfterMs: 300 });
  await expect(gaveUp).rejects.toThrow(/its tables were locked for \d+ s, most recently by process \d+ of Postgres/);
  await reader.query('commit');
  reader.release();
  expect(await migrateTo({ known, usableFrom: 0 }, pool, schema)).toEqual(['extra-1']);
});

it('repeats an index build that was cut off', async () => {
  const { url } = await scratchDatabase();
  const own = new pg.Pool({ connectionString: url, max: 4 });
  onTestFinished(() => own.end());
  const schema = await freshSchema(own);
  await postgresStore(own, { schema }).swapSetting('pepper', null, 'one');
  const sql = 'create index concurrently settings_value on gate.settings (value)';
  const known = [
    ...migrations(schema),
    nth(schema, 1, sql),
    nth(schema, 2, 'drop index concurrently gate.settings_value'),
  ];
  const reader = await own.connect();
  await reader.query(`begin isolation level repeatable read; select from "${schema}".settings`);
  const builder = await own.connect();
  await builder.query('set statement_timeout = 300');
  await expect(builder.query(sql.replaceAll('gate.', `"${schema}".`))).rejects.toThrow('statement timeout');
  builder.release(true);
  const isValid = async () =>
    (
      await own.query('select indisvalid as v from pg_index where indexrelid = to_regclass($1)', [
        `${schema}.settings_value`,
      ])
    ).rows[0]?.v as unknown;
  expect(await isValid()).toBe(false);
  await reader.query('commit');
  reader.release();
  expect(await migrateTo({ known: known.slice(0, -1), usableFrom: 0 }, own, schema)).toEqual(['extra-1']);
  expect(await isValid()).toBe(true);
  expect(await migrateTo({ known, usableFrom: 0 }, own, schema)).toEqual(['extra-2']);
  expect(await isValid()).toBeUndefined();
});

it('refuses a schema that something else has migrated, and names migrations that were recorded without a name', async () => {
  const schema = await freshSchema(pool);
  await pool.query(`alter table "${schema}".migrations alter column name drop not null`);
  await pool.query(`update "${schema}".migrations set name = null where number < 4`);
  expect(await migrate(pool, { schema })).toEqual([]);
  const { rows: named } = await pool.query(`select name from "${schema}".migrations order by number`);
  expect(named).toEqual(migrations(schema).map(({ name }) => ({ name })));
  await pool.query(`update "${schema}".migrations set name = 'users' where number = 2`);
  await expect(migrate(pool, { schema })).rejects.toThrow(
    /was migrated by different software: its migration 2 is "users", but this version has "lists"/,
  );
});

it('keeps two schemas of one database apart', async () => {
  const [one, other] = [aSchemaName(), aSchemaName()];
  await migrate(pool, { schema: one });
  await migrate(pool, { schema: other });
  await postgresStore(pool, { schema: one }).swapSetting('pepper', null, 'one');
  expect(await postgresStore(pool, { schema: other }).readSetting('pepper')).toBeNull();
});

it('refuses a schema whose name would have to be quoted', async () => {
  await expect(migrate(pool, { schema: 'x"; drop schema public; --' })).rejects.toThrow('is not a valid name');
});
