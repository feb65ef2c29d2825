import assert from 'node:assert/strict';
import type { Scope } from '@gateramp/core';
import {
  cancel,
  sessionResource,
  toJsonText,
  type Intent,
  type JsonText,
  type Session,
  type SessionStatus,
  type Transaction,
} from '@gateramp/core/domain';
import { emptyChange, OF_HASH_MAX, type SessionFilter, type Store } from '@gateramp/core/ports';
import { ACME, ACME_LIVE, BOLT, T0, aPurchase, aSession, anEvent } from '../builders.js';
import { beginning, creation, insert, sessionCreation, transition, update } from '../changes.js';
import { ALL_DELIVERIES, ALL_EVENTS, ALL_SESSIONS, ALL_TRANSACTIONS, idsOf, newest } from './queries.js';
import { commit, storeTopic } from './store-subject.js';

const HASH = `0x${'a1'.repeat(32)}`;
const STRANGERS: readonly Scope[] = [ACME_LIVE, BOLT, { ...BOLT, mode: 'live' }];

export const readLaws = storeTopic('Store: reads', {
  async 'returns no rows of another partner or mode'(store) {
    const { session, change } = sessionCreation({ scope: ACME });
    const purchase = aPurchase(session, T0);
    const { intent, transaction } = purchase;
    await commit(store, change, beginning(session, purchase, T0));
    await commit(store, {
      ...emptyChange(ACME, T0),
      transactions: [update<Transaction>(transaction, { ...transaction, txHash: HASH })],
    });
    const [event] = change.events;
    const [delivery] = change.deliveries;
    assert.ok(event !== undefined && delivery !== undefined);
    for (const stranger of STRANGERS) {
      assert.equal(await store.find('session', stranger, session.id), null);
      assert.equal(await store.find('intent', stranger, intent.id), null);
      assert.equal(await store.find('transaction', stranger, transaction.refid), null);
      assert.equal(await store.find('event', stranger, event.id), null);
      assert.equal(await store.find('delivery', stranger, delivery.row.id), null);
      assert.deepEqual(await store.list('session_event', stranger, session.id), []);
      assert.deepEqual(await store.list('transaction_of_hash', stranger, HASH), []);
      assert.deepEqual(await store.list('event', stranger, ALL_EVENTS, newest(100)), []);
      assert.deepEqual(await store.list('event', stranger, { ...ALL_EVENTS, sessionId: session.id }, newest(100)), []);
      assert.deepEqual(await store.list('session', stranger, ALL_SESSIONS, newest(100), T0), []);
      assert.deepEqual(await store.list('transaction', stranger, ALL_TRANSACTIONS, newest(100)), []);
      assert.deepEqual(await store.list('delivery', stranger, ALL_DELIVERIES, newest(100)), []);
      assert.deepEqual(
        await store.list('delivery', stranger, { ...ALL_DELIVERIES, sessionId: session.id }, newest(100)),
        [],
      );
    }
  },

  async "finds an intent by its provider's operation id, in its own mode only"(store) {
    const { session, change } = sessionCreation();
    const purchase = aPurchase(session, T0);
    await commit(store, change, beginning(session, purchase, T0));
    const { intent } = purchase;
    assert.deepEqual(await store.find('intent_by_operation', 'test', 'sandbox', intent.operationId), intent);
    assert.equal(await store.find('intent_by_operation', 'live', 'sandbox', intent.operationId), null);
    assert.equal(await store.find('intent_by_operation', 'test', 'other', intent.operationId), null);
    assert.equal(await store.find('intent_by_operation', 'test', 'sandbox', 'unknown'), null);
    const moved = update<Intent>(intent, { ...intent, status: 'processing' });
    await commit(store, { ...emptyChange(ACME, T0), intents: [moved] });
    const found = await store.find('intent_by_operation', 'test', 'sandbox', intent.operationId);
    assert.deepEqual(found, moved.row, 'as it is now, not as it was begun');
  },

  async 'finds transactions by their hash in any case, as they are now: the newest first, at most OF_HASH_MAX'(store) {
    const { session, change } = sessionCreation();
    const purchase = aPurchase(session, T0);
    await commit(store, change, beginning(session, purchase, T0));
    assert.deepEqual(await store.list('transaction_of_hash', ACME, HASH), []);
    const replaced = update<Transaction>(purchase.transaction, {
      ...purchase.transaction,
      txHash: `0x${'1'.repeat(64)}`,
    });
    await commit(store, { ...emptyChange(ACME, T0), transactions: [replaced] });
    const settled = update<Transaction>(replaced.row, { ...replaced.row, txHash: HASH.toUpperCase() });
    await commit(store, { ...emptyChange(ACME, T0), transactions: [settled] });
    assert.deepEqual(await store.list('transaction_of_hash', ACME, HASH), [settled.row]);
    assert.deepEqual(await store.list('transaction_of_hash', ACME, HASH.toUpperCase()), [settled.row]);
    assert.deepEqual(await store.list('transaction_of_hash', ACME, replaced.row.txHash ?? ''), []);
    assert.deepEqual(await store.list('transaction_of_hash', ACME, HASH.slice(0, -1)), []);
    const others = Array.from({ length: OF_HASH_MAX }, (_, nth) => ({
      ...purchase.transaction,
      refid: aPurchase(session, T0 + nth + 1).transaction.refid,
      txHash: HASH,
    }));
    await commit(store, { ...emptyChange(ACME, T0), transactions: others.map((row) => insert(row)) });
    const found = await store.list('transaction_of_hash', ACME, HASH);
    assert.deepEqual(found, others.toReversed());
  },

  async 'returns null or an empty list for absent rows'(store) {
    const absent = '0123456789abcdef01234567';
    assert.equal(await store.find('session', ACME, absent), null);
    assert.equal(await store.find('intent', ACME, absent), null);
    assert.equal(await store.find('transaction', ACME, 'gtx_00000000000000000000'), null);
    assert.equal(await store.find('event', ACME, '00000000-0000-4000-8000-00000000ffff'), null);
    assert.equal(await store.find('delivery', ACME, absent), null);
    assert.equal(await store.find('task', ACME, absent), null);
    assert.deepEqual(await store.list('session_event', ACME, absent), []);
    assert.deepEqual(await store.list('transaction_of_hash', ACME, absent), []);
  },

  async 'returns metadata and event bodies as the exact stored text'(store) {
    // Key order, spaces, number formats and escapes that a parser would not preserve.
    const metadata = '{ "b" : 1.0, "a": 1e2, "10": null, "2": "\\u00e9\\/", "b" : "é\u{1F600}" }' as JsonText;
    const { session, change } = sessionCreation({ metadata });
    await commit(store, change);
    assert.equal((await store.find('session', ACME, session.id))?.metadata, metadata);
    const [event] = change.events;
    const [stored] = await store.list('session_event', ACME, session.id);
    assert.ok(event !== undefined && event.body.includes(metadata));
    assert.equal(stored?.body, event.body);
  },

  async 'returns metadata and other replaced fields of a session as the exact stored text'(store) {
    // The engine creates such text, as the type says; a parser would change it.
    const [before, after] = ['{"b":1,"a":1.0}', '{ "b" : 1e2, "a": "\\u00e9", "0": [1,2] }'] as JsonText[];
    const { session, change } = sessionCreation({ metadata: before ?? toJsonText({}) });
    const next = { ...session, metadata: after ?? session.metadata, userReference: 'order-2', updatedAt: T0 + 1 };
    const write = update(session, next);
    await commit(store, change, { ...emptyChange(ACME, T0 + 1), sessions: [write] });
    assert.deepEqual(await store.find('session', ACME, session.id), write.row);
    assert.deepEqual(await store.list('session', ACME, ALL_SESSIONS, newest(1), T0 + 1), [write.row]);
    const byReference = { ...ALL_SESSIONS, userReference: 'order-2' };
    assert.deepEqual(await store.list('session', ACME, byReference, newest(1), T0 + 1), [write.row]);
  },

  async "lists a session's events in the order of their sequence"(store) {
    const { session, change } = sessionCreation();
    const closed = cancel(session)._unsafeUnwrap();
    await commit(store, change, transition(session, closed, T0));
    const events = await store.list('session_event', ACME, session.id);
    assert.deepEqual(
      events.map((event) => [event.sequence, event.type]),
      [
        [1, 'gate_session.created'],
        [2, 'gate_session.cancelled'],
      ],
    );
  },

  async 'lists events by sequence for any order of commits'(store) {
    const { session, change } = sessionCreation();
    const closed = cancel(session)._unsafeUnwrap();
    const late = transition(session, closed, T0);
    await commit(store, { ...change, events: [], deliveries: [] }, { ...late, deliveries: [] });
    await commit(store, { ...emptyChange(ACME, T0), events: change.events });
    const events = await store.list('session_event', ACME, session.id);
    assert.deepEqual(
      events.map(({ sequence }) => sequence),
      [1, 2],
    );
  },

  async 'never stores two events of one session with the same sequence'(store) {
    const { session, change } = sessionCreation();
    await commit(store, change);
    const twin = anEvent(session, { type: 'gate_session.cancelled', sequence: 1, data: sessionResource(session) }, T0);
    await store
      .commit({ ...emptyChange(ACME, T0), events: [twin], sessions: [update(session, session)] })
      .catch(() => undefined);
    assert.deepEqual(
      (await store.list('session_event', ACME, session.id)).map((event) => event.type),
      ['gate_session.created'],
    );
  },

  async 'shows a commit to every later read'(store) {
    const { session, change } = sessionCreation();
    await commit(store, change);
    const seen = await Promise.all(Array.from({ length: 8 }, () => store.find('session', ACME, session.id)));
    assert.ok(seen.every((row) => row !== null));
  },
});

async function statusesOf(store: Store, session: Session, now: number): Promise<readonly SessionStatus[]> {
  const shown: SessionStatus[] = [];
  for (const status of ['open', 'completed', 'expired', 'cancelled'] as const) {
    const filter: SessionFilter = { ...ALL_SESSIONS, status };
    if (idsOf(await store.list('session', ACME, filter, newest(100), now)).includes(session.id)) shown.push(status);
  }
  return shown;
}

export const effectiveStatusLaws = storeTopic('Store: effective status', {
  async 'lists a session as open at the instant it expires and as expired one millisecond later'(store) {
    const { session, change } = sessionCreation();
    await commit(store, change);
    assert.deepEqual(await statusesOf(store, session, session.expiresAt), ['open']);
    assert.deepEqual(await statusesOf(store, session, session.expiresAt + 1), ['expired']);
  },

  async 'lists a held session as open, however long overdue'(store) {
    const made = aSession();
    const held = { ...made.session, heldSince: T0 };
    await commit(store, creation({ ...made, session: held }));
    assert.deepEqual(await statusesOf(store, held, held.expiresAt + 1), ['open']);
  },

  async 'lists a closed session under its own status after it would have expired'(store) {
    const { session, change } = sessionCreation();
    await commit(store, change, transition(session, cancel(session)._unsafeUnwrap(), T0));
    assert.deepEqual(await statusesOf(store, session, session.expiresAt + 1), ['cancelled']);
  },

  async 'includes an overdue session in the unfiltered list, and a read does not change it'(store) {
    const { session, change } = sessionCreation();
    await commit(store, change);
    const late = session.expiresAt + 1;
    assert.deepEqual(idsOf(await store.list('session', ACME, ALL_SESSIONS, newest(10), late)), [session.id]);
    assert.deepEqual(await store.find('session', ACME, session.id), session);
  },

  async 'fills the pages of one status across rows of another'(store) {
    const made = Array.from({ length: 6 }, (_, nth) => aSession({ at: T0 + nth }));
    for (const step of made) await commit(store, creation(step));
    // At this instant the older three have just expired and the newer three have not.
    const now = (made[0]?.session.expiresAt ?? T0) + 3;
    const open = await store.list('session', ACME, { ...ALL_SESSIONS, status: 'open' }, newest(2), now);
    const expired = await store.list('session', ACME, { ...ALL_SESSIONS, status: 'expired' }, newest(2), now);
    assert.deepEqual(
      idsOf(open),
      made
        .slice(3)
        .reverse()
        .map((step) => step.session.id),
    );
    assert.deepEqual(
      idsOf(expired),
      made
        .slice(0, 3)
        .reverse()
        .map((step) => step.session.id),
    );
  },
});
