import { aCreate, changes, rows } from '@gateramp/conformance';
import { cancel, DAY, type Session } from '@gateramp/core/domain';
import type { Store } from '@gateramp/core/ports';
import type pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { shortest } from '../../../../tests/services/stopwatch.js';
import { type DetachedPartition, DROP_GROUPS, postgresPartitions } from '../../src/index.js';
import { postgresStore } from '../patient-store.js';
import { testPool } from '../postgres-subject.js';
import { lockWatch, LOOKS_OF_A_SECOND } from './lock-watch.js';
import { partitionedSchema } from './partitioned-schema.js';

/** Months of this file: each begins at the last border. */
const MONTH = 31 * DAY;
const FIRST = rows.T0 + 1;
const SECOND = FIRST + MONTH;
const NOW = rows.T0 + 13 * MONTH;

let pool: pg.Pool;
beforeAll(async () => {
  pool = await testPool();
});
afterAll(() => pool.end());

async function anInstallation() {
  const schema = await partitionedSchema(pool, [FIRST, SECOND, SECOND + MONTH]);
  return { schema, store: postgresStore(pool, { schema }), partitions: postgresPartitions(pool, { schema }) };
}

/** A session of the first month that has ended, with two events whose deliveries are gone, as after thirty days. */
async function anEndedSession(schema: string, store: Store): Promise<Session> {
  const { session, change } = changes.sessionCreation({ at: rows.T0 });
  await store.commit({ ...change, idempotency: aCreate('key').idempotency, once: ['provider/reference'] });
  await store.commit(changes.transition(session, cancel(session)._unsafeUnwrap(), rows.T0));
  await pool.query(`delete from "${schema}".deliveries; delete from "${schema}".delivery_queue`);
  return session;
}

const order = (before: number) => ({ before, groups: DROP_GROUPS, now: NOW });
const nothing = () => Promise.resolve();

it('drops months: their rows are absent, later ones stay, and a replay of a dropped one is refused', async () => {
  const { schema, store, partitions } = await anInstallation();
  const gone = await anEndedSession(schema, store);
  const later = changes.sessionCreation({ at: SECOND + 5 });
  await store.commit(later.change);
  const archived: string[] = [];
  const { dropped, kept } = await partitions.drop(order(FIRST), async ({ name, rows: read }) => {
    for await (const page of read())
      archived.push(...page.map((line) => `${name} ${(JSON.parse(line) as { id: string }).id}`));
  });
  expect(kept).toEqual([]);
  expect(dropped).toHaveLength(2);
  expect(archived).toHaveLength(3);
  expect(archived).toContain(`sessions_before_2026_01 ${gone.id}`);
  expect(await store.find('session', rows.ACME, gone.id)).toBeNull();
  expect(await store.list('session_event', rows.ACME, gone.id)).toEqual([]);
  const filter = {
    status: null,
    flow: null,
    currency: null,
    userReference: null,
    createdAfter: null,
    createdBefore: null,
  };
  const page = await store.list('session', rows.ACME, filter, { start: { kind: 'newest' }, limit: 10 }, NOW);
  expect(page.map(({ id }) => id)).toEqual([later.session.id]);
  // The same rows again, a month later: as a create, as a row, as an event, and as a message of a provider.
  const again = changes.creation({ session: gone, announcements: [] }, NOW);
  expect(await store.commit(again)).toEqual({ kind: 'stale' });
  expect(
    await store.commit({ ...later.change, sessions: [], events: [], deliveries: [], once: ['provider/reference'] }),
  ).toEqual({
    kind: 'duplicate',
    mark: 'provider/reference',
  });
  const [event] = (
    await pool.query<{ id: string }>(`select id from "${schema}".event_keys where session_id = $1`, [gone.id])
  ).rows;
  const replayed = { ...rows.aPartnerEvent(rows.ACME, NOW), id: event?.id ?? '' };
  expect(await store.commit(changes.eventOnly(replayed))).toEqual({ kind: 'stale' });
  // And a second drop continues where the first ended.
  expect((await partitions.drop(order(SECOND), nothing)).dropped).toEqual([]);
  const more = changes.sessionCreation({ at: SECOND - 5 });
  expect(await store.commit(more.change)).toEqual({ kind: 'stale' });
});

it('still refuses what would come to a dropped month when the tables are plain again', async () => {
  const { schema, store, partitions } = await anInstallation();
  const gone = await anEndedSession(schema, store);
  const [event] = (
    await pool.query<{ id: string }>(`select id from "${schema}".event_keys where session_id = $1`, [gone.id])
  ).rows;
  await partitions.drop(order(FIRST), nothing);
  await partitions.off();
  expect(await store.commit(changes.creation({ session: gone, announcements: [] }, NOW))).toEqual({ kind: 'stale' });
  const replayed = { ...rows.aPartnerEvent(rows.ACME, NOW), id: event?.id ?? '' };
  expect(await store.commit(changes.eventOnly(replayed))).toEqual({ kind: 'stale' });
  expect(await store.commit(changes.sessionCreation({ at: NOW }).change)).toEqual({ kind: 'committed' });
});

it('keeps a month with unfinished rows, and says which', async () => {
  const { store, partitions } = await anInstallation();
  const open = changes.sessionCreation({ at: rows.T0 });
  await store.commit(open.change);
  const at = open.session.createdAt + 1;
  const { kept, dropped } = await partitions.drop({ ...order(FIRST), now: at }, nothing);
  expect(dropped).toEqual([]);
  expect(
    kept.map(({ tables, unfinished }) => [tables[0], unfinished.map(({ what, example }) => [what, example])]),
  ).toEqual([
    ['deliveries', [['not delivered yet', open.change.deliveries[0]?.row.id]]],
    ['events', [['with a delivery that is not delivered, or can be replayed', open.change.events[0]?.id]]],
    ['sessions', [['open', open.session.id]]],
  ]);
  expect(await store.find('session', rows.ACME, open.session.id)).toEqual(open.session);
});

it('keeps a month with a payment in progress', async () => {
  const { store, partitions } = await anInstallation();
  const open = changes.sessionCreation({ at: rows.T0 });
  await store.commit(open.change);
  const purchase = rows.aPurchase(open.session, rows.T0);
  await store.commit(changes.beginning(open.session, purchase, rows.T0));
  const planned = await partitions.planDrop({ ...order(FIRST), groups: ['purchases'] });
  expect(planned.flatMap(({ unfinished }) => unfinished.map(({ table, what }) => `${table} ${what}`))).toEqual([
    'intents in progress',
    'transactions in progress',
    'sessions held, with a payment in progress',
    'sessions with a transaction that is kept',
  ]);
});

it('keeps a purchase that can still be disputed', async () => {
  const { schema, store, partitions } = await anInstallation();
  const { session, change } = changes.sessionCreation({ at: rows.T0 });
  await store.commit(change);
  const purchase = rows.aPurchase(session, rows.T0);
  await store.commit(changes.beginning(session, purchase, rows.T0));
  await pool.query(`update "${schema}".sessions set is_held = false, status = 'completed';
    update "${schema}".transactions set status = 'completed';
    update "${schema}".intents set row = (row::jsonb || '{"status":"succeeded"}')::json`);
  const purchases = { ...order(FIRST), groups: ['purchases'] as const };
  const early = await partitions.planDrop({ ...purchases, now: rows.T0 + 179 * DAY });
  const whats = (steps: typeof early) => steps.flatMap(({ unfinished }) => unfinished.map(({ what }) => what));
  // Its session is needed as long as its transaction is.
  const reasons = ['that can still be disputed', 'with a transaction that is kept'];
  expect(whats(early)).toEqual(reasons);
  const tried = await partitions.drop({ ...purchases, now: rows.T0 + 179 * DAY }, nothing);
  expect([tried.dropped, whats(tried.kept)]).toEqual([[], reasons]);
  expect(await store.find('session', rows.ACME, session.id)).not.toBeNull();
  const { dropped, kept } = await partitions.drop({ ...purchases, now: rows.T0 + 181 * DAY }, nothing);
  expect([dropped.length, kept]).toEqual([3, []]);
  expect(await store.find('transaction', rows.ACME, purchase.transaction.refid)).toBeNull();
  expect(
    await store.find('intent_by_operation', 'test', purchase.intent.provider, purchase.intent.operationId),
  ).toBeNull();
});

it('continues with a month whose archive failed, and loses none of its rows', async () => {
  const { schema, store, partitions } = await anInstallation();
  await anEndedSession(schema, store);
  await expect(partitions.drop(order(FIRST), () => Promise.reject(new Error('The disk is full.')))).rejects.toThrow(
    'full',
  );
  const archived: DetachedPartition[] = [];
  let count = 0;
  const { dropped } = await partitions.drop(order(FIRST), async (partition) => {
    archived.push(partition);
    for await (const page of partition.rows()) count += page.length;
  });
  expect(archived.map(({ table }) => table)).toEqual(['events', 'sessions']);
  expect([dropped.length, count]).toEqual([2, 3]);
});

it('blocks no request: creates and reads go on while a month is dropped', async () => {
  const dropping = async (): Promise<number> => {
    const { schema, store, partitions } = await anInstallation();
    await anEndedSession(schema, store);
    await pool.query(
      `insert into "${schema}".sessions (partner_id, mode, id, version, status, currency, created_at, expires_at, is_held, row)
       select partner_id, mode, lpad(to_hex(created_at - n), 12, '0') || right(id, 12), version, status, currency, created_at - n, expires_at - n, false, row
       from "${schema}".sessions, generate_series(1, 20000) n`,
    );
    let isDone = false;
    let slowest = 0;
    const watch = await lockWatch(pool, schema);
    let commits = 0;
    const writing = [0, 1, 2].map(async () => {
      while (!isDone) {
        const { session, change } = changes.sessionCreation({ at: SECOND + 10 });
        const began = watch.looks();
        expect(await store.commit(change)).toEqual({ kind: 'committed' });
        expect(await store.find('session', rows.ACME, session.id)).not.toBeNull();
        slowest = Math.max(slowest, watch.looks() - began);
        commits += 1;
      }
    });
    let archived = 0;
    const drop = partitions.drop(order(FIRST), async (partition) => {
      for await (const page of partition.rows()) archived += page.length;
    });
    const { dropped } = await drop.finally(() => (isDone = true));
    await Promise.all(writing);
    const waited = await watch.stop();
    expect(dropped).toContain('sessions_before_2026_01');
    expect(archived).toBe(20_003);
    expect(commits).toBeGreaterThan(0);
    return Math.max(slowest, waited);
  };
  expect(await shortest(dropping, LOOKS_OF_A_SECOND)).toBeLessThan(LOOKS_OF_A_SECOND);
});
