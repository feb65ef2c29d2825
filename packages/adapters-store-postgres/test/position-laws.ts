import assert from 'node:assert/strict';
import { changes, rows, type Law, type StoreSubject } from '@gateramp/conformance';
import { DAY, endDelivery, releaseDelivery, type Delivery } from '@gateramp/core/domain';
import { emptyChange, type ClaimedDelivery, type DeliveryClaim, type Store } from '@gateramp/core/ports';
import fc from 'fast-check';
import type pg from 'pg';
import { isDeep } from '../../../tests/depth.js';
import { batchedCommit } from '../src/commit/committer.js';
import { pooled } from '../src/database.js';
import { postgresStore, storeOver } from '../src/postgres-store.js';
import { readingFrom } from '../src/reads/reading.js';
import { LanePositions } from '../src/work/lane-positions.js';
import { freshSchema } from './postgres-subject.js';

const RUNS = isDeep ? 40 : 8;
const SCOPES = [rows.ACME, rows.BOLT, rows.ACME_LIVE];
const EVERYTHING = 100;

/** The time after which a position is renewed. */
const RENEWAL_MS = 5_000;

/** Laws of claims that start from a position in their lane. */
export const positionLaws = (pool: () => pg.Pool): readonly Law<StoreSubject>[] => {
  const laws: Readonly<Record<string, (pool: pg.Pool, schema: string) => Promise<void>>> = {
    'claims a row that is recorded in a lane before its position': recordedBeforePosition,
    'keeps rows that are recorded while another claim of the lane is running': recordedDuringClaim,
    'has a next due time before the position, if rows before it wait or are returned': dueBeforePosition,
    'finds each endpoint, however many rows are due before its first one': manyDueRows,
    'counts the leases of rows that another process claimed since': leasedByOthers,
    'claims late tasks of this process at once, and those of others after the position is renewed': lateTasks,
    'claims a task that another claim had locked': lockedTasks,
    'starts at the head again, once there are few dead entries': backToTheHead,
    'claims rows up to a second late at once, and later ones after the position is renewed': randomHistories,
  };
  return Object.entries(laws).map(([title, run]) => ({
    topic: 'Store: claims from a position',
    title,
    run: async () => run(pool(), await schemaOfSlowClaims(pool())),
  }));
};

const LATER = rows.T0 + 60_000;

const claimOf = (request: Partial<DeliveryClaim>): DeliveryClaim => ({
  now: rows.nowIn(LATER),
  lane: 'first',
  limit: EVERYTHING,
  perEndpoint: EVERYTHING,
  leaseMs: DAY,
  token: rows.aUuid(),
  ...request,
});

const claimed = async (store: Store, request: Partial<DeliveryClaim>): Promise<readonly string[]> =>
  (await store.claim('delivery', claimOf(request))).map(({ delivery }) => delivery.id);

async function due(store: Store, scope: (typeof SCOPES)[number], at: number): Promise<string> {
  const event = rows.aPartnerEvent(scope, at);
  const delivery = rows.aDelivery(event, at);
  await store.commit(changes.eventOnly(event, delivery));
  return delivery.id;
}

/** Claims everything of the first lane, and records it in the lane of retries, due at this time. */
async function returnTo(store: Store, dueAt: number): Promise<readonly string[]> {
  const found = await store.claim('delivery', claimOf({}));
  for (const { delivery } of found) {
    const next: Delivery = { ...releaseDelivery(delivery), status: 'retrying', lane: 'retry', dueAt };
    assert.equal(
      await store.recordDelivery({ leaseToken: delivery.leaseToken ?? '', next, attempt: null }),
      'recorded',
    );
  }
  return found.map(({ delivery }) => delivery.id);
}

async function recordedBeforePosition(pool: pg.Pool, schema: string): Promise<void> {
  const store = storeWith(pool, schema, () => 0);
  await due(store, rows.ACME, rows.T0);
  assert.deepEqual(await claimed(store, { lane: 'retry' }), []);
  const returned = await returnTo(store, rows.T0 + 1);
  assert.equal(returned.length, 1);
  assert.deepEqual(await claimed(store, { lane: 'retry' }), returned);
}

async function recordedDuringClaim(pool: pg.Pool, schema: string): Promise<void> {
  const held = new HeldAnswer(pool);
  const store = storeWith(held.pool, schema, () => 0);
  assert.deepEqual(await claimed(store, { lane: 'retry' }), []);
  for (const isOvertaken of [false, true]) {
    for (const scope of SCOPES) await due(store, scope, rows.T0);
    const answer = held.next();
    const running = claimed(store, { lane: 'retry' });
    await answer.reached;
    const left = new Set(await returnTo(store, rows.T0 + 1));
    assert.equal(left.size, SCOPES.length);
    const takeOne = async (): Promise<void> => {
      for (const { delivery } of await store.claim('delivery', claimOf({ lane: 'retry', limit: 1 }))) {
        left.delete(delivery.id);
        // An endpoint with a leased row would stay in the position.
        const next = endDelivery(delivery, LATER);
        await store.recordDelivery({ leaseToken: delivery.leaseToken ?? '', next, attempt: null });
      }
    };
    if (isOvertaken) await takeOne();
    answer.release();
    assert.deepEqual(await running, []);
    while (left.size > 0) {
      const before = left.size;
      await takeOne();
      assert.equal(left.size, before - 1, 'a row is lost until the position is renewed');
    }
  }
}

async function dueBeforePosition(pool: pg.Pool, schema: string): Promise<void> {
  const store = storeWith(pool, schema, () => 0);
  const next = async (lane: 'first' | 'retry') => (await store.nextDue('test', [lane]))?.dueAt;
  assert.deepEqual(await claimed(store, { lane: 'retry' }), []);
  await due(store, rows.ACME, rows.T0);
  await due(store, rows.ACME, rows.T0 + 1);
  assert.equal((await claimed(store, { limit: 1 })).length, 1);
  assert.equal((await claimed(store, { limit: 1, perEndpoint: 1 })).length, 0);
  assert.equal(await next('first'), rows.T0 + 1);
  await returnTo(store, rows.T0 + 2);
  assert.equal(await next('retry'), rows.T0 + 2);
}

const claimedTasks = async (store: Store, now = LATER): Promise<readonly string[]> =>
  (await store.claim('task', { now: rows.nowIn(now), limit: EVERYTHING, leaseMs: DAY, token: rows.aUuid() })).map(
    ({ id }) => id,
  );

async function lateTasks(pool: pg.Pool, schema: string): Promise<void> {
  let time = 0;
  const store = storeWith(pool, schema, () => time);
  const other = postgresStore(pool, { schema });
  const commit = async (by: Store, dueAt: number): Promise<string> => {
    const task = rows.aTask({ dueAt });
    await by.commit({ ...emptyChange(rows.ACME, dueAt), tasks: [task] });
    return task.id;
  };
  assert.deepEqual(await claimedTasks(store), []);
  const late = await commit(store, rows.T0);
  assert.equal((await store.nextDue('test', ['tasks']))?.id, late);
  assert.equal((await store.nextDue('test'))?.id, late);
  assert.deepEqual(await claimedTasks(store), [late]);
  const recent = await commit(other, LATER - 900);
  assert.deepEqual(await claimedTasks(store), [recent]);
  const veryLate = await commit(other, rows.T0);
  assert.deepEqual(await claimedTasks(store), [], 'claims of slow tasks start at the head');
  time += RENEWAL_MS;
  assert.deepEqual(await claimedTasks(store), [veryLate]);
  const waiting = [await commit(other, LATER + 10), await commit(other, LATER + 20)];
  assert.deepEqual(await claimedTasks(store, LATER + 5_000), waiting);
}

async function lockedTasks(pool: pg.Pool, schema: string): Promise<void> {
  const store = storeWith(pool, schema, () => 0);
  const task = rows.aTask({ dueAt: rows.T0 });
  await store.commit({ ...emptyChange(rows.ACME, rows.T0), tasks: [task] });
  const rival = await pool.connect();
  try {
    await rival.query(`begin; select from "${schema}".tasks for update`);
    assert.deepEqual(await claimedTasks(store), []);
    assert.deepEqual(await claimedTasks(store, LATER + DAY), []);
    await rival.query('rollback');
    assert.deepEqual(await claimedTasks(store, LATER + DAY), [task.id]);
  } finally {
    rival.release(true);
  }
}

async function manyDueRows(pool: pg.Pool, schema: string): Promise<void> {
  const store = storeWith(pool, schema, () => 0);
  assert.deepEqual(await claimed(store, { now: rows.nowIn(rows.T0) }), []);
  await Promise.all(Array.from({ length: 300 }, () => due(store, rows.ACME, rows.T0 + 1)));
  const last = await due(store, rows.BOLT, rows.T0 + 2);
  const found = new Set<string>();
  for (let nth = 0; nth < 3; nth += 1)
    for (const id of await claimed(store, { limit: 2, perEndpoint: 1 })) found.add(id);
  assert.ok(found.has(last), 'an endpoint behind many rows of another is not found');
}

async function leasedByOthers(pool: pg.Pool, schema: string): Promise<void> {
  const store = storeWith(pool, schema, () => 0);
  const other = storeWith(pool, schema, () => 0);
  assert.deepEqual(await claimed(store, { now: rows.nowIn(rows.T0) }), []);
  const first = await due(store, rows.ACME, rows.T0 + 1);
  await due(store, rows.ACME, rows.T0 + 2);
  assert.deepEqual(await claimed(other, { perEndpoint: 1 }), [first]);
  assert.deepEqual(await claimed(store, { perEndpoint: 1 }), []);
}

async function backToTheHead(pool: pg.Pool, schema: string): Promise<void> {
  let time = 0;
  const store = storeWith(pool, schema, () => time);
  await claimed(store, {});
  const late = await due(store, rows.ACME, rows.T0);
  assert.deepEqual(await claimed(store, {}), [], 'claims of a slow lane start at its head');
  await pool.query(
    `create or replace function "${schema}".dead_entries_read() returns bigint language sql as 'select 0::bigint'`,
  );
  time += RENEWAL_MS;
  assert.deepEqual(await claimed(store, {}), [late]);
  const later = await due(store, rows.ACME, rows.T0);
  assert.deepEqual(await claimed(store, {}), [later], 'claims still start from a position');
}

/** A pool that can hold back the answer of a claim. */
class HeldAnswer {
  readonly pool: pg.Pool;
  private hold: (() => Promise<void>) | null = null;

  constructor(pool: pg.Pool) {
    const query = async (statement: pg.QueryConfig): Promise<pg.QueryResult> => {
      const hold = statement.text.includes('claim_due') ? this.hold : null;
      if (hold !== null) this.hold = null;
      const answer = await pool.query(statement);
      await hold?.();
      return answer;
    };
    this.pool = new Proxy(pool, {
      get: (target, name) => (name === 'query' ? query : Reflect.get(target, name, target)) as unknown,
    });
  }

  /** Holds back the answer of the next claim until it is released. */
  next(): { readonly reached: Promise<void>; readonly release: () => void } {
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    const reached = new Promise<void>((resolve) => {
      this.hold = () => {
        resolve();
        return released;
      };
    });
    return { reached, release: () => release() };
  }
}

type Step =
  | { readonly kind: 'commit'; readonly scope: number; readonly lateMs: number }
  | { readonly kind: 'pass'; readonly ms: number }
  | { readonly kind: 'claim'; readonly limit: number; readonly then: 'deliver' | 'return' | 'keep' };

const steps: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    kind: fc.constant('commit' as const),
    scope: fc.nat(SCOPES.length - 1),
    lateMs: fc.oneof(fc.nat(1_000), fc.nat(20_000)),
  }),
  fc.record({ kind: fc.constant('pass' as const), ms: fc.nat(1_500) }),
  fc.record({
    kind: fc.constant('claim' as const),
    limit: fc.constantFrom(1, 2, EVERYTHING),
    then: fc.constantFrom('deliver' as const, 'return' as const, 'keep' as const),
  }),
);

async function randomHistories(pool: pg.Pool): Promise<void> {
  let fine = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(steps, { minLength: 10, maxLength: 40 }), async (history) => {
      const schema = await schemaOfSlowClaims(pool);
      await play(history, postgresStore(pool, { schema }), (clock) => storeWith(pool, schema, clock));
      fine += 1;
    }),
    { numRuns: RUNS },
  );
  assert.equal(fine, RUNS);
}

/** Another process commits, and a worker claims from a position that it renews when `clock` says so. */
async function play(history: readonly Step[], other: Store, open: (clock: () => number) => Store): Promise<void> {
  let time = 0;
  let now = rows.T0;
  const worker = open(() => time);
  /** Whether each row that waits must be found by the next claim. */
  const waiting = new Map<string, boolean>();
  const held: ClaimedDelivery[] = [];

  async function claim(limit: number): Promise<readonly ClaimedDelivery[]> {
    const found = await worker.claim('delivery', claimOf({ now: rows.nowIn(now), limit }));
    for (const { delivery } of found) assert.ok(waiting.delete(delivery.id), 'a row is claimed twice');
    if (limit === EVERYTHING) assert.ok(![...waiting.values()].includes(true), 'a row is not found');
    return found;
  }
  const record = ({ delivery }: ClaimedDelivery, next: Delivery) =>
    worker.recordDelivery({ leaseToken: delivery.leaseToken ?? '', next, attempt: null });
  async function release(one: ClaimedDelivery): Promise<void> {
    assert.equal(await record(one, releaseDelivery(one.delivery)), 'recorded');
    // This process knows of it, however long ago it was due.
    waiting.set(one.delivery.id, true);
  }

  for (const step of history) {
    if (step.kind === 'pass') now += step.ms;
    else if (step.kind === 'commit') {
      const event = rows.aPartnerEvent(SCOPES[step.scope] ?? rows.ACME, now);
      const delivery = { ...rows.aDelivery(event, now), dueAt: now - step.lateMs };
      await other.commit(changes.eventOnly(event, delivery));
      waiting.set(delivery.id, step.lateMs <= 1_000);
    } else
      for (const one of await claim(step.limit)) {
        if (step.then === 'keep') held.push(one);
        else if (step.then === 'deliver') await record(one, endDelivery(one.delivery, now));
        else await release(one);
      }
  }
  for (const one of held) await release(one);
  await claim(EVERYTHING);
  time += RENEWAL_MS;
  await claim(EVERYTHING);
  assert.deepEqual([...waiting.keys()], []);
}

/** Every claim counts as slow. */
export async function schemaOfSlowClaims(pool: pg.Pool): Promise<string> {
  const schema = await freshSchema(pool);
  await pool.query(`create sequence "${schema}".slow increment 10000;
    create or replace function "${schema}".dead_entries_read() returns bigint language sql as $$ select nextval('"${schema}".slow') $$;
    create or replace function "${schema}".dead_task_entries_read() returns bigint language sql as $$ select nextval('"${schema}".slow') $$`);
  return schema;
}

/** A store as `postgresStore` makes it, whose positions are renewed by another clock. */
export function storeWith(pool: pg.Pool, schema: string, clock: () => number): Store {
  const database = pooled(pool, { queryTimeoutMs: 15_000, preparedStatements: false });
  return storeOver(
    database,
    readingFrom(pool, database, {
      schema,
      isDistributed: false,
      keptForCommits: 3,
      waitMs: 15_000,
      pageTimeoutMs: 60_000,
      statementOf: database.statementOf,
      keepsPlans: false,
    }),
    {
      schema,
      distribution: null,
      hasOwnTransactions: true,
      positions: new LanePositions(clock),
      recording: { slots: 2, batchMax: 128, gather: { ms: 5, count: 32 }, onRecorded: () => undefined },
      commit: batchedCommit(database, {
        schema,
        distribution: null,
        slots: 2,
        batchMax: 64,
        onBatch: () => undefined,
      }),
    },
  );
}

/** A law that commits rows an hour late and claims them at once, which needs a renewed position. */
const COMMITS_LATE = 'gives the turn of an endpoint without free slots to others';

/** The laws of the store that hold for claims from a position that is never renewed. */
export const holdsUnrenewed = ({ title }: Law<StoreSubject>): boolean => title !== COMMITS_LATE;

/** Opens a store whose claims all start from a position, in a schema of `schemaOfSlowClaims`. */
export const openUnrenewed: typeof postgresStore = (pool, options) => storeWith(pool, options?.schema ?? '', () => 0);
