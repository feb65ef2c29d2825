import assert from 'node:assert/strict';
import { DAY, finishTask, recordDeliveryAttempt, replay, type Delivery, type Instant } from '@gateramp/core/domain';
import { emptyChange, type Store } from '@gateramp/core/ports';
import {
  ACME,
  ACME_LIVE,
  BOLT,
  POLICY,
  T0,
  aDelivery,
  aDocument,
  aKey,
  aLeasedTask,
  aPartner,
  aPartnerEvent,
  aPurchase,
  aTask,
  aUuid,
  anEndpoint,
  nowIn,
} from '../builders.js';
import {
  LEASE_MS,
  aKeyUse,
  beginning,
  claim,
  eventOnly,
  insert,
  seal,
  sessionCreation,
  start,
  update,
} from '../changes.js';
import { ACKNOWLEDGED, REFUSED } from './delivery-laws.js';
import { LATER, request, waiting } from './due-deliveries.js';
import { ALL_DELIVERIES, ALL_DOCUMENTS, ALL_EVENTS, ALL_SESSIONS, ALL_TRANSACTIONS, newest } from './queries.js';
import { commit } from './store-subject.js';

/** A writing call. `read` reads everything that it writes, without changing anything. */
export interface Write {
  readonly write: () => Promise<unknown>;
  readonly read: (store: Store) => Promise<readonly unknown[]>;
}

/** Prepares a call, and then makes it. */
export type Writes = Readonly<Record<string, (one: Store) => Promise<Write>>>;

const KEPT = 30 * DAY;

/** Each entry writes one kind of change, and reads it. */
export const COMMITS: Writes = {
  'commit of a sealed reply': async (one) => {
    const ref = aKeyUse();
    return {
      write: () => commit(one, { ...emptyChange(ACME, T0), idempotency: claim(ref, 'reply', LATER) }),
      read: async (store) => [await store.findReply(ref, T0)],
    };
  },
  'commit that seals a started key': async (one) => {
    const ref = aKeyUse();
    const ids = { resourceId: 'resource', taskId: 'task' };
    await commit(one, { ...emptyChange(ACME, T0), idempotency: start(ref, ids, LATER) });
    return {
      write: () => commit(one, { ...emptyChange(ACME, T0), idempotency: seal(ref, 'reply', LATER) }),
      read: async (store) => [await store.findReply(ref, T0)],
    };
  },
  'commit of a mark': async (one) => {
    const marked = { ...emptyChange(ACME, T0), once: ['second process'] };
    return {
      write: () => commit(one, marked),
      // Marks are checked before counters, and a refused change leaves no trace.
      read: async (store) => [
        await store.commit({ ...marked, counters: [{ name: 'never', delta: '-1', atLeast: '0' }] }),
      ],
    };
  },
  'commit of a session': async (one) => {
    const { session, change } = sessionCreation();
    const [delivery] = change.deliveries;
    return {
      write: () => commit(one, change),
      read: async (store) => [
        ...(await sessionAsRead(store, session.id)),
        await store.list('session_event', ACME, session.id),
        await deliveryAsRead(store, delivery?.row),
        // The first due item of this mode.
        await store.nextDue('test', ['first']),
      ],
    };
  },
  'commit of a changed session': async (one) => {
    const { session, change } = sessionCreation();
    await commit(one, change);
    const renamed = { ...session, userReference: 'changed' };
    return {
      write: () => commit(one, { ...emptyChange(ACME, T0), sessions: [update(session, renamed)] }),
      read: (store) => sessionAsRead(store, session.id),
    };
  },
  'commit of an intent and its transaction': async (one) => {
    const { session, change } = sessionCreation();
    await commit(one, change);
    const purchase = aPurchase(session, T0);
    const { intent, transaction } = purchase;
    return {
      write: () => commit(one, beginning(session, purchase, T0)),
      read: async (store) => [
        await store.find('intent', ACME, intent.id),
        await store.find('intent_by_operation', 'test', intent.provider, intent.operationId),
        await store.find('transaction', ACME, transaction.refid),
        await store.list('transaction', ACME, { ...ALL_TRANSACTIONS, sessionId: session.id }, newest(10)),
      ],
    };
  },
  'commit of a changed intent and transaction': async (one) => {
    const { session, change } = sessionCreation();
    const { intent, transaction, ...rest } = aPurchase(session, T0);
    await commit(one, change, beginning(session, { ...rest, intent, transaction }, T0));
    return {
      write: () =>
        commit(one, {
          ...emptyChange(ACME, T0),
          intents: [update(intent, intent)],
          transactions: [update(transaction, { ...transaction, txHash: '0x01' })],
        }),
      read: async (store) => [
        await store.find('intent', ACME, intent.id),
        await store.find('transaction', ACME, transaction.refid),
        await store.list('transaction_of_hash', ACME, '0x01'),
      ],
    };
  },
  'commit of a document': async (one) => {
    const row = aDocument({ id: 'new', noun: 'second' });
    return {
      write: () => commit(one, { ...emptyChange(ACME, T0), documents: [insert(row)] }),
      read: (store) => documentAsRead(store, row.id),
    };
  },
  'commit of a changed document': async (one) => {
    const row = aDocument({ id: 'changed', noun: 'second' });
    await commit(one, { ...emptyChange(ACME, T0), documents: [insert(row)] });
    return {
      write: () => commit(one, { ...emptyChange(ACME, T0), documents: [update(row, row)] }),
      read: (store) => documentAsRead(store, row.id),
    };
  },
  'commit of an event and its delivery': async (one) => {
    const event = aPartnerEvent(ACME_LIVE, T0);
    const row = aDelivery(event, T0);
    return {
      write: () => commit(one, eventOnly(event, row)),
      read: async (store) => [
        await store.find('event', ACME_LIVE, event.id),
        await store.list('event', ACME_LIVE, ALL_EVENTS, newest(10)),
        await store.find('delivery', ACME_LIVE, row.id),
        await store.list('delivery', ACME_LIVE, ALL_DELIVERIES, newest(10)),
        await store.nextDue('live', ['first']),
      ],
    };
  },
  'commit of a replay': async (one) => {
    const dead = await deadLettered(one);
    const replays = replay(dead, LATER).match(
      (row) => [row],
      () => assert.fail('a dead-lettered delivery can be replayed'),
    );
    return {
      write: () => commit(one, { ...emptyChange(ACME, LATER), replays }),
      read: async (store) => [await store.find('delivery', ACME, dead.id)],
    };
  },
  'commit of a task': async (one) => {
    const row = aTask({ scope: ACME_LIVE });
    return {
      write: () => commit(one, { ...emptyChange(ACME_LIVE, T0), tasks: [row] }),
      read: async (store) => [await store.find('task', ACME_LIVE, row.id), await store.nextDue('live', ['tasks'])],
    };
  },
  'commit that finishes a task': async (one) => {
    const token = aUuid();
    const row = aLeasedTask(token);
    await commit(one, { ...emptyChange(ACME, T0), tasks: [row] });
    return {
      write: () => commit(one, { ...emptyChange(ACME, T0), finishes: [{ row: finishTask(row), leaseToken: token }] }),
      read: async (store) => [await store.find('task', ACME, row.id)],
    };
  },
  'commit of a counter': async (one) => ({
    write: () => commit(one, { ...emptyChange(ACME, T0), counters: [{ name: 'second', delta: '3', atLeast: null }] }),
    read: async (store) => (await store.readCounters(ACME, ['second'])).map(Number),
  }),
};

export const WORK: Writes = {
  'claim of a delivery': async (one) => {
    const [row] = await waiting(one, 1);
    return { write: () => one.claim('delivery', request()), read: async (store) => [await deliveryAsRead(store, row)] };
  },
  'claimOne of a delivery': async (one) => {
    const [row] = await waiting(one, 1);
    return {
      write: () => one.claimOne('delivery', ACME, row?.id ?? '', lease(aUuid())),
      read: async (store) => [await deliveryAsRead(store, row)],
    };
  },
  'claim of a task': async (one) => {
    const row = aTask();
    await commit(one, { ...emptyChange(ACME, T0), tasks: [row] });
    const claiming = { now: nowIn(LATER), limit: 100, leaseMs: LEASE_MS, token: aUuid() };
    return {
      write: () => one.claim('task', claiming),
      read: async (store) => [await store.find('task', ACME, row.id)],
    };
  },
  'claimOne of a task': async (one) => {
    const row = aTask();
    await commit(one, { ...emptyChange(ACME, T0), tasks: [row] });
    return {
      write: () => one.claimOne('task', ACME, row.id, { ...lease(aUuid()), early: false }),
      read: async (store) => [await store.find('task', ACME, row.id)],
    };
  },
  'recordDelivery of a success': async (one) => recording(one, ACKNOWLEDGED),
  'recordDelivery of a failure': async (one) => recording(one, REFUSED),
  reap: async (one) => {
    const [row] = await waiting(one, 1);
    const ref = aKeyUse();
    const document = aDocument({ id: 'reaped', noun: 'second', keepUntil: LATER });
    await commit(one, {
      ...emptyChange(ACME, T0),
      idempotency: claim(ref, 'reply', LATER),
      documents: [insert(document)],
    });
    await attempted(one, row, ACKNOWLEDGED);
    return {
      write: async () =>
        assert.ok((await one.reap({ mode: 'test', now: LATER + 2 * KEPT, keepEnded: KEPT, limit: 1000 })) > 0),
      // The key and the document have expired in any case: their removal shows in that new ones can take their place.
      read: async (store) => [await deliveryAsRead(store, row), ...(await documentAsRead(store, document.id))],
    };
  },
};

export const ADMINISTRATION: Writes = {
  registerConsumers: async (one) => ({
    write: () => one.registerConsumers([{ name: 'second', type: 'gate_session.completed' }]),
    read: async (store) => [await store.readConsumers()],
  }),
  removeConsumer: async (one) => {
    await one.registerConsumers([{ name: 'removed', type: 'gate_session.completed' }]);
    return { write: () => one.removeConsumer('removed'), read: async (store) => [await store.readConsumers()] };
  },
  'swapSetting of an absent one': async (one) => ({
    write: () => one.swapSetting('second', null, 'first'),
    read: async (store) => [await store.readSetting('second')],
  }),
  'swapSetting of a present one': async (one) => {
    await one.swapSetting('third', null, 'first');
    return {
      write: () => one.swapSetting('third', 'first', 'second'),
      read: async (store) => [await store.readSetting('third')],
    };
  },
  noteKeyUse: async (one) => {
    const key = aKey(BOLT);
    await one.save('key', key);
    return { write: () => one.noteKeyUse(key.hash, T0), read: async (store) => [await store.listKeys(BOLT.partnerId)] };
  },
};

/** Data that a process may cache for a limited time, within the bound of the port. */
export const REMEMBERED: Writes = {
  'save of a partner': async (one) => {
    const key = aKey();
    await one.save('partner', aPartner());
    await one.save('key', key);
    return {
      write: () => one.save('partner', { ...aPartner(), liveEnabled: !aPartner().liveEnabled }),
      read: async (store) => [await store.findPartner(ACME.partnerId), (await store.findKey(key.hash))?.partner],
    };
  },
  'suspension of a partner': async (one) => {
    const scope = { partnerId: '65f0c0ffee65f0c0ffee0003', mode: 'test' } as const;
    const key = aKey(scope);
    await one.save('partner', aPartner(scope.partnerId));
    await one.save('key', key);
    return {
      write: () => one.save('suspension', { partnerId: scope.partnerId, suspendedAt: T0 }),
      read: async (store) => [await store.findPartner(scope.partnerId), (await store.findKey(key.hash))?.partner],
    };
  },
  'save of a revoked key': async (one) => {
    const key = aKey(BOLT);
    await one.save('partner', aPartner(BOLT.partnerId));
    await one.save('key', key);
    return {
      write: () => one.save('key', { ...key, revokedAt: T0 }),
      read: async (store) => [await store.findKey(key.hash), await store.listKeys(BOLT.partnerId)],
    };
  },
  'save of a new key': async (one) => {
    // Of the partner that was saved above.
    const key = aKey();
    return { write: () => one.save('key', key), read: async (store) => [await store.findKey(key.hash)] };
  },
  'save of an endpoint': async (one) => {
    await one.save('endpoint', anEndpoint());
    return {
      write: () => one.save('endpoint', anEndpoint(ACME, 'https://new.example/hooks')),
      read: async (store) => [await store.findEndpoint(ACME)],
    };
  },
  'commit of an endpoint': async (one) => {
    await one.save('endpoint', anEndpoint(BOLT));
    const next = anEndpoint(BOLT, 'https://committed.example/hooks');
    return {
      write: () => commit(one, { ...emptyChange(BOLT, T0), endpoints: [{ row: next, expected: anEndpoint(BOLT) }] }),
      read: async (store) => [await store.findEndpoint(BOLT)],
    };
  },
};

export async function recording(one: Store, result: typeof ACKNOWLEDGED): Promise<Write> {
  const [row] = await waiting(one, 1, { scope: ACME });
  const token = aUuid();
  const claimed = await one.claimOne('delivery', ACME, row?.id ?? '', lease(token));
  assert.ok(claimed !== null);
  const { delivery: next, attempt } = recordDeliveryAttempt(claimed.delivery, result, LATER, POLICY);
  return {
    write: async () => assert.equal(await one.recordDelivery({ leaseToken: token, next, attempt }), 'recorded'),
    read: async (store) => [await deliveryAsRead(store, row), await store.find('endpoint_health', ACME)],
  };
}

async function attempted(
  one: Store,
  row: Delivery | undefined,
  result: typeof ACKNOWLEDGED,
  now: Instant = LATER,
): Promise<Delivery> {
  const token = aUuid();
  const claimed = await one.claimOne('delivery', ACME, row?.id ?? '', { ...lease(token), now });
  assert.ok(claimed !== null);
  const { delivery: next, attempt } = recordDeliveryAttempt(claimed.delivery, result, now, POLICY);
  assert.equal(await one.recordDelivery({ leaseToken: token, next, attempt }), 'recorded');
  return next;
}

async function deadLettered(one: Store): Promise<Delivery> {
  let [row] = await waiting(one, 1);
  while (row !== undefined && row.dueAt !== null) row = await attempted(one, row, REFUSED, row.dueAt);
  assert.ok(row?.status === 'dead_lettered');
  return row;
}

function lease(token: string) {
  return { now: LATER, leaseMs: LEASE_MS, token };
}

async function deliveryAsRead(store: Store, row: Delivery | undefined): Promise<unknown> {
  return store.find('delivery', ACME, row?.id ?? '');
}

export async function sessionAsRead(store: Store, id: string): Promise<readonly unknown[]> {
  return [
    await store.find('session', ACME, id),
    (await store.list('session', ACME, ALL_SESSIONS, newest(100), T0)).find((row) => row.id === id),
  ];
}

export async function documentAsRead(store: Store, id: string): Promise<readonly unknown[]> {
  return [
    await store.find('document', ACME, 'second', id),
    (await store.list('document', ACME, 'second', ALL_DOCUMENTS, newest(100))).find((row) => row.id === id),
  ];
}
