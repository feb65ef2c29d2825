import { changes, rows } from '@gateramp/conformance';
import type { Instant, PageStart } from '@gateramp/core/domain';
import type { Store } from '@gateramp/core/ports';
import { stillScheduler } from '@gateramp/testing';
import { expect, it, onTestFinished } from 'vitest';
import { withTransaction } from '../src/index.js';
import { postgresStore } from './patient-store.js';
import { freshSchema, testPool } from './postgres-subject.js';

const SECOND = 1000;
const ANY = { status: null, flow: null, currency: null, userReference: null, sessionId: null };
const ANY_DELIVERY = { target: null, status: null, eventType: null, eventId: null, sessionId: null } as const;

interface Row {
  readonly id: string;
  readonly at: Instant;
}

interface Walk {
  readonly since: Instant | null;
  readonly start: PageStart;
}

/** The lists that are ordered by ids made before the commit. */
const LISTS: Readonly<Record<string, (store: Store, walk: Walk) => Promise<readonly Row[]>>> = {
  sessions: async (store, { since, start }) => {
    const filter = { ...ANY, createdAfter: since, createdBefore: null };
    const found = await store.list('session', rows.ACME, filter, { start, limit: 2 }, rows.T0);
    return found.map(({ id, createdAt: at }) => ({ id, at }));
  },
  transactions: async (store, { since, start }) => {
    const filter = { ...ANY, createdAfter: since, createdBefore: null };
    const found = await store.list('transaction', rows.ACME, filter, { start, limit: 2 });
    return found.map(({ refid: id, createdAt: at }) => ({ id, at }));
  },
  deliveries: async (store, { since, start }) => {
    const filter = { ...ANY_DELIVERY, createdAfter: since, createdBefore: null };
    const found = await store.list('delivery', rows.ACME, filter, { start, limit: 2 });
    return found.map(({ delivery }) => ({ id: delivery.id, at: delivery.createdAt }));
  },
};

/** Commits one row of each list, with the time `at` in its id. */
async function add(store: Store, at: Instant): Promise<void> {
  const { session, change } = changes.sessionCreation({ at });
  expect(await store.commit(change)).toEqual({ kind: 'committed' });
  const purchase = changes.beginning(session, rows.aPurchase(session, at), at);
  expect(await store.commit(purchase)).toEqual({ kind: 'committed' });
}

/** `bookSince` of docs/guides/reconcile.md. */
async function bookSince(since: Instant, list: (walk: Walk) => Promise<readonly Row[]>, booked: Map<string, Instant>) {
  let next = since;
  for (let start: PageStart = { kind: 'newest' }; ;) {
    const page = await list({ since, start });
    const last = page.at(-1);
    if (last === undefined) return next;
    for (const { id, at } of page) {
      booked.set(id, at);
      next = Math.max(next, at - 60 * SECOND);
    }
    start = { kind: 'after', id: last.id };
  }
}

it.each(Object.keys(LISTS))(
  'a reader of %s who begins a minute before the newest row of the last time misses none that another process commits late',
  async (name) => {
    const [pool, other] = [await testPool(4), await testPool(4)];
    onTestFinished(async () => void (await Promise.all([pool.end(), other.end()])));
    const schema = await freshSchema(pool);
    const store = postgresStore(pool, { schema });
    const list = (walk: Walk): Promise<readonly Row[]> => LISTS[name]?.(store, walk) ?? Promise.resolve([]);

    const slow = await other.connect();
    await slow.query('begin');
    await add(withTransaction(slow, { schema, scheduler: stillScheduler() }).store, rows.T0);
    const ahead = [1, 20, 40, 60].map((seconds) => rows.T0 + seconds * SECOND);
    for (const at of ahead) await add(store, at);

    const booked = new Map<string, Instant>();
    const since = await bookSince(0, list, booked);
    expect([...booked.values()]).toEqual(ahead.toReversed());
    const [newest = ''] = booked.keys();
    await slow.query('commit');
    slow.release();
    // It is before the cursor of a reader who continues from there.
    expect(await list({ since: null, start: { kind: 'before', id: newest } })).toEqual([]);
    expect(await bookSince(since, list, booked)).toBe(since);
    expect([...booked.values()]).toEqual([...ahead.toReversed(), rows.T0]);
  },
);
