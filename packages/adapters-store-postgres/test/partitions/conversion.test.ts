import { aCreate, changes, rows } from '@gateramp/conformance';
import { cancel, DAY } from '@gateramp/core/domain';
import type { Store } from '@gateramp/core/ports';
import { stillScheduler } from '@gateramp/testing';
import pg from 'pg';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { scratchDatabase, uniqueName } from '../../../../tests/services/scratch-database.js';
import { shortest } from '../../../../tests/services/stopwatch.js';
import { migrate, migrations, monthsAhead, postgresPartitions, withTransaction } from '../../src/index.js';
import { postgresStore } from '../patient-store.js';
import { migrateTo } from '../../src/migrations/migrate.js';
import { inSchema } from '../../src/migrations/migrations.js';
import { freshSchema, testPool } from '../postgres-subject.js';
import { lockWatch, LOOKS_OF_A_SECOND, type LockWatch } from './lock-watch.js';
import { partitionedSchema } from './partitioned-schema.js';

const MONTH = 31 * DAY;
const ROWS = 30_000;

let pool: pg.Pool;
beforeAll(async () => {
  pool = await testPool();
});
afterAll(() => pool.end());

/** Sessions and events of the past, so that checking and copying take a while. */
async function fill(schema: string): Promise<void> {
  await postgresStore(pool, { schema }).commit(changes.sessionCreation().change);
  await pool.query(
    `insert into "${schema}".sessions (partner_id, mode, id, version, status, currency, created_at, expires_at, is_held, row)
     select partner_id, mode, lpad(to_hex(created_at - n), 12, '0') || right(id, 12), version, status, currency, created_at - n, expires_at - n, false, row
     from "${schema}".sessions, generate_series(1, $1) n`,
    [ROWS],
  );
  await pool.query(
    `insert into "${schema}".events (id, partner_id, mode, session_id, sequence, type, created_at, body)
     select gen_random_uuid(), partner_id, mode, session_id || n, sequence, type, created_at - n, body from "${schema}".events, generate_series(1, $1) n`,
    [ROWS],
  );
}

/** Creates and cancels sessions until it is stopped; returns how many looks of the watch the longest commit took. */
function writer(
  store: Store,
  watch: LockWatch,
): {
  readonly stop: () => Promise<{ readonly slowest: number; readonly sessions: readonly string[] }>;
} {
  let isStopped = false;
  let slowest = 0;
  const sessions: string[] = [];
  const timed = async (change: Parameters<Store['commit']>[0]): Promise<void> => {
    const began = watch.looks();
    const outcome = await store.commit(change);
    slowest = Math.max(slowest, watch.looks() - began);
    expect(outcome.kind).toBe('committed');
  };
  const run = async (): Promise<void> => {
    while (!isStopped) {
      const { session, change } = changes.sessionCreation({ at: rows.T0 });
      await timed(change);
      await timed(changes.transition(session, cancel(session)._unsafeUnwrap(), rows.T0));
      sessions.push(session.id);
    }
  };
  const runs = [run(), run(), run(), run()];
  return {
    stop: async () => {
      isStopped = true;
      await Promise.all(runs);
      return { slowest, sessions };
    },
  };
}

it('converts tables in use: no statement waits over a second, and no row is lost', async () => {
  const converted = async (): Promise<number> => {
    const schema = await freshSchema(pool);
    await fill(schema);
    const store = postgresStore(pool, { schema });
    const watch = await lockWatch(pool, schema);
    const writing = writer(store, watch);
    const changed = await postgresPartitions(pool, { schema }).on(rows.T0);
    const { slowest, sessions } = await writing.stop();
    const waited = await watch.stop();
    expect(changed).toEqual(['sessions', 'intents', 'transactions', 'events', 'deliveries']);
    expect(sessions.length).toBeGreaterThan(0);
    const { rows: counts } = await pool.query<{ sessions: number; events: number; keys: number }>(
      `select (select count(*)::int from "${schema}".sessions) as sessions, (select count(*)::int from "${schema}".events) as events,
         (select count(*)::int from "${schema}".event_keys) as keys`,
    );
    expect(counts[0]).toEqual({
      sessions: ROWS + 1 + sessions.length,
      events: ROWS + 1 + 2 * sessions.length,
      keys: ROWS + 1 + 2 * sessions.length,
    });
    return Math.max(slowest, waited);
  };
  expect(await shortest(converted, LOOKS_OF_A_SECOND)).toBeLessThan(LOOKS_OF_A_SECOND);
});

it('repeats safely, and makes the months that are missing', async () => {
  const schema = await freshSchema(pool);
  const partitions = postgresPartitions(pool, { schema });
  expect(await partitions.premake(rows.T0)).toEqual([]);
  await partitions.on(rows.T0);
  expect(await partitions.on(rows.T0)).toEqual([]);
  expect((await partitions.layout()).map((one) => monthsAhead(one, rows.T0))).toEqual([3, 3, 3, 3, 3]);
  expect((await partitions.layout()).map((one) => monthsAhead(one, rows.T0 + 2 * MONTH))).toEqual([1, 1, 1, 1, 1]);
  expect(await partitions.premake(rows.T0 + 2 * MONTH)).toHaveLength(5);
  expect((await partitions.layout()).map((one) => monthsAhead(one, rows.T0 + 2 * MONTH))).toEqual([3, 3, 3, 3, 3]);
});

it('accepts rows beyond the months that are made, and ends the last partition after them', async () => {
  const schema = await freshSchema(pool);
  const partitions = postgresPartitions(pool, { schema });
  await partitions.on(rows.T0);
  const store = postgresStore(pool, { schema });
  const late = rows.T0 + 10 * MONTH;
  const { session, change } = changes.sessionCreation({ at: late });
  expect(await store.commit(change)).toEqual({ kind: 'committed' });
  expect((await partitions.layout()).map((one) => monthsAhead(one, late))).toEqual([0, 0, 0, 0, 0]);
  await partitions.premake(late);
  expect((await partitions.layout()).map((one) => monthsAhead(one, late))).toEqual([3, 3, 3, 3, 3]);
  expect(await store.find('session', rows.ACME, session.id)).toEqual(session);
});

it('off makes a plain table of the one partition that has rows, and the tables can be partitioned once more', async () => {
  const schema = await freshSchema(pool);
  const store = postgresStore(pool, { schema });
  const partitions = postgresPartitions(pool, { schema });
  const first = changes.sessionCreation({ at: rows.T0 });
  await store.commit(first.change);
  await partitions.on(rows.T0);
  expect(await partitions.off()).toHaveLength(5);
  expect((await partitions.layout()).map((one) => one.partitions)).toEqual([null, null, null, null, null]);
  const later = changes.sessionCreation({ at: rows.T0 + 2 * MONTH });
  expect(await store.commit(later.change)).toEqual({ kind: 'committed' });
  expect(await store.find('session', rows.ACME, first.session.id)).toEqual(first.session);
  await partitions.on(rows.T0 + 2 * MONTH);
  expect(await store.find('session', rows.ACME, later.session.id)).toEqual(later.session);
});

it('off copies several months while they are in use: no statement waits over a second, and no change is lost', async () => {
  const copied = async (): Promise<number> => {
    const schema = await partitionedSchema(
      pool,
      [20_000, 10_000, -1].map((before) => rows.T0 - before),
    );
    await fill(schema);
    const store = postgresStore(pool, { schema });
    const indexes = await indexesOf(schema, 'sessions_before_2026_01');
    const watch = await lockWatch(pool, schema);
    const writing = writer(store, watch);
    const deleting = deleter(schema);
    expect(await postgresPartitions(pool, { schema }).off()).toHaveLength(5);
    const deleted = await deleting();
    const { slowest, sessions } = await writing.stop();
    const waited = await watch.stop();
    expect(sessions.length).toBeGreaterThan(0);
    expect(deleted).toBeGreaterThan(0);
    const { rows: counts } = await pool.query(
      `select (select count(*)::int from "${schema}".sessions) as sessions, (select count(*)::int from "${schema}".events) as events,
           (select count(*)::int from "${schema}".sessions where id = any ($1) and status = 'cancelled') as cancelled,
           (select count(*)::int from "${schema}".event_keys) as keys`,
      [sessions],
    );
    expect(counts[0]).toEqual({
      sessions: ROWS + 1 + sessions.length,
      events: ROWS + 1 + 2 * sessions.length - deleted,
      cancelled: sessions.length,
      keys: 0,
    });
    const { rows: left } = await pool.query(
      `select relname from pg_class where relnamespace = to_regnamespace($1) and relkind in ('r', 'p') and relname ~ '^(sessions|events)_'
         union all select tgname from pg_trigger where tgname = 'write_to_copy' and tgrelid = to_regclass($2)`,
      [`"${schema}"`, `"${schema}".sessions`],
    );
    expect(left).toEqual([]);
    expect(await indexesOf(schema, 'sessions')).toEqual(indexes);
    await postgresPartitions(pool, { schema }).on(rows.T0);
    return Math.max(slowest, waited);
  };
  expect(await shortest(copied, LOOKS_OF_A_SECOND)).toBeLessThan(LOOKS_OF_A_SECOND);
});

async function indexesOf(schema: string, table: string): Promise<readonly string[]> {
  const { rows: found } = await pool.query<{ name: string }>(
    `select indexname as name from pg_indexes where schemaname = $1 and tablename = $2 order by 1`,
    [schema, table],
  );
  return found.map(({ name }) => name);
}

/** Deletes events of the crowd, oldest and newest first in turn, until it is stopped; returns their number. */
function deleter(schema: string): () => Promise<number> {
  let isStopped = false;
  const deleting = (async () => {
    let deleted = 0;
    for (let nth = 0; !isStopped; nth += 1) {
      const { rowCount } = await pool.query(
        `delete from "${schema}".events where id in (
           select id from "${schema}".events where session_id like '%1' order by id ${nth % 2 === 0 ? 'asc' : 'desc'} limit 20)`,
      );
      deleted += rowCount ?? 0;
    }
    return deleted;
  })();
  return async () => {
    isStopped = true;
    return deleting;
  };
}

it('later migrations create and drop indexes concurrently on every partition, and new months have them', async () => {
  const schema = await freshSchema(pool);
  await postgresStore(pool, { schema }).commit(changes.sessionCreation().change);
  const partitions = postgresPartitions(pool, { schema });
  await partitions.on(rows.T0);
  const known = migrations(schema);
  const later = (...sql: readonly string[]) => ({
    known: [
      ...known,
      ...sql.map((text, nth) => ({
        number: known.length + nth + 1,
        name: `extra-${nth}`,
        sql: inSchema(text, schema),
      })),
    ],
    usableFrom: 0,
  });
  const indexes = async () =>
    (
      await pool.query<{ many: number }>(
        `select count(*)::int as many from pg_indexes where schemaname = $1 and tablename ~ '^sessions_' and indexdef like '%(version)%'`,
        [schema],
      )
    ).rows[0]?.many;
  const create = 'create index concurrently sessions_by_version on gate.sessions (version)';
  await migrateTo(later(create), pool, schema);
  expect(await indexes()).toBe(5);
  await partitions.premake(rows.T0 + MONTH);
  expect(await indexes()).toBe(6);
  const { rows: names } = await pool.query<{ name: string }>(
    `select indexname as name from pg_indexes where schemaname = $1 and tablename = 'sessions_before_2026_02' and indexdef like '%(version)%'`,
    [schema],
  );
  await migrateTo(later(create, `drop index concurrently gate.${names[0]?.name}`), pool, schema);
  expect(await indexes()).toBe(0);
});

it('refuses ids that do not begin with their time, and changes nothing', async () => {
  const schema = await freshSchema(pool);
  const partitions = postgresPartitions(pool, { schema });
  await pool.query(`insert into "${schema}".intents (partner_id, mode, id, version, provider, operation_id, row)
    values ('p', 'test', 'intent-1', 1, 'sandbox', '1', '{}')`);
  await expect(partitions.on(rows.T0)).rejects.toThrow('its id "intent-1" does not begin with a time');
  await pool.query(`update "${schema}".intents set id = 'ffffffffffff'`);
  await expect(partitions.on(rows.T0)).rejects.toThrow('"intents" has a row dated');
  expect((await partitions.layout()).map((one) => one.partitions)).toEqual([null, null, null, null, null]);
});

it('continues after it was interrupted', async () => {
  const schema = await freshSchema(pool);
  await pool.query(`create table "${schema}".sessions_rest (like "${schema}".sessions including all)`);
  await pool.query(`alter table "${schema}".sessions add constraint sessions_border check (id < 'a') not valid`);
  await postgresPartitions(pool, { schema }).on(rows.T0);
  expect(await postgresStore(pool, { schema }).commit(aCreate('key'))).toEqual({ kind: 'committed' });
});

it('keeps the privileges of a role that only serves', async () => {
  const database = await scratchDatabase();
  const owner = new pg.Pool({ connectionString: database.url, max: 3 });
  onTestFinished(() => owner.end());
  await migrate(owner);
  const role = uniqueName('serves');
  await owner.query(`create role ${role} login`);
  onTestFinished(async () => {
    await owner.query(`drop owned by ${role}; drop role ${role}`);
  });
  await owner.query(
    `grant usage on schema gateramp to ${role}; grant select, insert, update, delete on all tables in schema gateramp to ${role}`,
  );
  await postgresPartitions(owner).on(rows.T0);
  const { rows: found } = await owner.query(
    `select has_table_privilege($1, 'gateramp.sessions', 'insert, update, select') as may`,
    [role],
  );
  expect(found).toEqual([{ may: true }]);
});

it('looks a session, an intent and a transaction up in one partition', async () => {
  const schema = await partitionedSchema(
    pool,
    [1, 2, 3, 4, 5, 6].map((month) => rows.T0 + month * MONTH),
  );
  const store = postgresStore(pool, { schema });
  const { session, change } = changes.sessionCreation({ at: rows.T0 + 2.5 * MONTH });
  await store.commit(change);
  const purchase = rows.aPurchase(session, rows.T0 + 2.5 * MONTH);
  await store.commit(changes.beginning(session, purchase, rows.T0 + 2.5 * MONTH));
  // Counts of earlier transactions of a connection may not have been reported yet.
  const fresh = await testPool(1);
  onTestFinished(() => fresh.end());
  const client = await fresh.connect();
  await client.query('begin; set local plan_cache_mode = force_generic_plan');
  const within = withTransaction(client, { schema, scheduler: stillScheduler() }).store;
  expect(await within.find('session', rows.ACME, session.id)).not.toBeNull();
  expect(await within.find('intent', rows.ACME, purchase.intent.id)).not.toBeNull();
  expect(await within.find('transaction', rows.ACME, purchase.transaction.refid)).not.toBeNull();
  const { rows: scans } = await client.query<{ name: string }>(
    `select relname as name from pg_stat_xact_user_tables where schemaname = $1 and coalesce(idx_scan, 0) + seq_scan > 0
     and relname ~ '^(sessions|intents|transactions)' order by 1`,
    [schema],
  );
  await client.query('rollback');
  client.release();
  const from = rows.T0 + 2 * MONTH;
  expect(scans.map(({ name }) => name)).toEqual([`intents_${from}`, `sessions_${from}`, `transactions_${from}`]);
});

it('refuses an event whose id, or whose number in its session, exists in another month', async () => {
  const schema = await partitionedSchema(pool, [rows.T0 + 1]);
  const store = postgresStore(pool, { schema });
  const event = rows.aPartnerEvent(rows.ACME, rows.T0);
  expect(await store.commit(changes.eventOnly(event))).toEqual({ kind: 'committed' });
  const again = { ...event, createdAt: rows.T0 + MONTH };
  expect(await store.commit(changes.eventOnly(again))).toEqual({ kind: 'stale' });
  const { session, change } = changes.sessionCreation();
  await store.commit(change);
  const [created] = change.events;
  const renamed = { ...created!, id: rows.aUuid(), createdAt: rows.T0 + MONTH };
  expect(await store.commit(changes.eventOnly(renamed))).toEqual({ kind: 'stale' });
  expect(await store.list('session_event', rows.ACME, session.id)).toHaveLength(1);
});

it('refuses a repeated create, payment and mark across the border of a month', async () => {
  const schema = await partitionedSchema(pool, [rows.T0 + 1]);
  const store = postgresStore(pool, { schema });
  const change = { ...aCreate('key'), once: ['provider/reference'] };
  expect(await store.commit(change)).toEqual({ kind: 'committed' });
  const later = changes.sessionCreation({ at: rows.T0 + 2 });
  expect((await store.commit({ ...later.change, idempotency: change.idempotency })).kind).toBe('replay');
  expect(await store.commit({ ...later.change, once: ['provider/reference'] })).toEqual({
    kind: 'duplicate',
    mark: 'provider/reference',
  });
  expect(await store.find('session', rows.ACME, later.session.id)).toBeNull();
});
