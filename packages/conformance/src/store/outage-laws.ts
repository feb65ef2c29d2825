import assert from 'node:assert/strict';
import { emptyChange, isOutage, type Store } from '@gateramp/core/ports';
import type { Law } from '../law.js';
import { ACME, T0, aDelivery, aKey, aPartner, aPartnerEvent, aUuid, anEndpoint, nowIn } from '../builders.js';
import { LEASE_MS, aKeyUse } from '../changes.js';
import { request } from './due-deliveries.js';
import { ALL_DELIVERIES, ALL_DOCUMENTS, ALL_EVENTS, ALL_SESSIONS, ALL_TRANSACTIONS, newest } from './queries.js';
import type { StoreSubject } from './store-subject.js';

const ID = '0123456789abcdef01234567';
const LEASE = { now: T0, leaseMs: LEASE_MS, token: 'lease' };

/** All operations of the store. */
const QUESTIONS: Readonly<Record<string, (store: Store) => Promise<unknown>>> = {
  commit: (store) => store.commit(emptyChange(ACME, T0)),
  findReply: (store) => store.findReply(aKeyUse(), T0),
  reap: (store) => store.reap({ mode: 'test', now: T0, keepEnded: 0, limit: 1 }),
  'find session': (store) => store.find('session', ACME, ID),
  'list sessions': (store) => store.list('session', ACME, ALL_SESSIONS, newest(1), T0),
  'list transactions': (store) => store.list('transaction', ACME, ALL_TRANSACTIONS, newest(1)),
  'list deliveries': (store) => store.list('delivery', ACME, ALL_DELIVERIES, newest(1)),
  'find intent': (store) => store.find('intent', ACME, ID),
  'find transaction': (store) => store.find('transaction', ACME, 'gtx_00000000000000000000'),
  'find intent by operation': (store) => store.find('intent_by_operation', 'test', 'sandbox', ID),
  'find document': (store) => store.find('document', ACME, 'quote', ID),
  'find delivery': (store) => store.find('delivery', ACME, ID),
  'find endpoint health': (store) => store.find('endpoint_health', ACME),
  'find task': (store) => store.find('task', ACME, ID),
  'find event': (store) => store.find('event', ACME, aUuid()),
  'list events': (store) => store.list('event', ACME, ALL_EVENTS, newest(1)),
  'list documents': (store) => store.list('document', ACME, 'quote', ALL_DOCUMENTS, newest(1)),
  'list session events': (store) => store.list('session_event', ACME, ID),
  'list transactions of a hash': (store) => store.list('transaction_of_hash', ACME, '0x00'),
  readCounters: (store) => store.readCounters(ACME, ['places']),
  'claim deliveries': (store) => store.claim('delivery', request()),
  'claim tasks': (store) => store.claim('task', { now: nowIn(T0), limit: 1, leaseMs: LEASE_MS, token: 'lease' }),
  'claim one delivery': (store) => store.claimOne('delivery', ACME, ID, LEASE),
  'claim one task': (store) => store.claimOne('task', ACME, ID, { ...LEASE, early: false }),
  recordDelivery: (store) =>
    store.recordDelivery({ leaseToken: 'lease', next: aDelivery(aPartnerEvent(ACME, T0), T0), attempt: null }),
  nextDue: (store) => store.nextDue('test'),
  findKey: (store) => store.findKey(aKey().hash),
  findPartner: (store) => store.findPartner(ACME.partnerId),
  findEndpoint: (store) => store.findEndpoint(ACME),
  'save partner': (store) => store.save('partner', aPartner()),
  'save key': (store) => store.save('key', aKey()),
  'save endpoint': (store) => store.save('endpoint', anEndpoint()),
  noteKeyUse: (store) => store.noteKeyUse(aKey().hash, T0),
  listKeys: (store) => store.listKeys(ACME.partnerId),
  readConsumers: (store) => store.readConsumers(),
  registerConsumers: (store) => store.registerConsumers([{ name: 'grant', type: 'gate_session.completed' }]),
  readSetting: (store) => store.readSetting('pepper'),
  swapSetting: (store) => store.swapSetting('pepper', null, 'value'),
};

export const outageLaws: readonly Law<StoreSubject>[] = [
  {
    topic: 'Store: outages',
    title: 'throws an error with `outage: true` from every method while its database cannot be reached',
    async run(subject) {
      if (subject.unreachable === undefined) {
        const { store, close } = await subject.create();
        await close();
        assert.equal(
          store.isDurable,
          false,
          'a store that is durable can lose its database: give its subject `unreachable`',
        );
        return;
      }
      const { store, close } = await subject.unreachable();
      try {
        for (const [name, ask] of Object.entries(QUESTIONS)) {
          const thrown = await ask(store).then(
            () => null,
            (error: unknown) => error,
          );
          assert.ok(thrown !== null, `${name} answered as if its database were there`);
          assert.ok(
            isOutage(thrown),
            `${name} threw ${thrown instanceof Error ? thrown.message : typeof thrown}, which is answered with 500 instead of 503`,
          );
        }
      } finally {
        await close();
      }
    },
  },
];
