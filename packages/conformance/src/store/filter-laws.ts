import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  consumerLane,
  decimal,
  FLOWS,
  HOUR,
  type Instant,
  recordDeliveryAttempt,
  type Session,
  type Transaction,
} from '@gateramp/core/domain';
import {
  emptyChange,
  type Change,
  type CreatedWithin,
  type DeliveryFilter,
  type SessionFilter,
  type Store,
  type TransactionFilter,
  type TransactionTotal,
} from '@gateramp/core/ports';
import { ACME, POLICY, T0, aDelivery, aPartnerEvent, aPurchase, aSession, aUuid, nowIn } from '../builders.js';
import { LEASE_MS, beginning, creation, eventOnly, insert, sessionCreation } from '../changes.js';
import { ALL_DELIVERIES, ALL_SESSIONS, ALL_TRANSACTIONS, idsOf, newest } from './queries.js';
import { commit, storeTopic } from './store-subject.js';

async function sessionsFor(store: Store, filter: Partial<SessionFilter>): Promise<readonly string[]> {
  const query = [ACME, { ...ALL_SESSIONS, ...filter }, newest(100), T0] as const;
  const rows = await store.list('session', ...query);
  assert.equal((await store.counts?.count('session', ...query)) ?? rows.length, rows.length);
  return idsOf(rows);
}

async function transactionsFor(store: Store, filter: Partial<TransactionFilter>): Promise<readonly string[]> {
  return (await store.list('transaction', ACME, { ...ALL_TRANSACTIONS, ...filter }, newest(100))).map(
    (row) => row.refid,
  );
}

async function deliveriesFor(store: Store, filter: Partial<DeliveryFilter>): Promise<readonly string[]> {
  const query = [ACME, { ...ALL_DELIVERIES, ...filter }, newest(100)] as const;
  const rows = await store.list('delivery', ...query);
  assert.equal((await store.counts?.count('delivery', ...query)) ?? rows.length, rows.length);
  return idsOf(rows.map((record) => record.delivery));
}

async function threeSessions(store: Store): Promise<readonly [Session, Session, Session]> {
  const rows = [
    aSession({ at: T0, terms: { flow: 'on_ramp', currency: 'EUR' }, userReference: 'u-1' }),
    aSession({ at: T0 + 1, terms: { flow: 'off_ramp', currency: 'USD' }, userReference: 'u-2' }),
    aSession({ at: T0 + 2, terms: { flow: null, currency: 'EUR' } }),
  ] as const;
  for (const made of rows) await commit(store, creation(made));
  return [rows[0].session, rows[1].session, rows[2].session];
}

/** Transactions of one session each, decided at T0, T0 + 1 and T0 + 2. */
async function threeTransactions(store: Store): Promise<readonly [Transaction, Transaction, Transaction]> {
  const made: Transaction[] = [];
  for (const [nth, flow] of (['on_ramp', 'off_ramp', 'swap'] as const).entries()) {
    const { session, change } = sessionCreation({ at: T0 + nth, userReference: `u-${nth}` });
    const { transaction } = aPurchase(session, T0 + nth, { flow });
    const row: Transaction = nth === 0 ? { ...transaction, status: 'processing' } : transaction;
    await commit(store, change, { ...emptyChange(ACME, T0 + nth), transactions: [insert(row)] });
    made.push(row);
  }
  const [first, second, third] = made;
  assert.ok(first !== undefined && second !== undefined && third !== undefined);
  return [first, second, third];
}

export const filterLaws = storeTopic('Store: filters', {
  async 'filters sessions by flow, currency and user reference, alone and together'(store) {
    const [first, second, third] = await threeSessions(store);
    assert.deepEqual(await sessionsFor(store, {}), [third.id, second.id, first.id]);
    assert.deepEqual(await sessionsFor(store, { flow: 'on_ramp' }), [first.id]);
    assert.deepEqual(await sessionsFor(store, { currency: 'EUR' }), [third.id, first.id]);
    assert.deepEqual(await sessionsFor(store, { userReference: 'u-2' }), [second.id]);
    assert.deepEqual(await sessionsFor(store, { flow: 'on_ramp', currency: 'USD' }), []);
    assert.deepEqual(
      await sessionsFor(store, { flow: 'on_ramp', currency: 'EUR', userReference: 'u-1', status: 'open' }),
      [first.id],
    );
    assert.deepEqual(await sessionsFor(store, { userReference: '%' }), []);
  },

  async 'bounds sessions by creation, inclusive below and exclusive above'(store) {
    const [first, second, third] = await threeSessions(store);
    assert.deepEqual(await sessionsFor(store, { createdAfter: T0 + 1 }), [third.id, second.id]);
    assert.deepEqual(await sessionsFor(store, { createdBefore: T0 + 1 }), [first.id]);
    assert.deepEqual(await sessionsFor(store, { createdAfter: T0 + 1, createdBefore: T0 + 2 }), [second.id]);
    assert.deepEqual(await sessionsFor(store, { createdAfter: T0 + 1, createdBefore: T0 + 1 }), []);
  },

  async 'filters transactions by status, flow, session and user reference'(store) {
    const [first, second, third] = await threeTransactions(store);
    assert.deepEqual(await transactionsFor(store, {}), [third.refid, second.refid, first.refid]);
    assert.deepEqual(await transactionsFor(store, { status: 'processing' }), [first.refid]);
    assert.deepEqual(await transactionsFor(store, { flow: 'off_ramp' }), [second.refid]);
    assert.deepEqual(await transactionsFor(store, { sessionId: third.sessionId }), [third.refid]);
    assert.deepEqual(await transactionsFor(store, { userReference: 'u-1' }), [second.refid]);
    assert.deepEqual(await transactionsFor(store, { userReference: 'u-1', status: 'processing' }), []);
  },

  async 'bounds transactions by creation, inclusive below and exclusive above'(store) {
    const [first, second, third] = await threeTransactions(store);
    assert.deepEqual(await transactionsFor(store, { createdAfter: T0 + 1 }), [third.refid, second.refid]);
    assert.deepEqual(await transactionsFor(store, { createdBefore: T0 + 1 }), [first.refid]);
    assert.deepEqual(await transactionsFor(store, { createdAfter: T0 + 1, createdBefore: T0 + 2 }), [second.refid]);
  },

  async 'lists everything started in a purchase under its session'(store) {
    const { session, change } = sessionCreation();
    const purchase = aPurchase(session, T0);
    await commit(store, change, beginning(session, purchase, T0));
    assert.deepEqual(await transactionsFor(store, { sessionId: session.id }), [purchase.transaction.refid]);
  },

  async 'filters deliveries by event, event type and session'(store) {
    const { session, change } = sessionCreation();
    const test = eventOnly(aPartnerEvent(ACME, T0 + 1));
    await commit(store, change, test);
    const [created, tested] = [only(change), only(test)];
    assert.deepEqual(await deliveriesFor(store, {}), [tested.deliveryId, created.deliveryId]);
    assert.deepEqual(await deliveriesFor(store, { eventId: created.eventId }), [created.deliveryId]);
    assert.deepEqual(await deliveriesFor(store, { eventType: 'webhook.test' }), [tested.deliveryId]);
    assert.deepEqual(await deliveriesFor(store, { sessionId: session.id }), [created.deliveryId]);
    assert.deepEqual(await deliveriesFor(store, { sessionId: session.id, eventType: 'webhook.test' }), []);
  },

  async 'filters deliveries by their current status'(store) {
    const [ended, waiting] = [eventOnly(aPartnerEvent(ACME, T0)), eventOnly(aPartnerEvent(ACME, T0 + 1))];
    await commit(store, ended, waiting);
    await attempted(store, only(ended).deliveryId, 200, T0);
    assert.deepEqual(await deliveriesFor(store, { status: 'delivered' }), [only(ended).deliveryId]);
    assert.deepEqual(await deliveriesFor(store, { status: 'pending' }), [only(waiting).deliveryId]);
    assert.deepEqual(await deliveriesFor(store, { status: 'dead_lettered' }), []);
  },

  async 'bounds deliveries by creation, inclusive below and exclusive above'(store) {
    const changes = [0, 1, 2].map((nth) => eventOnly(aPartnerEvent(ACME, T0 + nth)));
    await commit(store, ...changes);
    const [first, second, third] = changes.map((change) => only(change).deliveryId);
    assert.deepEqual(await deliveriesFor(store, { createdAfter: T0 + 1 }), [third, second]);
    assert.deepEqual(await deliveriesFor(store, { createdBefore: T0 + 1 }), [first]);
    assert.deepEqual(await deliveriesFor(store, { createdAfter: T0 + 1, createdBefore: T0 + 2 }), [second]);
  },

  async 'counts the sessions of each hour as it lists them, at its borders too, up to the limit of a page'(store) {
    const { times, hours, now } = randomTimes();
    const flows = [...FLOWS, null];
    const made = times.map((at, nth) => aSession({ at, terms: { flow: flows[nth % flows.length] ?? null } }));
    for (const one of made) await commit(store, creation(one));
    for (const status of [null, 'open', 'expired', 'completed'] as const)
      for (const flow of [null, 'swap'] as const) {
        const filter = { ...ALL_SESSIONS, status, flow };
        const all = await store.list('session', ACME, filter, newest(100), now);
        for (const limit of [100, 2]) {
          const counts = await store.counts?.countEach('session', hours, ACME, filter, newest(limit), now);
          if (counts !== undefined)
            assert.deepEqual(counts, countsOf(all, hours, limit), JSON.stringify({ status, flow, limit }));
        }
      }
  },

  async 'counts the deliveries of each hour as it lists them, at its borders too, up to the limit of a page'(store) {
    const { times, hours, now } = randomTimes();
    for (const [nth, at] of times.entries()) {
      const change = eventOnly(aPartnerEvent(ACME, at, nth % 2 === 0 ? 'webhook.test' : 'other.test'));
      await commit(store, change);
      if (nth % 3 > 0) await attempted(store, only(change).deliveryId, nth % 3 === 1 ? 200 : 500, now);
    }
    for (const status of [null, 'pending', 'delivered', 'retrying', 'dead_lettered'] as const)
      for (const eventType of [null, 'other.test']) {
        const filter = { ...ALL_DELIVERIES, target: 'webhook', status, eventType } as const;
        const all = (await store.list('delivery', ACME, filter, newest(100))).map(({ delivery }) => delivery);
        for (const limit of [100, 2]) {
          const counts = await store.counts?.countEach('delivery', hours, ACME, filter, newest(limit));
          if (counts !== undefined)
            assert.deepEqual(counts, countsOf(all, hours, limit), JSON.stringify({ status, eventType, limit }));
        }
      }
  },

  async 'adds up the transactions of a time as it lists them, by status and currencies, the newest up to a limit'(
    store,
  ) {
    const { times, hours } = randomTimes();
    for (const [nth, at] of times.entries()) {
      const { session, change } = sessionCreation({ at });
      const { transaction } = aPurchase(session, at, {});
      const row: Transaction = {
        ...transaction,
        status: nth % 2 === 0 ? 'completed' : 'failed',
        source: { ...transaction.source, amount: `${nth}.10`, currency: nth % 3 === 0 ? 'EUR' : 'JPY' },
        destination: { amount: nth % 5 === 0 ? null : `0.00000000000000000${nth}`, currency: 'ETH', network: 'base' },
      };
      await commit(store, change, { ...emptyChange(ACME, at), transactions: [insert(row)] });
    }
    for (const within of hours)
      for (const limit of [100, 3]) {
        const totals = await store.counts?.totals?.(ACME, within, limit);
        const rows = await store.list('transaction', ACME, { ...ALL_TRANSACTIONS, ...within }, newest(100));
        if (totals !== undefined) assert.deepEqual(sorted(totals), sorted(totalsOf(rows.slice(0, limit))));
      }
  },

  async "lists deliveries to the host's consumers along with those to the webhook"(store) {
    const event = aPartnerEvent(ACME, T0);
    const [webhook, consumer] = [aDelivery(event, T0), aDelivery(event, T0, 'consumer:grant-value')];
    const base = eventOnly(event, webhook);
    await commit(store, { ...base, deliveries: [...base.deliveries, { row: consumer, when: 'always' }] });
    assert.deepEqual(await deliveriesFor(store, { eventId: event.id }), [consumer.id, webhook.id]);
    const claim = { now: nowIn(T0), limit: 10, perEndpoint: 10, leaseMs: LEASE_MS };
    const lanes = ['first', consumerLane({ name: 'grant-value', type: event.type })] as const;
    const claimed = await Promise.all(lanes.map((lane) => store.claim('delivery', { ...claim, lane, token: aUuid() })));
    assert.deepEqual(
      claimed.flat().map((each) => each.delivery.target),
      ['webhook', 'consumer:grant-value'],
    );
  },
});

/** Times around the borders of some hours, in no order, and the hours of most of them. Half of the sessions have expired at `now`. */
function randomTimes(): {
  readonly times: readonly Instant[];
  readonly hours: readonly CreatedWithin[];
  readonly now: Instant;
} {
  const first = T0 - (T0 % HOUR);
  const offset = fc.oneof(fc.constantFrom(0, 1, HOUR - 1), fc.nat(HOUR - 1));
  const time = fc.tuple(fc.nat(5), offset).map(([hour, past]) => first + (hour - 1) * HOUR + past);
  const times = fc.sample(fc.array(time, { minLength: 40, maxLength: 40 }), { numRuns: 1 })[0] ?? [];
  const hours = [0, 1, 2, 3].map((hour) => ({
    createdAfter: first + hour * HOUR,
    createdBefore: first + (hour + 1) * HOUR,
  }));
  return { times, hours, now: first + 2 * HOUR + POLICY.sessionLifetime };
}

function totalsOf(rows: readonly Transaction[]): readonly TransactionTotal[] {
  const found = new Map<string, TransactionTotal>();
  for (const { status, source, destination } of rows) {
    const of = { status, sourceCurrency: source.currency, destinationCurrency: destination.currency };
    const key = JSON.stringify(of);
    const { count, paid, delivered } = found.get(key) ?? { count: 0, paid: '0', delivered: '0' };
    found.set(key, {
      ...of,
      count: count + 1,
      paid: decimal.add(paid, source.amount ?? '0'),
      delivered: decimal.add(delivered, destination.amount ?? '0'),
    });
  }
  return [...found.values()];
}

/** In one order, with each decimal in its canonical form. */
function sorted(totals: readonly TransactionTotal[]): readonly string[] {
  return totals
    .map(({ status, sourceCurrency, destinationCurrency, count, paid, delivered }) =>
      JSON.stringify([
        ...[status, sourceCurrency, destinationCurrency, count],
        ...[decimal.normalise(paid), decimal.normalise(delivered)],
      ]),
    )
    .toSorted();
}

function countsOf(
  rows: readonly { readonly createdAt: Instant }[],
  hours: readonly CreatedWithin[],
  limit: number,
): readonly number[] {
  return hours.map(({ createdAfter, createdBefore }) =>
    Math.min(limit + 1, rows.filter(({ createdAt }) => createdAfter <= createdAt && createdAt < createdBefore).length),
  );
}

/** Delivers once, with this answer of the endpoint. */
async function attempted(store: Store, id: string, responseStatus: number, now: Instant): Promise<void> {
  const token = aUuid();
  const claimed = await store.claimOne('delivery', ACME, id, { now, leaseMs: LEASE_MS, token });
  assert.ok(claimed !== null);
  const answer = {
    url: 'https://shop.example/hooks',
    startedAt: now,
    durationMs: 5,
    responseStatus,
    responseBody: 'ok',
    error: null,
  };
  const { delivery, attempt } = recordDeliveryAttempt(claimed.delivery, answer, now, POLICY);
  assert.equal(await store.recordDelivery({ leaseToken: token, next: delivery, attempt }), 'recorded');
}

function only(change: Change): { readonly eventId: string; readonly deliveryId: string } {
  const [event] = change.events;
  const [delivery] = change.deliveries;
  assert.ok(event !== undefined && delivery !== undefined);
  return { eventId: event.id, deliveryId: delivery.row.id };
}
