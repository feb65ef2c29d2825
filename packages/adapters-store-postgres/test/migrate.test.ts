import { rows } from '@gateramp/conformance';
import pg from 'pg';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { scratchDatabase } from '../../../tests/services/scratch-database.js';
import { testDatabaseUrl } from '../../../tests/services/test-postgres.js';
import { migrate, migrations } from '../src/index.js';
import { postgresStore } from './patient-store.js';
import { migrateTo } from '../src/migrations/migrate.js';
import { inSchema } from '../src/migrations/migrations.js';
import { aSchemaName, freshSchema, testPool } from './postgres-subject.js';

let pool: pg.Pool;
beforeAll(async () => {
  pool = await testPool();
});
afterAll(() => pool.end());

/** The migrations of this version, followed by these of a later one. */
const followedBy = (schema: string, ...sources: readonly string[]) => {
  const known = migrations(schema);
  const more = sources.map((sql, nth) => ({
    number: known.length + nth + 1,
    name: `extra-${nth + 1}`,
    sql: inSchema(sql, schema),
  }));
  return { known: [...known, ...more], usableFrom: 0 };
};
const ADD_COLUMN = 'alter table gate.sessions add column extra text';

it.each(['LATIN1', 'SQL_ASCII', 'WIN1252'])('refuses a database in %s before it makes anything', async (encoding) => {
  const database = await scratchDatabase({
    options: `template template0 encoding '${encoding}' lc_collate 'C' lc_ctype 'C'`,
  });
  const other = new pg.Pool({ connectionString: database.url });
  onTestFinished(() => other.end());
  await expect(migrate(other)).rejects.toMatchObject({
    name: 'InstallationError',
    message: expect.stringMatching(`has the encoding ${encoding}, and Gateramp needs UTF-8.*encoding 'UTF8'`),
  });
  expect(await database.query("select 1 from pg_namespace where nspname = 'gateramp'")).toEqual([]);
});

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
  await pool.query(
    `create schema ${schema}; create table ${schema}.migrations (number int primary key, name text not null)`,
  );
  for (const { number, name, sql } of migrations(schema)) {
    await pool.query(sql);
    await pool.query(`insert into ${schema}.migrations values (${number}, '${name}')`);
  }
  await pool.query(`insert into ${schema}.api_keys (hash, partner_id, row) values ($1, $2, $3)`, [
    key.hash,
    key.partnerId,
    JSON.stringify(key),
  ]);
  expect(await migrateTo(followedBy(schema, ADD_COLUMN), pool, schema)).toEqual(['extra-1']);
  expect(await postgresStore(pool, { schema }).listKeys(key.partnerId)).toEqual([{ key, lastUsedAt: null }]);
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
  const half = followedBy(schema, ADD_COLUMN, 'alter table gate.tasks add column extra text; select 1 / 0');
  await expect(migrateTo(half, pool, schema)).rejects.toThrow('division by zero');
  expect(await migrateTo(followedBy(schema, ADD_COLUMN, 'select 1'), pool, schema)).toEqual(['extra-2']);
});

it('gives way to those who wait behind it for a lock that it cannot have, says so, and tries again', async () => {
  const schema = await freshSchema(pool);
  const reader = await pool.connect();
  await reader.query(`begin; select from "${schema}".sessions`);
  const lines: string[] = [];
  const migrating = migrateTo(followedBy(schema, ADD_COLUMN), pool, schema, { onProgress: (line) => lines.push(line) });
  await expect.poll(() => lines.length).toBeGreaterThan(0);
  expect(lines[0]).toMatch(/^The migration waits for a lock held by process \d+ of Postgres \(".+"\), open for \d+ s/);
  await pool.query(`select from "${schema}".sessions`);
  await reader.query('commit');
  reader.release();
  expect(await migrating).toEqual(['extra-1']);
});

it('names the process that holds its lock, and the missing grant, to a role that cannot read the activity of others', async () => {
  const { url } = await scratchDatabase();
  const owner = new pg.Pool({ connectionString: url, max: 2 });
  onTestFinished(() => owner.end());
  const schema = aSchemaName();
  const role = `migrator_${schema}`;
  await owner.query(
    `create role "${role}" login; grant create on database "${new URL(url).pathname.slice(1)}" to "${role}"`,
  );
  const ownUrl = new URL(url);
  ownUrl.username = role;
  const own = new pg.Pool({ connectionString: ownUrl.href, max: 4, application_name: 'gateramp migrate' });
  onTestFinished(() => own.end());
  await migrate(own, { schema });
  // Another connection of the migration itself uses the tables as well.
  const ours = await own.connect();
  await ours.query(`begin; select from "${schema}".sessions`);
  const reader = await owner.connect();
  const { rows: readers } = await reader.query<{ pid: number }>('select pg_backend_pid() as pid');
  await reader.query(`begin; select from "${schema}".sessions`);
  const lines: string[] = [];
  const migrating = migrateTo(followedBy(schema, ADD_COLUMN), own, schema, { onProgress: (line) => lines.push(line) });
  await expect.poll(() => lines.length).toBeGreaterThan(0);
  expect(lines[0]).toContain(`held by process ${readers[0]?.pid} of Postgres`);
  expect(lines[0]).toContain(`grant pg_read_all_stats (or pg_monitor) to the role "${role}"`);
  for (const one of [ours, reader]) {
    await one.query('commit');
    one.release();
  }
  expect(await migrating).toEqual(['extra-1']);
});

it('gives up on a lock that it never gets, and says who holds it', async () => {
  const schema = await freshSchema(pool);
  const reader = await pool.connect();
  await reader.query(`begin; select from "${schema}".sessions`);
  const target = followedBy(schema, ADD_COLUMN);
  const gaveUp = migrateTo(target, pool, schema, { giveUpAfterMs: 300 });
  await expect(gaveUp).rejects.toThrow(/its tables were locked for \d+ s, most recently by process \d+ of Postgres/);
  await reader.query('commit');
  reader.release();
  expect(await migrateTo(target, pool, schema)).toEqual(['extra-1']);
});

it('repeats an index build that was cut off', async () => {
  const { url } = await scratchDatabase();
  const own = new pg.Pool({ connectionString: url, max: 4 });
  onTestFinished(() => own.end());
  const schema = await freshSchema(own);
  await postgresStore(own, { schema }).swapSetting('pepper', null, 'one');
  const sql = 'create index concurrently settings_value on gate.settings (value)';
  const reader = await own.connect();
  await reader.query(`begin isolation level repeatable read; select from "${schema}".settings`);
  const builder = await own.connect();
  const { rows: builders } = await builder.query<{ pid: number }>('select pg_backend_pid() as pid');
  const cutOff = expect(builder.query(inSchema(sql, schema))).rejects.toThrow('user request');
  // For the reader, when the index exists and is not valid yet.
  const waiting = `select pid from pg_stat_activity where pid = $1 and wait_event_type = 'Lock'`;
  await expect.poll(async () => (await own.query(waiting, [builders[0]?.pid])).rows).toEqual(builders);
  await own.query('select pg_cancel_backend($1)', [builders[0]?.pid]);
  await cutOff;
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
  expect(await migrateTo(followedBy(schema, sql), own, schema)).toEqual(['extra-1']);
  expect(await isValid()).toBe(true);
  const drop = 'drop index concurrently gate.settings_value';
  expect(await migrateTo(followedBy(schema, sql, drop), own, schema)).toEqual(['extra-2']);
  expect(await isValid()).toBeUndefined();
});

it('names migrations that were recorded without a name', async () => {
  const schema = await freshSchema(pool);
  await pool.query(`alter table "${schema}".migrations alter column name drop not null`);
  await pool.query(`update "${schema}".migrations set name = null`);
  expect(await migrate(pool, { schema })).toEqual([]);
  const { rows: named } = await pool.query(`select name from "${schema}".migrations order by number`);
  expect(named).toEqual(migrations(schema).map(({ name }) => ({ name })));
});

it.each([
  ['something else', ['users']],
  ['a development version', ['tables', 'lists', 'commit', 'new-rows', 'work', 'consumers']],
  ['a later development version', ['baseline', 'audit', 'partitions']],
])('refuses a schema that %s has migrated, and says what to do', async (_, names) => {
  const schema = await freshSchema(pool);
  await pool.query(`delete from "${schema}".migrations`);
  for (const [nth, name] of names.entries())
    await pool.query(`insert into "${schema}".migrations values ($1, $2)`, [nth + 1, name]);
  await expect(migrate(pool, { schema })).rejects.toThrow(
    new RegExp(
      `its migration 1 is "${names[0]}", but this version has "schema".*Drop the schema if its data is not needed`,
    ),
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
