import { describeLaws, rows as examples, unfinishedWorkLaws } from '@gateramp/conformance';
import { DUE_TASKS_MAX } from '@gateramp/core/ports';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { postgresOperator } from '../src/index.js';
import { postgresStore } from './patient-store.js';
import { runs } from '../../../tests/depth.js';
import { freshSchema, testPool } from './postgres-subject.js';
import { explained, scansIn, spied } from './rows-read.js';

let pool: pg.Pool;
beforeAll(async () => {
  pool = await testPool(4);
});
afterAll(() => pool.end());

describeLaws(
  unfinishedWorkLaws,
  {
    create: async () => {
      const schema = await freshSchema(pool);
      return {
        work: postgresOperator(pool, { schema }),
        store: postgresStore(pool, { schema }),
        close: async () => undefined,
      };
    },
  },
  { describe, it },
);

it('finds parked tasks by an index of their own, among many that were done', async () => {
  const schema = await freshSchema(pool);
  const { rows } = await pool.query<{ definition: string }>(
    'select indexdef as definition from pg_indexes where schemaname = $1 and indexname = $2',
    [schema, 'tasks_parked'],
  );
  expect(rows.map(({ definition }) => definition)).toEqual([
    expect.stringMatching(/\(mode, id\) WHERE \(\(free_at IS NULL\) AND \(done_at IS NULL\)\)$/),
  ]);
});

/** Of each kind: tasks that failed, that are overdue and failed, that are overdue, that were parked, that wait for later; held sessions. */
const BACKLOG = runs(2_000, 25_000);
const LIMIT = 100;
/** Deliveries of one partner that wait after those of another. */
const QUEUED = 10;

it('however large the backlog is, operators read its head', async () => {
  const schema = await freshSchema(pool);
  await backlog(schema);
  const sent: pg.QueryConfig[] = [];
  const work = postgresOperator(
    spied(pool, (statement) => void sent.push(statement)),
    { schema },
  );
  const readEach = async () => {
    sent.length = 0;
    const { tasks, hasMore } = await work.oldestTasks('test', NOW);
    expect([tasks.length, hasMore]).toEqual([1, true]);
    expect(await work.stuckTasks('test', NOW, LIMIT)).toHaveLength(LIMIT);
    expect(await work.heldSessions('test', LIMIT)).toHaveLength(LIMIT);
    expect(await work.parkedTasks('test', LIMIT)).toHaveLength(LIMIT);
    expect(await work.countDeadLetters([examples.ACME, examples.BOLT], LIMIT)).toEqual([LIMIT, 0]);
    expect(await work.queuedDeliveries('test', LIMIT, examples.BOLT.partnerId)).toHaveLength(QUEUED);
    expect(await work.queuedDeliveries('test', LIMIT)).toHaveLength(LIMIT);
    const counts = [];
    // Each is planned as it was, by the settings of its transaction.
    const client = await pool.connect();
    for (const statement of sent.filter(({ text }) => text !== 'commit')) {
      if (statement.values === undefined) {
        await client.query(statement.text);
        continue;
      }
      const scans = (await explained(client, statement)).flatMap(({ Plan }) => scansIn(Plan));
      counts.push(scans.reduce((sum, { rows }) => sum + rows, 0));
      await client.query('rollback');
    }
    client.release();
    expect(counts).toHaveLength(7);
    return counts;
  };
  // The head and the one task that is shown; three kinds of stuck tasks; held sessions; parked tasks; dead letters of one partner; rows of
  // the queue and their deliveries, of one partner and of all.
  const most = [DUE_TASKS_MAX + 1 + 1, 3 * LIMIT, LIMIT, LIMIT, LIMIT, 2 * QUEUED, 2 * LIMIT];
  const beyond = async () => (await readEach()).filter((read, nth) => read > (most[nth] ?? 0));
  expect(await beyond()).toEqual([]);
  await pool.query(
    `vacuum analyze "${schema}".tasks, "${schema}".sessions, "${schema}".deliveries, "${schema}".delivery_queue`,
  );
  expect(await beyond()).toEqual([]);
});

const NOW = examples.T0 + 1_000_000;

async function backlog(schema: string): Promise<void> {
  const kinds = `(values ('failed', ${NOW + 1}, null, 2), ('both', ${examples.T0}, null, 2), ('overdue', ${examples.T0}, null, 0),
    ('parked', null, null, 0), ('later', ${NOW + 1}, null, 0), ('done', null, 1, 1)) as k(name, free_at, done_at, failures)`;
  await pool.query(
    `insert into "${schema}".tasks (id, mode, free_at, claims, done_at, row)
     select lpad(to_hex(n), 12, '0') || k.name, 'test', k.free_at::bigint + n, 0, k.done_at,
       json_build_object('kind', 'provider_check', 'failures', k.failures)
     from ${kinds}, generate_series(1, ${BACKLOG}) n`,
  );
  await pool.query(
    `insert into "${schema}".sessions (partner_id, mode, id, version, status, flow, currency, created_at, expires_at, is_held, row)
     select $1, 'test', lpad(to_hex(n), 23, '0') || h.held::int, 1, case when h.held then 'open' else 'completed' end, 'on_ramp', 'EUR', n, n, h.held,
       json_build_object('heldSince', case when h.held then n end)
     from generate_series(1, ${BACKLOG}) n, (values (true), (false)) as h(held)`,
    [examples.ACME.partnerId],
  );
  await pool.query(
    `insert into "${schema}".deliveries (partner_id, mode, id, event_id, event_type, status, is_webhook, created_at, row)
     select $1, 'test', lpad(to_hex(n), 12, '0') || k.status || k.is_webhook, 'e', 'webhook.test', k.status, k.is_webhook, n, '{}'
     from generate_series(1, ${BACKLOG}) n, (values ('delivered', true), ('dead_lettered', true), ('dead_lettered', false)) as k(status, is_webhook)`,
    [examples.ACME.partnerId],
  );
  for (const [{ partnerId }, from, many] of [
    [examples.ACME, 0, BACKLOG],
    [examples.BOLT, BACKLOG, QUEUED],
  ] as const)
    await pool.query(
      `with queued as (
         insert into "${schema}".deliveries (partner_id, mode, id, event_id, event_type, status, is_webhook, created_at, row)
         select $1, 'test', 'queued' || lpad(n::text, 12, '0'), 'e', 'webhook.test', 'pending', true, n, '{}'
         from generate_series($2 + 1, $2 + $3) n returning partner_id, mode, id, event_id, created_at)
       insert into "${schema}".delivery_queue (id, partner_id, mode, lane, endpoint, event_id, due_at, claims)
       select id, partner_id, mode, 'first', partner_id || '/' || mode || '/webhook', event_id, created_at, 0 from queued`,
      [partnerId, from, many],
    );
}
