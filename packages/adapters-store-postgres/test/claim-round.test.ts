import { DEFAULT_POLICY } from '@gateramp/core';
import { recordDeliveryAttempt, type Lane } from '@gateramp/core/domain';
import { emptyChange, type DeliveryClaim, type Store } from '@gateramp/core/ports';
import { aCreate, rows } from '@gateramp/conformance';
import { stillScheduler } from '@gateramp/testing';
import type pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { withTransaction } from '../src/index.js';
import { postgresStore } from './patient-store.js';
import { watchingCommits, type Ended } from './postgres-laws.js';
import { EACH_POSTGRES } from './each-postgres.js';
import { freshSchema, testPool } from './postgres-subject.js';

let pool: pg.Pool;
let schema: string;
let store: Store;

describe.each(EACH_POSTGRES)('on %s', (_, stock) => {
  beforeAll(async () => {
    // One connection, so that its counts can be read once it has reported them.
    pool = await testPool(1, { stock });
  });
  beforeEach(async () => {
    schema = await freshSchema(pool);
    store = postgresStore(pool, { schema });
  });
  afterAll(() => pool.end());

  it('asks for the tasks and the deliveries of a round in one statement', async () => {
    await store.commit(aCreate('key'));
    const query = vi.spyOn(pool, 'query');
    const [tasks, first, retry] = await Promise.all([
      store.claim('task', { now: rows.nowIn(rows.T0), limit: 10, leaseMs: 60_000, token: rows.aUuid() }),
      store.claim('delivery', claim('first')),
      store.claim('delivery', claim('retry')),
    ]);
    expect(query).toHaveBeenCalledTimes(1);
    query.mockRestore();
    expect([tasks.length, first.length, retry.length]).toEqual([0, 1, 0]);
  });

  it('looks in both modes what is due next in one statement, each answer to its question', async () => {
    await store.commit(aCreate('key'));
    const query = vi.spyOn(pool, 'query');
    const [live, test, tasks, any] = await Promise.all([
      store.nextDue('live', ['first', 'tasks']),
      store.nextDue('test', ['first', 'tasks']),
      store.nextDue('test', ['tasks']),
      store.nextDue('test'),
    ]);
    expect(query).toHaveBeenCalledTimes(1);
    query.mockRestore();
    expect([live, tasks]).toEqual([null, null]);
    expect(test).toMatchObject({ kind: 'delivery', mode: 'test', dueAt: rows.T0 });
    expect(any).toEqual(test);
  });

  it('a claim of deliveries is not waited for until it is on the disk, one of a task is, and so is one that is part of a transaction of the host', async () => {
    await store.commit(aCreate('key'));
    await store.commit({ ...emptyChange(rows.ACME, rows.T0), tasks: [rows.aTask()] });
    const ended: Ended[] = [];
    const watched = postgresStore(watchingCommits(pool, ended), { schema });
    const tasks = { now: rows.nowIn(rows.T0), limit: 10, leaseMs: 60_000, token: rows.aUuid() };
    const claimed = await Promise.all([watched.claim('task', tasks), watched.claim('delivery', claim('first'))]);
    expect(claimed.map((some) => some.length)).toEqual([1, 1]);
    await store.commit(aCreate('another key'));
    expect(await watched.claim('delivery', claim('first'))).toHaveLength(1);
    expect(ended.map(({ synchronousCommit: waited }) => waited)).toEqual(['on', 'off']);

    await store.commit(aCreate('a third key'));
    const client = await pool.connect();
    await client.query('begin');
    const within = withTransaction(client, { schema, scheduler: stillScheduler() }).store;
    expect(await within.claim('delivery', claim('first'))).toHaveLength(1);
    expect(await synchronousCommit(client)).toBe('on');
    await client.query('rollback');
    client.release();
  });

  it('rejects every claim of a round that Postgres refuses, and goes on with the next', async () => {
    await store.commit(aCreate('key'));
    const round = await Promise.allSettled([
      store.claim('delivery', { ...claim('first'), limit: 1e12 }),
      store.claim('delivery', claim('retry')),
    ]);
    expect(round.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(await store.claim('delivery', claim('first'))).toHaveLength(1);
  });

  it('first attempts that succeed rewrite their deliveries in place, without touching an index, also where a page is full of them', async () => {
    await fill(300);
    const claimed = await store.claim('delivery', { ...claim('first'), limit: 300 });
    const answer = {
      url: 'https://shop.example',
      startedAt: rows.T0,
      durationMs: 1,
      responseStatus: 200,
      responseBody: 'received, and thank you',
      error: null,
    };
    const recorded = claimed.map(({ delivery }) => {
      const { delivery: next, attempt } = recordDeliveryAttempt(delivery, answer, rows.T0, DEFAULT_POLICY);
      return store.recordDelivery({ leaseToken: delivery.leaseToken ?? '', next, attempt });
    });
    expect(new Set(await Promise.all(recorded))).toEqual(new Set(['recorded']));
    await pool.query('select pg_stat_force_next_flush()');
    const { rows: updates } = await pool.query(
      `select n_tup_upd::int as all, n_tup_hot_upd::int as in_place from pg_stat_user_tables where schemaname = $1 and relname = 'deliveries'`,
      [schema],
    );
    expect(updates).toEqual([{ all: 300, in_place: 300 }]);
  });

  it('a claim rewrites its rows in place, without touching an index, also where a page is full of them', async () => {
    await fill(1_000);
    for (let nth = 0; nth < 5; nth += 1) {
      expect(await store.claim('delivery', { ...claim('first'), limit: 200 })).toHaveLength(200);
    }
    await pool.query('select pg_stat_force_next_flush()');
    const { rows: updates } = await pool.query(
      `select n_tup_upd::int as all, n_tup_hot_upd::int as in_place from pg_stat_user_tables where schemaname = $1 and relname = 'delivery_queue'`,
      [schema],
    );
    expect(updates).toEqual([{ all: 1_000, in_place: 1_000 }]);
  });

  describe('however many are due', () => {
    it.each([
      ['none yet', 'no'],
      ['those of an empty table', 'before'],
      ['those of a full one', 'after'],
    ])('a claim reads about as many rows as it takes, with statistics that are %s', async (_, analyzed) => {
      if (analyzed === 'before') await pool.query(`analyze "${schema}".delivery_queue`);
      await fill(20_000);
      if (analyzed === 'after') await pool.query(`analyze "${schema}".delivery_queue`);
      const before = await rowsRead();
      for (let nth = 0; nth < 10; nth += 1) expect(await store.claim('delivery', claim('first'))).toHaveLength(10);
      // Skipping entries that earlier claims left in the indexes counts as well; everything due would be 200,000.
      expect((await rowsRead()) - before).toBeLessThan(10 * 1_000);
    });

    it('a look at what is due next reads the heads alone', async () => {
      await fill(20_000);
      const before = await rowsRead();
      for (let nth = 0; nth < 10; nth += 1) expect(await store.nextDue('test')).not.toBeNull();
      expect((await rowsRead()) - before).toBeLessThanOrEqual(30);
    });
  });
});

async function synchronousCommit(client: pg.PoolClient): Promise<string> {
  const { rows: found } = await client.query<{ setting: string }>(
    `select current_setting('synchronous_commit') as setting`,
  );
  return found[0]?.setting ?? '';
}

/** Many due deliveries of one endpoint, copied from a committed one. */
async function fill(count: number): Promise<void> {
  await store.commit(aCreate('key'));
  const copies = (table: string, columns: string, values: string) =>
    pool.query(
      `insert into "${schema}".${table} (${columns}) select ${values} from "${schema}".${table}, generate_series(1, ${count}) as n`,
    );
  await copies(
    'delivery_queue',
    'id, partner_id, mode, lane, endpoint, event_id, due_at, claims',
    `id || n, partner_id, mode, lane, endpoint, event_id, due_at, claims`,
  );
  await copies(
    'deliveries',
    'partner_id, mode, id, event_id, event_type, status, created_at, is_webhook, row',
    `partner_id, mode, id || n, event_id, event_type, status, created_at, is_webhook, row`,
  );
}

function claim(lane: Lane): DeliveryClaim {
  return { now: rows.nowIn(rows.T0), lane, limit: 10, perEndpoint: 1_000, leaseMs: 60_000, token: rows.aUuid() };
}

/** The number of queue rows that indexes have returned so far. */
async function rowsRead(): Promise<number> {
  await pool.query('select pg_stat_force_next_flush()');
  await pool.query('select pg_stat_clear_snapshot()');
  const read = await pool.query<{ rows: string }>(
    `select sum(idx_tup_read) as rows from pg_stat_user_indexes where schemaname = $1 and relname = 'delivery_queue'`,
    [schema],
  );
  return Number(read.rows[0]?.rows ?? 0);
}
