import { aCreate, rows } from '@gateramp/conformance';
import { DAY } from '@gateramp/core/domain';
import type { TestGate } from '@gateramp/testing';
import pg from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { scratchDatabase } from '../../../tests/services/scratch-database.js';
import { postgresStore } from '../src/index.js';
import { EACH_POSTGRES, freshSchema } from './postgres-subject.js';
import { aShop } from './upgrades/shop-life.js';

const SCENARIOS = ['succeed', 'decline', 'kyc_required', 'processing', 'settlement_error', 'abandon'] as const;
const CUSTOMERS = 20;

/** What a look-up reads on average. One that reads its whole table reads tens and hundreds here. */
const ROWS_A_LOOK_UP = 5;

describe.each(EACH_POSTGRES)('on %s', (_, stock) => {
  it('plans made while a database was empty read no more as it fills', { timeout: 60_000 }, async () => {
    const { pool, schema } = await aNewDatabase(stock);
    const t = await aShop(pool, schema, 'plans');
    t.gate.on('gate_session.completed', 'grant-value', () => undefined);
    await buyAndCancel(t);
    await othersJoin(pool, schema);
    for (let nth = 1; nth < CUSTOMERS; nth += 1) await buyAndCancel(t);
    const busy = (await lookUps(pool)).filter(({ scans }) => scans >= CUSTOMERS);
    expect(busy.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['sessions_pkey', 'deliveries_pkey', 'tasks_pkey', 'delivery_queue_due']),
    );
    expect(busy.filter(({ scans, read }) => read > ROWS_A_LOOK_UP * scans)).toEqual([]);
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
    const readByAge = async () => (await lookUps(pool)).find(({ name }) => name === 'deliveries_by_age')?.read ?? 0;
    const before = await readByAge();
    // The ten, and the key of the session.
    expect(await store.reap(request)).toBe(11);
    const read = (await readByAge()) - before;
    expect(read).toBeGreaterThanOrEqual(10);
    expect(read).toBeLessThan(20);
  });
});

/**
 * Of its own, so that nobody else's transactions keep old versions of rows there, and without autovacuum: what that would
 * learn of the tables within a minute, nobody knows yet. One connection keeps one set of plans.
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

/** Partners that take no part. */
async function othersJoin(pool: pg.Pool, schema: string): Promise<void> {
  const others = (row: string): string => `select ${row} from generate_series(1, 500) as n`;
  await pool.query(`
    insert into "${schema}".partners (id, row) ${others(`'other-' || n, '{}'`)};
    insert into "${schema}".endpoints (partner_id, mode, row) ${others(`'other-' || n, 'test', '{}'`)};
    insert into "${schema}".endpoint_health (partner_id, mode, consecutive_failures) ${others(`'other-' || n, 'test', 0`)}`);
}

async function buyAndCancel(t: TestGate): Promise<void> {
  const key = t.keys.secret.test;
  for (const scenario of SCENARIOS) {
    const { id } = await t.createSession();
    await t.request('POST', `/v1/test_helpers/gate_sessions/${id}/simulate`, { key, body: { scenario } });
    await t.request('GET', `/v1/gate_sessions/${id}`, { key });
  }
  const { id } = await t.createSession();
  await t.request('POST', `/v1/gate_sessions/${id}/cancel`, { key });
  await t.clock.advance('10m');
}

interface LookUps {
  /** Of the index, or of the table that was read from its beginning. */
  readonly name: string;
  readonly scans: number;
  /** Rows that the scans led to. */
  readonly read: number;
}

async function lookUps(pool: pg.Pool): Promise<readonly LookUps[]> {
  await pool.query('select pg_stat_force_next_flush()');
  await pool.query('select pg_stat_clear_snapshot()');
  const { rows: found } = await pool.query<LookUps>(
    `select indexrelname as name, idx_scan::int as scans, idx_tup_read::int as read from pg_stat_user_indexes
     union all select relname, seq_scan::int, seq_tup_read::int from pg_stat_user_tables`,
  );
  return found;
}
