import { aCreate, rows } from '@gateramp/conformance';
import { DAY } from '@gateramp/core/domain';
import { ACCEPTED, REFUSED, type TestGate, type TestResponse } from '@gateramp/testing';
import pg from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { scratchDatabase } from '../../../tests/services/scratch-database.js';
import { postgresStore } from './patient-store.js';
import { EACH_POSTGRES } from './each-postgres.js';
import { freshSchema } from './postgres-subject.js';
import { aShop } from './upgrades/shop-life.js';

const SCENARIOS = ['succeed', 'decline', 'kyc_required', 'processing', 'settlement_error', 'abandon'] as const;
/** From the sixth execution on a connection, a statement may keep its plan. */
const CUSTOMERS_BEFORE = 7;
const CUSTOMERS_AFTER = 5;
const CROWD = 20_000;

/**
 * The number of index blocks for one look-up or new entry: a descent, and a step or two aside. An
 * index that is read completely has hundreds.
 */
const BLOCKS_A_USE = 8;

describe.each(EACH_POSTGRES)('on %s', (_, stock) => {
  it('plans made while a database was empty read no more when it is full', async () => {
    const { pool, schema } = await aNewDatabase(stock);
    const t = await aShop(pool, schema, 'plans');
    t.gate.on('gate_session.completed', 'grant-value', () => undefined);
    for (let nth = 0; nth < CUSTOMERS_BEFORE; nth += 1) await buyAndLookBack(t);
    await crowd(pool, schema, t.clock.now('test') + 365 * DAY);
    await countFromHere(pool);
    for (let nth = 0; nth < CUSTOMERS_AFTER; nth += 1) await buyAndLookBack(t);
    const used = await indexUse(pool);
    expect(used.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['sessions_pkey', 'deliveries_pkey', 'events_pkey', 'tasks_pkey', 'delivery_queue_pkey']),
    );
    expect(used.filter(({ uses, blocks }) => blocks > BLOCKS_A_USE * uses)).toEqual([]);
    const { rows: wholes } = await pool.query(
      'select relname as name, seq_scan::int as scans from pg_stat_user_tables where seq_tup_read > $1',
      [CROWD],
    );
    expect(wholes).toEqual([]);
  });

  it('one delivery is taken without a look at others that are due as well', async () => {
    const { pool, schema } = await aNewDatabase(stock);
    const store = postgresStore(pool, { schema });
    const take = (id: string) =>
      store.claimOne('delivery', rows.ACME, id, { now: rows.T0, leaseMs: 60_000, token: rows.aUuid() });
    for (let nth = 0; nth < CUSTOMERS_BEFORE; nth += 1) await take('nobody');
    const change = aCreate('key');
    await store.commit(change);
    await pool.query(
      `insert into "${schema}".delivery_queue (id, partner_id, mode, lane, endpoint, event_id, due_at, claims)
       select id || n, partner_id, mode, lane, endpoint, event_id, due_at - n, 0 from "${schema}".delivery_queue, generate_series(1, $1) as n`,
      [CROWD],
    );
    await countFromHere(pool);
    expect(await take(change.deliveries[0]?.row.id ?? '')).not.toBeNull();
    const used = await indexUse(pool);
    expect(used.map(({ name }) => name)).toContain('delivery_queue_pkey');
    expect(used.filter(({ uses, blocks }) => blocks > BLOCKS_A_USE * uses)).toEqual([]);
  });

  it('what ended long ago is found without a look at the rest, in whichever mode', async () => {
    const { pool, schema } = await aNewDatabase(stock);
    const store = postgresStore(pool, { schema });
    const request = { mode: rows.ACME.mode, now: rows.T0 + 40 * DAY, limit: 100, keepEnded: 30 * DAY };
    for (let nth = 0; nth < 6; nth += 1) await store.reap(request);
    await store.commit(aCreate('key'));
    await pool.query(
      `insert into "${schema}".deliveries (partner_id, mode, id, event_id, event_type, status, created_at, ended_at, is_webhook, row)
       select partner_id, case when n <= 2000 then mode else 'live' end, id || n, event_id, event_type, 'delivered',
         created_at + case when n between 11 and 2000 then $1::bigint else 0 end, created_at, is_webhook, row
       from "${schema}".deliveries, generate_series(1, 4000) as n`,
      [20 * DAY],
    );
    const before = await rowsReadByAge(pool);
    // The ten, and the key of the session.
    expect(await store.reap(request)).toBe(11);
    const read = (await rowsReadByAge(pool)) - before;
    expect(read).toBeGreaterThanOrEqual(10);
    expect(read).toBeLessThan(20);
  });
});

/**
 * A separate database, so that other transactions keep no old row versions there, and without autovacuum: the statistics that it
 * would collect within a minute are not available yet. One connection keeps one set of plans.
 */
async function aNewDatabase(stock: boolean): Promise<{ readonly pool: pg.Pool; readonly schema: string }> {
  const { url } = await scratchDatabase({ stock });
  const pool = new pg.Pool({ connectionString: url, max: 1 });
  onTestFinished(() => pool.end());
  const schema = await freshSchema(pool);
  const { rows: tables } = await pool.query<{ name: string }>(
    'select tablename as name from pg_tables where schemaname = $1',
    [schema],
  );
  for (const { name } of tables) await pool.query(`alter table "${schema}"."${name}" set (autovacuum_enabled = off)`);
  return { pool, schema };
}

/** Rows of the same partner in every table, which must not be read: their deliveries are due much later. */
async function crowd(pool: pg.Pool, schema: string, later: number): Promise<void> {
  const copies: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    partners: { id: 'id || n' },
    endpoints: { partner_id: 'partner_id || n' },
    endpoint_health: { partner_id: 'partner_id || n' },
    idempotency_keys: { key_hash: 'key_hash || n' },
    sessions: { id: 'id || n' },
    intents: { id: 'id || n', operation_id: 'operation_id || n' },
    transactions: { id: 'id || n', session_id: 'session_id || n' },
    events: { id: 'id || n', session_id: 'session_id || n' },
    deliveries: { id: 'id || n', event_id: 'event_id || n' },
    delivery_queue: {
      id: `'crowd-' || n`,
      partner_id: `'${rows.ACME.partnerId}'`,
      mode: `'test'`,
      lane: `case when n % 2 = 0 then 'first' else 'retry' end`,
      endpoint: `'${rows.ACME.partnerId}/test/webhook'`,
      event_id: `'crowd-' || n`,
      due_at: `${later} + n`,
      claims: '0',
    },
    tasks: { id: 'id || n', free_at: `${later} + n`, done_at: 'null' },
    counters: { name: 'name || n' },
    sandbox_operations: { operation_id: 'operation_id || n' },
  };
  for (const [table, changed] of Object.entries(copies)) {
    const { rows: columns } = await pool.query<{ name: string }>(
      `select attname as name from pg_attribute where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = ''`,
      [`"${schema}".${table}`],
    );
    const names = columns.map(({ name }) => name).filter((name) => table !== 'delivery_queue' || name in changed);
    const from = table === 'delivery_queue' ? '' : `(select * from "${schema}".${table} limit 1) one, `;
    await pool.query(
      `insert into "${schema}".${table} (${names.join(', ')})
       select ${names.map((name) => changed[name] ?? name).join(', ')} from ${from}generate_series(1, ${CROWD}) as n`,
    );
  }
}

async function buyAndLookBack(t: TestGate): Promise<void> {
  const key = t.keys.secret.test;
  const get = (path: string) => t.request('GET', path, { key });
  for (const scenario of SCENARIOS) {
    const { id } = await t.createSession();
    await t.request('POST', `/v1/test_helpers/gate_sessions/${id}/simulate`, { key, body: { scenario } });
    await get(`/v1/gate_sessions/${id}/timeline`);
  }
  const { id } = await t.createSession();
  await t.request('POST', `/v1/gate_sessions/${id}/cancel`, { key });
  await t.clock.advance('10m');
  await refuseAndReplay(t);
  for (const path of ['/v1/events', '/v1/webhooks/deliveries', '/v1/gate_sessions', '/v1/transactions']) {
    const [newest] = dataOf(await get(`${path}?limit=1`));
    const last = String(newest?.['refid'] ?? newest?.['id']);
    expect(dataOf(await get(`${path}?limit=2&starting_after=${last}`))).not.toHaveLength(0);
    expect((await get(`${path}/${last}`)).status).toBe(200);
  }
}

/** Five attempts of each webhook of a session, taken one by one as time passes; then a replay of one, and of all of them. */
async function refuseAndReplay(t: TestGate): Promise<void> {
  const key = t.keys.secret.test;
  const since = new Date(t.clock.now('test')).toISOString();
  t.receiver.answerWith(() => REFUSED);
  const { id } = await t.createSession();
  await t.request('POST', `/v1/gate_sessions/${id}/cancel`, { key });
  await t.clock.advance('1d');
  t.receiver.answerWith(() => ACCEPTED);
  const dead = dataOf(await t.request('GET', `/v1/webhooks/deliveries?status=dead_lettered&session_id=${id}`, { key }));
  expect(dead).toHaveLength(2);
  const replay = `/v1/webhooks/deliveries/${String(dead[0]?.['id'])}/replay`;
  expect((await t.request('POST', replay, { key })).status).toBe(202);
  await t.clock.advance('1s');
  const all = { path: '/v1/webhooks/deliveries/replay', body: { created_after: since } };
  expect((await t.request('POST', all.path, { key, body: all.body })).status).toBe(202);
  await t.clock.advance('1s');
  const left = await t.request('GET', `/v1/webhooks/deliveries?status=dead_lettered&session_id=${id}`, { key });
  expect(dataOf(left)).toEqual([]);
}

/** The data of a list of the contract. */
function dataOf({ json }: TestResponse): readonly Readonly<Record<string, unknown>>[] {
  return json['data'] as readonly Readonly<Record<string, unknown>>[];
}

interface IndexUse {
  readonly name: string;
  /** Look-ups and new entries. */
  readonly uses: number;
  readonly blocks: number;
}

/** The use of all indexes with look-ups. */
async function indexUse(pool: pg.Pool): Promise<readonly IndexUse[]> {
  await countUpToHere(pool);
  const { rows: found } = await pool.query<IndexUse>(
    `select i.indexrelname as name, (i.idx_scan + t.n_tup_ins + t.n_tup_upd)::int as uses, (b.idx_blks_hit + b.idx_blks_read)::int as blocks
     from pg_stat_user_indexes i join pg_statio_user_indexes b using (indexrelid) join pg_stat_user_tables t on t.relid = i.relid
     where i.idx_scan > 0`,
  );
  return found;
}

async function countFromHere(pool: pg.Pool): Promise<void> {
  await pool.query('select pg_stat_force_next_flush()');
  await pool.query('select pg_stat_reset()');
}

async function countUpToHere(pool: pg.Pool): Promise<void> {
  await pool.query('select pg_stat_force_next_flush()');
  await pool.query('select pg_stat_clear_snapshot()');
}

async function rowsReadByAge(pool: pg.Pool): Promise<number> {
  await countUpToHere(pool);
  const { rows: found } = await pool.query<{ read: number }>(
    `select idx_tup_read::int as read from pg_stat_user_indexes where indexrelname = 'deliveries_by_creation'`,
  );
  return found[0]?.read ?? 0;
}
