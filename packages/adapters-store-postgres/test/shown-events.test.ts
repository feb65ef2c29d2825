import { setTimeout as sleep } from 'node:timers/promises';
import { changes, rows } from '@gateramp/conformance';
import type { GateEvent } from '@gateramp/core/domain';
import type { Store } from '@gateramp/core/ports';
import { stillScheduler } from '@gateramp/testing';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, expect, it, onTestFinished } from 'vitest';
import { withTransaction } from '../src/index.js';
import { postgresStore } from './patient-store.js';
import { freshSchema, testPool } from './postgres-subject.js';

const ALL = { type: null, sessionId: null, createdAfter: null, createdBefore: null };

let pool: pg.Pool;
let schema: string;
let heldBack: number;
beforeAll(async () => {
  pool = await testPool(20);
});
beforeEach(async () => {
  schema = await freshSchema(pool);
  heldBack = 0;
});
afterAll(() => pool.end());

const open = (over = pool): Store => postgresStore(over, { schema, onEventsHeldBack: () => void (heldBack += 1) });

async function add(store: Store, at: number, type?: string): Promise<GateEvent> {
  const event = rows.aPartnerEvent(rows.ACME, at, type);
  expect(await store.commit(changes.eventOnly(event))).toEqual({ kind: 'committed' });
  return event;
}

async function listed(store: Store, after: string | null = null): Promise<readonly string[]> {
  const start = after === null ? ({ kind: 'newest' } as const) : ({ kind: 'before', id: after } as const);
  return (await store.list('event', rows.ACME, ALL, { start, limit: 100 })).map(({ id }) => id);
}

/** A commit that has written and not ended. */
async function slowCommit(
  at: number,
  inSchema = schema,
): Promise<{ readonly event: GateEvent; end(as: 'commit' | 'rollback'): Promise<void> }> {
  const client = await pool.connect();
  await client.query('begin');
  const { store } = withTransaction(client, { schema: inSchema, scheduler: stillScheduler() });
  let isOver = false;
  const end = async (as: 'commit' | 'rollback'): Promise<void> => {
    isOver = true;
    await client.query(as);
    client.release();
  };
  // Also if an assertion fails before it ends: later tests must not wait for it.
  onTestFinished(async () => (isOver ? undefined : end('rollback')));
  return { event: await add(store, at), end };
}

it('a list waits for a running commit whose event belongs before what it has found', async () => {
  const slow = await slowCommit(rows.T0);
  const next = await add(open(), rows.T0 + 5);
  const listing = listed(open());
  await sleep(50);
  await slow.end('commit');
  expect(await listing).toEqual([next.id, slow.event.id]);
  expect(heldBack).toBe(0);
});

it('a list waits no longer than 2 s: it shows what was settled, says so, and shows the rest afterwards', async () => {
  const store = open();
  const first = await add(store, rows.T0);
  expect(await listed(store)).toEqual([first.id]);
  const slow = await slowCommit(rows.T0 + 3);
  const next = await add(store, rows.T0 + 5);
  expect(await listed(store, first.id)).toEqual([]);
  // Another process knows what was settled.
  expect(await listed(open())).toEqual([first.id]);
  expect(heldBack).toBe(2);
  await slow.end('commit');
  expect(await listed(store, first.id)).toEqual([slow.event.id, next.id]);
});

it('is unavailable, and not empty, while nothing is settled', async () => {
  const slow = await slowCommit(rows.T0);
  await add(open(), rows.T0 + 5);
  await expect(listed(open())).rejects.toMatchObject({ outage: true });
  expect(heldBack).toBe(1);
  await slow.end('commit');
  expect(await listed(open())).toHaveLength(2);
});

it('waits for no commit of another partner, and for no transaction of another application', async () => {
  const client = await pool.connect();
  onTestFinished(() => client.release());
  await client.query(
    `begin; create table "${schema}".of_others (id int); insert into "${schema}".of_others values (1)`,
  );
  const stranger = await pool.connect();
  onTestFinished(() => stranger.release());
  await stranger.query('begin');
  const { store: foreign } = withTransaction(stranger, { schema, scheduler: stillScheduler() });
  await foreign.commit(changes.eventOnly(rows.aPartnerEvent(rows.BOLT, rows.T0)));
  const event = await add(open(), rows.T0);
  expect(await listed(open())).toEqual([event.id]);
  expect(heldBack).toBe(0);
  await Promise.all([client.query('rollback'), stranger.query('rollback')]);
});

it('waits for no commit of another installation in the same database', async () => {
  const slow = await slowCommit(rows.T0, await freshSchema(pool));
  const event = await add(open(), rows.T0);
  expect(await listed(open())).toEqual([event.id]);
  expect(heldBack).toBe(0);
  await slow.end('rollback');
});

it('shows what was settled while the database takes no writes', async () => {
  const readOnly = new pg.Pool({ ...pool.options, options: '-c default_transaction_read_only=on' });
  onTestFinished(() => readOnly.end());
  const settled = await add(open(), rows.T0);
  expect(await listed(open())).toEqual([settled.id]);
  const next = await add(open(), rows.T0 + 5);
  expect(await listed(open(readOnly))).toEqual([settled.id]);
  expect(heldBack).toBe(1);
  expect(await listed(open())).toEqual([next.id, settled.id]);
  expect(await listed(open(readOnly))).toEqual([next.id, settled.id]);
});

it('a commit that begins after a list puts its events after those that were shown, in every way of committing', async () => {
  const store = open();
  const [shown] = [await add(store, rows.T0 + 9)];
  await listed(store);
  const created = rows.aSession({ at: rows.T0 });
  const creation = changes.creation(created);
  expect(await store.commit(creation)).toEqual({ kind: 'committed' });
  const slow = await slowCommit(rows.T0);
  await slow.end('commit');
  const found = await listed(store, shown.id);
  expect([...found].sort()).toEqual([...creation.events.map(({ id }) => id), slow.event.id].sort());
  // The times and bytes of events are those of their creation; only their place is later.
  for (const event of creation.events) expect((await store.find('event', rows.ACME, event.id))?.body).toBe(event.body);
});

it('a poller misses nothing while two processes commit slowly and out of order', async () => {
  // Each commit lasts up to 20 ms longer than its statement.
  await pool.query(`create function "${schema}".linger() returns trigger language plpgsql as $$
    begin perform pg_sleep(random() * 0.02); return null; end $$`);
  await pool.query(`create constraint trigger linger after insert on "${schema}".events deferrable initially deferred
    for each row execute function "${schema}".linger()`);
  const pools = [await testPool(8), await testPool(8)];
  onTestFinished(async () => void (await Promise.all(pools.map((one) => one.end()))));
  const first = await add(open(), rows.T0);
  const committed: string[] = [first.id];
  let clock = rows.T0;
  const write = async (store: Store, nth: number): Promise<void> => {
    for (let left = 40; left > 0; left -= 1) {
      const at = (clock += 1);
      // Between the decision and the commit.
      await sleep((nth * left) % 13);
      committed.push((await add(store, at, `type.${left % 3}`)).id);
    }
  };
  let isWriting = true;
  const writers = Promise.all(pools.flatMap((one) => [1, 2, 3].map((nth) => write(open(one), nth)))).finally(() => {
    isWriting = false;
  });
  const poller = open();
  const seen = [...(await listed(poller))].reverse();
  for (let isLast = false; !isLast;) {
    isLast = !isWriting;
    for (let page = await listed(poller, seen.at(-1)); page.length > 0; page = await listed(poller, seen.at(-1)))
      seen.push(...page);
  }
  await writers;
  expect(seen.length).toBe(new Set(seen).size);
  expect([...seen].sort()).toEqual([...committed].sort());
});
