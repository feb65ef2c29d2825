import assert from 'node:assert/strict';
import { emptyChange, isOutage, type Store } from '@gateramp/core/ports';
import type { Law } from '../law.js';
import { ACME, T0, aDelivery, aKey, aPartner, aPartnerEvent, aUuid, anEndpoint, nowIn } from '../builders.js';
import { LEASE_MS, aKeyUse } from '../changes.js';
import { request } from './due-deliveries.js';
import { ALL_DELIVERIES, ALL_EVENTS, ALL_SESSIONS, ALL_TRANSACTIONS, newest } from './queries.js';
import type { StoreSubject } from './store-subject.js';

const ID = '0123456789abcdef01234567';
const LEASE = { now: T0, leaseMs: LEASE_MS, token: 'lease' };

/** Every way to ask the store for something. */
const QUESTIONS: Readonly<Record<string, (store: Store) => Promise<unknown>>> = {
  commit: (store) => store.commit(emptyChange(ACME, T0)),
  findReply: (store) => store.findReply(aKeyUse(), T0),
  reap: (store) => store.reap({ mode: 'test', now: T0, keepEnded: 0, limit: 1 }),
  findSession: (store) => store.findSession(ACME, ID),
  listSessions: (store) => store.listSessions(ACME, ALL_SESSIONS, newest(1), T0),
  listTransactions: (store) => store.listTransactions(ACME, ALL_TRANSACTIONS, newest(1)),
  listDeliveries: (store) => store.listDeliveries(ACME, ALL_DELIVERIES, newest(1)),
  findIntent: (store) => store.findIntent(ACME, ID),
  findTransaction: (store) => store.findTransaction(ACME, 'gtx_00000000000000000000'),
  findEvent: (store) => store.findEvent(ACME, aUuid()),
  listEvents: (store) => store.listEvents(ACME, ALL_EVENTS, newest(1)),
  listSessionEvents: (store) => store.listSessionEvents(ACME, ID),
  readCounter: (store) => store.readCounter('places'),
  readCounters: (store) => store.readCounters(['places']),
  claimDeliveries: (store) => store.claimDeliveries(request()),
  claimTasks: (store) => store.claimTasks({ now: nowIn(T0), limit: 1, leaseMs: LEASE_MS, token: 'lease' }),
  claimTask: (store) => store.claimTask('test', ID, { ...LEASE, early: false }),
  recordDelivery: (store) =>
    store.recordDelivery({ leaseToken: 'lease', next: aDelivery(aPartnerEvent(ACME, T0), T0), attempt: null }),
  nextDue: (store) => store.nextDue('test'),
  findKey: (store) => store.findKey(aKey().hash),
  findPartner: (store) => store.findPartner(ACME.partnerId),
  findEndpoint: (store) => store.findEndpoint(ACME),
  savePartner: (store) => store.savePartner(aPartner()),
  saveKey: (store) => store.saveKey(aKey()),
  saveEndpoint: (store) => store.saveEndpoint(anEndpoint()),
  readConsumers: (store) => store.readConsumers(),
  registerConsumers: (store) => store.registerConsumers([{ name: 'grant', type: 'gate_session.completed' }]),
  readSetting: (store) => store.readSetting('pepper'),
  swapSetting: (store) => store.swapSetting('pepper', null, 'value'),
};

export const outageLaws: readonly Law<StoreSubject>[] = [
  {
    topic: 'Store: outages',
    title: 'throws an error with `outage: true`, whatever it is asked, while its database cannot be reached',
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
