import { DEFAULT_POLICY } from '@gateramp/core';
import { recordDeliveryAttempt } from '@gateramp/core/domain';
import { BACKLOG_COUNT_MAX, type DeliveryClaim, type Store } from '@gateramp/core/ports';
import { aCreate, rows } from '@gateramp/conformance';
import pg from 'pg';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { isDeep } from '../../../tests/depth.js';
import { scratchDatabase } from '../../../tests/services/scratch-database.js';
import { pooled } from '../src/database.js';
import { postgresStore } from './patient-store.js';
import { probe } from '../src/polling-scheduler.js';
import type { Look } from '../src/work/look.js';
import { backlog } from '../src/reads/backlog.js';
import { IN_INDEX_ORDER } from '../src/reads/unfinished-work.js';
import { readPage } from '../src/reads/reading.js';
import type { ReadHead } from '../src/reads/unfinished-work.js';
import { LanePositions } from '../src/work/lane-positions.js';
import { EACH_POSTGRES } from './each-postgres.js';
import { ACCEPTED, freshSchema } from './postgres-subject.js';

/** The number of rows that were delivered since the snapshot. */
const DELIVERED = isDeep ? 200_000 : 20_000;

/** Dead index entries that a round of claims, records, `nextDue` and a poll may read: those of work of earlier rounds. */
const DEAD_ENTRIES_A_ROUND = 1_000;
const ROUNDS = 12;
const LIMIT = 20;
const PER_ENDPOINT = 4;
const NOW = rows.T0 + 60_000;
/** Reads pass hundreds of thousands of dead entries, which takes long on a busy machine. */
const PATIENCE_MS = 120_000;

/** One connection, so that its counts can be read once it has reported them. */
let pool: pg.Pool;
let url: string;
let schema: string;
let store: Store;
let poll: () => Promise<Look>;

async function prepare(stock: boolean): Promise<void> {
  ({ url } = await scratchDatabase({ stock }));
  pool = new pg.Pool({ connectionString: url, max: 1 });
  onTestFinished(() => pool.end());
  schema = await freshSchema(pool);
  for (const table of ['delivery_queue', 'tasks'])
    await pool.query(`alter table "${schema}".${table} set (autovacuum_enabled = off)`);
  store = postgresStore(pool, { schema });
  const database = pooled(pool, { queryTimeoutMs: PATIENCE_MS, preparedStatements: false });
  const positions = LanePositions.shared(pool, schema);
  // Its clock stands still: a slow machine would renew positions between the rounds, which reads all dead entries.
  Object.assign(positions, { clock: () => 0 });
  poll = probe(database, positions, schema);
}

describe.each(EACH_POSTGRES)('while a snapshot is held, on %s', (_, stock) => {
  beforeEach(() => prepare(stock));

  it.each([
    ['of one endpoint', { endpoints: 1, backlog: 0 }],
    ['of many endpoints', { endpoints: 400, backlog: 0 }],
    ['behind the backlog of an endpoint at its share', { endpoints: 40, backlog: 500 }],
  ])('claims read a bounded number of dead entries, however many deliveries precede them: %s', async (_, given) => {
    await holdSnapshot();
    await deliver(given.endpoints);
    await fill(given);
    // The first claim reads all dead entries, the second starts from a position, and the slow endpoint takes its share.
    for (let nth = 0; nth < PER_ENDPOINT; nth += 1) await round();
    const before = await deadEntriesRead();
    const ended = new Set<string>();
    for (let nth = 0; nth < ROUNDS; nth += 1) for (const id of await round()) ended.add(id);
    const read = (await deadEntriesRead()) - before;
    expect(ended.size).toBe(ROUNDS * Math.min(LIMIT, given.endpoints * PER_ENDPOINT));
    expect(read / ROUNDS).toBeLessThan(DEAD_ENTRIES_A_ROUND);
  });
});

it(
  'gauges read a bounded number of dead entries once counting from the head took long',
  { timeout: 600_000 },
  async () => {
    await prepare(false);
    await holdSnapshot();
    await deliver(40);
    await fill({ endpoints: 40, backlog: 500 });
    await pool.query(
      `insert into "${schema}".tasks (id, mode, free_at, claims, row)
     select 'due-' || n, 'test', $1::bigint + n, 0, '{}' from generate_series(1, 300) as n`,
      [rows.T0],
    );
    // Each count from the head takes half a second of this clock.
    let time = 0;
    const counts = backlog(readHead, schema, () => (time += 500));
    const expected = {
      dueDeliveries: 2_500,
      overdueDeliveries: 2_500,
      dueTasks: 300,
      overdueTasks: 300,
      heldSessions: 0,
    };
    expect(await counts('test', NOW)).toEqual(expected);
    const before = await deadEntriesRead();
    for (let nth = 0; nth < ROUNDS; nth += 1) expect(await counts('test', NOW)).toEqual(expected);
    expect(((await deadEntriesRead()) - before) / ROUNDS).toBeLessThan(DEAD_ENTRIES_A_ROUND);

    // A row that is due before the starts since, as after an operator resumed its endpoint, is counted once the head is read again.
    await pool.query(`update "${schema}".delivery_queue set due_at = $1 where id = 'due1'`, [rows.T0 - 7_300_000]);
    const found = [];
    for (let nth = 0; nth < 50; nth += 1) found.push((await counts('test', NOW)).dueDeliveries);
    expect([found[0], found.at(-1)]).toEqual([2_499, 2_500]);
  },
);

it('gauges count what is due behind as many deliveries as are counted, once these are delivered', async () => {
  await prepare(false);
  await store.commit(aCreate('key'));
  await pool.query(`delete from "${schema}".delivery_queue`);
  await copies('due-first-', BACKLOG_COUNT_MAX, `'large'`, rows.T0 - 7_200_000);
  await copies('due-behind-', 10, `'small'`, rows.T0);
  let time = 0;
  const counts = backlog(readHead, schema, () => (time += 500));
  const waiting = async () => (await counts('test', NOW)).overdueDeliveries;
  expect(await waiting()).toBe(BACKLOG_COUNT_MAX);
  await pool.query(`delete from "${schema}".delivery_queue where endpoint = 'large'`);
  expect(await waiting()).toBe(10);
  expect(await waiting()).toBe(10);
});

it('gauges count from the head each time, unless it took over 100 ms: then again after fifty times as long', async () => {
  await prepare(false);
  const startsOf = async (tookMs: number, many: number): Promise<string> => {
    let time = 0;
    let starts = '';
    const recorded: ReadHead = (statement) => {
      starts += statement.values[3] === 0 ? 'h' : '.';
      return readHead(statement);
    };
    const counts = backlog(recorded, schema, () => (time += tookMs));
    for (let nth = 0; nth < many; nth += 1) await counts('test', NOW);
    return starts;
  };
  expect(await startsOf(100, 5)).toBe('hhhhh');
  expect(await startsOf(101, 50)).toBe(`h${'.'.repeat(48)}h`);
});

/** Reads as `postgresOperator` does. */
const readHead: ReadHead = (statement) =>
  readPage(pool, (ask) => ask(statement), {
    pageTimeoutMs: PATIENCE_MS,
    waitMs: PATIENCE_MS,
    keepsPlans: false,
    planning: IN_INDEX_ORDER,
    statementOf: pooled(pool, { queryTimeoutMs: PATIENCE_MS, preparedStatements: false }).statementOf,
  });

/** Begins a transaction whose snapshot keeps vacuum from removing any present row. */
async function holdSnapshot(): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  onTestFinished(() => client.end());
  await client.query(`begin isolation level repeatable read; select from "${schema}".delivery_queue limit 1`);
}

/** Adds and deletes rows of these endpoints that were due an hour earlier. */
async function deliver(endpoints: number): Promise<void> {
  await pool.query(
    `insert into "${schema}".delivery_queue (id, partner_id, mode, lane, endpoint, event_id, due_at, claims)
     select 'delivered-' || n, 'someone', 'test', 'first', 'endpoint-' || n % $1, 'delivered', $2::bigint - 3600000 + n, 0
     from generate_series(1, $3::int) as n`,
    [endpoints, rows.T0, DELIVERED],
  );
  await pool.query(`delete from "${schema}".delivery_queue`);
  await pool.query(`vacuum analyze "${schema}".delivery_queue`);
  await pool.query(
    `insert into "${schema}".tasks (id, mode, free_at, claims, row)
     select 'done-' || n, 'test', $1::bigint - 3600000 + n, 0, '{}' from generate_series(1, $2::int) as n`,
    [rows.T0, DELIVERED],
  );
  await pool.query(`update "${schema}".tasks set free_at = null, done_at = free_at`);
  await pool.query(`vacuum analyze "${schema}".tasks`);
}

/** Due rows of these endpoints, and of a slow one whose rows were due before all deleted rows. */
async function fill({ endpoints, backlog }: { endpoints: number; backlog: number }): Promise<void> {
  await store.commit(aCreate('key'));
  await pool.query(`delete from "${schema}".delivery_queue`);
  await copies('due', 2_000, `'endpoint-' || n % ${endpoints}`, rows.T0);
  await copies('slow', backlog, `'slow'`, rows.T0 - 7_200_000);
}

/** Copies of the only committed delivery, due one millisecond apart. */
async function copies(name: string, count: number, endpoint: string, from: number): Promise<void> {
  await pool.query(
    `with copies as (
      insert into "${schema}".deliveries (partner_id, mode, id, event_id, event_type, status, created_at, is_webhook, row)
      select partner_id, mode, $1 || n, event_id, event_type, status, created_at, is_webhook, row
      from (select * from "${schema}".deliveries where id not like 'due%') as one, generate_series(1, $2::int) as n
      returning id, partner_id, mode, event_id, substr(id, length($1) + 1)::int as n)
    insert into "${schema}".delivery_queue (id, partner_id, mode, lane, endpoint, event_id, due_at, claims)
    select id, partner_id, mode, 'first', ${endpoint}, event_id, $3::bigint + n, 0 from copies`,
    [name, count, from],
  );
}

/** Claims, records all but the slow endpoint's deliveries as delivered, and reads the next due time. Returns the ids that ended. */
async function round(): Promise<readonly string[]> {
  const { now, limit, leaseMs, token } = request();
  const [claimed] = await Promise.all([
    store.claim('delivery', request()),
    store.claim('task', { now, limit, leaseMs, token }),
  ]);
  const ended = claimed.filter(({ delivery }) => !delivery.id.startsWith('slow'));
  const results = ended.map(({ delivery }) => {
    const { delivery: next, attempt } = recordDeliveryAttempt(delivery, ACCEPTED, NOW, DEFAULT_POLICY);
    return store.recordDelivery({ leaseToken: delivery.leaseToken ?? '', next, attempt });
  });
  expect(await Promise.all(results)).toEqual(ended.map(() => 'recorded'));
  expect(await store.nextDue('test', ['first', 'tasks'])).not.toBeNull();
  expect(await store.nextDue('test')).not.toBeNull();
  await poll();
  return ended.map(({ delivery }) => delivery.id);
}

function request(): DeliveryClaim {
  return {
    now: rows.nowIn(NOW),
    lane: 'first',
    limit: LIMIT,
    perEndpoint: PER_ENDPOINT,
    leaseMs: 600_000,
    token: rows.aUuid(),
  };
}

/** The number of dead entries that scans of the indexes of the queue and of tasks have read so far. */
async function deadEntriesRead(): Promise<number> {
  await pool.query('select pg_stat_force_next_flush()');
  await pool.query('select pg_stat_clear_snapshot()');
  const { rows: read } = await pool.query<{ entries: string }>(
    `select sum(idx_tup_read - idx_tup_fetch) as entries from pg_stat_user_indexes where schemaname = $1 and relname in ('delivery_queue', 'tasks')`,
    [schema],
  );
  return Number(read[0]?.entries ?? 0);
}
