import { changes, rows } from '@gateramp/conformance';
import { DAY } from '@gateramp/core/domain';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { postgresPartitions } from '../../src/index.js';
import { postgresStore } from '../patient-store.js';
import { freshSchema, testPool } from '../postgres-subject.js';
import { partitionedSchema } from './partitioned-schema.js';

let pool: pg.Pool;
beforeAll(async () => {
  pool = await testPool();
});
afterAll(() => pool.end());

/** Tables of a copy and of partitions, and the trigger that writes to both, with its function. */
async function leftOf(schema: string): Promise<readonly unknown[]> {
  const { rows: left } = await pool.query(
    `select relname from pg_class where relnamespace = to_regnamespace($1) and relkind in ('r', 'p') and relname ~ '^(sessions|events)_'
     union all select tgname from pg_trigger where tgname = 'write_to_copy' and tgrelid = to_regclass($2)
     union all select proname from pg_proc where pronamespace = to_regnamespace($1) and proname like 'write\\_to\\_%'`,
    [`"${schema}"`, `"${schema}".sessions`],
  );
  return left;
}

async function indexesOf(schema: string, table: string): Promise<readonly string[]> {
  const { rows: found } = await pool.query<{ name: string }>(
    `select indexname as name from pg_indexes where schemaname = $1 and tablename = $2 order by 1`,
    [schema, table],
  );
  return found.map(({ name }) => name);
}

it('off starts over after its connection was killed while it copied, and keeps what was written and deleted since', async () => {
  const schema = await partitionedSchema(pool, [rows.T0 - 1, rows.T0 + DAY]);
  const store = postgresStore(pool, { schema });
  const sessionAt = async (at: number): Promise<string> => {
    const { session, change } = changes.sessionCreation({ at });
    expect(await store.commit(change)).toEqual({ kind: 'committed' });
    return session.id;
  };
  const before = await sessionAt(rows.T0 - DAY);
  const deleted = await sessionAt(rows.T0 - DAY);
  const locked = await sessionAt(rows.T0 + 2 * DAY);
  const indexes = await indexesOf(schema, 'sessions_before_2026_01');
  // The copy waits for this row after it has copied those of the first partition.
  const holder = await pool.connect();
  await holder.query(`begin; select from "${schema}".sessions where id = '${locked}' for update`);
  const name = `off of ${schema}`;
  const dying = new pg.Pool({ ...pool.options, max: 2, application_name: name });
  dying.on('error', () => undefined);
  const killed = expect(postgresPartitions(dying, { schema }).off()).rejects.toThrow();
  const waiting = `select pid from pg_stat_activity where application_name = $1 and wait_event_type = 'Lock' and query like 'with page%'`;
  let pid: number | undefined;
  while (pid === undefined) pid = (await pool.query<{ pid: number }>(waiting, [name])).rows[0]?.pid;
  await pool.query('select pg_terminate_backend($1)', [pid]);
  await killed;
  await dying.end();
  await holder.query('rollback');
  holder.release();
  const { rows: copied } = await pool.query(`select from "${schema}".sessions_copy`);
  expect(copied).toHaveLength(2);
  const since = await sessionAt(rows.T0 + 3 * DAY);
  await pool.query(`delete from "${schema}".sessions where id = $1`, [deleted]);
  expect(await postgresPartitions(pool, { schema }).off()).toHaveLength(5);
  const { rows: found } = await pool.query<{ id: string }>(`select id from "${schema}".sessions order by id`);
  expect(found.map(({ id }) => id)).toEqual([before, locked, since]);
  expect(await leftOf(schema)).toEqual([]);
  expect(await indexesOf(schema, 'sessions')).toEqual(indexes);
});

it('off removes the former table and names the indexes after it was killed when the copy had replaced it', async () => {
  const schema = await freshSchema(pool);
  const indexes = await indexesOf(schema, 'sessions');
  await pool.query(
    `alter table "${schema}".sessions rename to sessions_before_2026_01;
     create table "${schema}".sessions (like "${schema}".sessions_before_2026_01 including all);
     create table "${schema}".sessions_former (like "${schema}".sessions) partition by range (id);
     alter table "${schema}".sessions_former attach partition "${schema}".sessions_before_2026_01 for values from (minvalue) to (maxvalue);
     create function "${schema}".write_to_sessions_copy() returns trigger language plpgsql as 'begin return null; end';
     create trigger write_to_copy after insert on "${schema}".sessions_former
       for each row execute function "${schema}".write_to_sessions_copy()`,
  );
  expect(await indexesOf(schema, 'sessions')).not.toEqual(indexes);
  expect(await postgresPartitions(pool, { schema }).off()).toEqual([]);
  expect(await indexesOf(schema, 'sessions')).toEqual(indexes);
  expect(await leftOf(schema)).toEqual([]);
});
