import assert from 'node:assert/strict';
import { cutPage, type PageRequest, type PageStart } from '@gateramp/core/domain';
import type { Store } from '@gateramp/core/ports';
import { ACME, T0, aPartnerEvent, aPurchase, aSession } from '../builders.js';
import { beginning, creation, eventOnly, sessionCreation } from '../changes.js';
import { ALL_DELIVERIES, ALL_SESSIONS, ALL_TRANSACTIONS, idsOf, newest } from './queries.js';
import { commit, storeTopic } from './store-subject.js';
import { visitsEachOnce, type ReadIds } from './walk.js';

const sessionIds =
  (store: Store): ReadIds =>
  async (page) => {
    const rows = await store.list('session', ACME, ALL_SESSIONS, page, T0);
    // Counts a page like this one, with the row that says that there are more.
    assert.equal((await store.counts?.count('session', ACME, ALL_SESSIONS, page, T0)) ?? rows.length, rows.length);
    return idsOf(rows);
  };

const transactionIds =
  (store: Store): ReadIds =>
  async (page) =>
    (await store.list('transaction', ACME, ALL_TRANSACTIONS, page)).map((row) => row.refid);

const deliveryIds =
  (store: Store): ReadIds =>
  async (page) => {
    const rows = await store.list('delivery', ACME, ALL_DELIVERIES, page);
    assert.equal((await store.counts?.count('delivery', ACME, ALL_DELIVERIES, page)) ?? rows.length, rows.length);
    return idsOf(rows.map((record) => record.delivery));
  };

/** Ids of seven new sessions, newest first; two of them share an instant. */
async function sevenSessions(store: Store): Promise<readonly string[]> {
  const made = [0, 1, 2, 2, 3, 4, 5].map((offset) => aSession({ at: T0 + offset }));
  // Committed out of order: lists are ordered by creation.
  for (const nth of [3, 0, 6, 2, 5, 1, 4]) {
    const step = made[nth];
    if (step !== undefined) await commit(store, creation(step));
  }
  return made.map((step) => step.session.id).reverse();
}

export const pagingLaws = storeTopic('Store: paging', {
  async 'visits every session exactly once, newest first, in both directions and at any page size'(store) {
    await visitsEachOnce(sessionIds(store), await sevenSessions(store));
  },

  async 'visits every transaction exactly once in both directions'(store) {
    const expected: string[] = [];
    for (const at of [T0, T0 + 1, T0 + 1, T0 + 2]) {
      const { session, change } = sessionCreation({ at });
      const purchase = aPurchase(session, at);
      await commit(store, change, beginning(session, purchase, at));
      expected.unshift(purchase.transaction.refid);
    }
    await visitsEachOnce(transactionIds(store), expected);
  },

  async 'visits every delivery exactly once in both directions'(store) {
    const expected: string[] = [];
    for (const at of [T0, T0 + 1, T0 + 1, T0 + 2]) {
      const change = eventOnly(aPartnerEvent(ACME, at));
      await commit(store, change);
      expected.unshift(...change.deliveries.map((delivery) => delivery.row.id));
    }
    await visitsEachOnce(deliveryIds(store), expected);
  },

  async 'returns the same page in the same order every time'(store) {
    await sevenSessions(store);
    const read = sessionIds(store);
    const first = await read(newest(7));
    for (let again = 0; again < 5; again += 1) assert.deepEqual(await read(newest(7)), first);
  },

  async 'neither repeats nor skips an item while new ones are added'(store) {
    const expected = await sevenSessions(store);
    const read = sessionIds(store);
    const seen: string[] = [];
    let start: PageStart = { kind: 'newest' };
    for (let turn = 0; turn < 4; turn += 1) {
      const page: PageRequest = { start, limit: 2 };
      const { items } = cutPage(await read(page), page);
      seen.push(...items);
      await commit(store, sessionCreation({ at: T0 + 100 + turn }).change);
      const last = items.at(-1);
      if (last !== undefined) start = { kind: 'after', id: last };
    }
    assert.deepEqual(seen, expected);
  },

  async 'reads the items immediately before a cursor, not the newest ones'(store) {
    const expected = await sevenSessions(store);
    const [cursor] = expected.slice(5);
    assert.ok(cursor !== undefined);
    const rows = await sessionIds(store)({ start: { kind: 'before', id: cursor }, limit: 2 });
    assert.deepEqual(rows, [expected[4], expected[3], expected[2]]);
  },

  async 'ends after the oldest and before the newest'(store) {
    const expected = await sevenSessions(store);
    const [newestId, oldestId] = [expected[0], expected.at(-1)];
    assert.ok(newestId !== undefined && oldestId !== undefined);
    assert.deepEqual(await sessionIds(store)({ start: { kind: 'after', id: oldestId }, limit: 10 }), []);
    assert.deepEqual(await sessionIds(store)({ start: { kind: 'before', id: newestId }, limit: 10 }), []);
  },

  async 'pages a filtered list like the whole one'(store) {
    const expected: string[] = [];
    for (let nth = 0; nth < 8; nth += 1) {
      const { session, change } = sessionCreation({ at: T0 + nth, userReference: nth % 2 === 0 ? 'even' : 'odd' });
      await commit(store, change);
      if (nth % 2 === 0) expected.unshift(session.id);
    }
    const filter = { ...ALL_SESSIONS, userReference: 'even' };
    await visitsEachOnce(async (page) => idsOf(await store.list('session', ACME, filter, page, T0)), expected);
  },
});
