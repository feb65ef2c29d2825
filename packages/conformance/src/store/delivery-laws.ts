import assert from 'node:assert/strict';
import {
  holdDelivery,
  LANES,
  MINUTE,
  parkDelivery,
  PAUSED_LANE,
  recordDeliveryAttempt,
  releaseDelivery,
  replay,
  type DeliveryAttemptResult,
  type Delivery,
  type Instant,
} from '@gateramp/core/domain';
import { type ClaimedDelivery, emptyChange, type Store } from '@gateramp/core/ports';
import { ACME, ACME_LIVE, POLICY, T0, aDelivery, aPartnerEvent, aUuid, anEndpoint } from '../builders.js';
import { LEASE_MS, always, eventOnly, ifEndpointSet, sessionCreation } from '../changes.js';
import { claimedIds, request, waiting } from './due-deliveries.js';
import { commit, storeTopic } from './store-subject.js';

export const REFUSED: DeliveryAttemptResult = {
  url: 'https://shop.example/hooks',
  startedAt: T0,
  durationMs: 12,
  responseStatus: 500,
  responseBody: 'no',
  error: null,
};

export const ACKNOWLEDGED: DeliveryAttemptResult = { ...REFUSED, responseStatus: 200, responseBody: 'ok' };

async function aWaiting(store: Store): Promise<Delivery> {
  const event = aPartnerEvent(ACME, T0);
  const delivery = aDelivery(event, T0);
  await commit(store, eventOnly(event, delivery));
  return delivery;
}

function lease(token: string, now: Instant = T0) {
  return { now, leaseMs: LEASE_MS, token };
}

async function claimed(store: Store, id: string, token: string, now: Instant = T0): Promise<ClaimedDelivery> {
  const found = await store.claimOne('delivery', ACME, id, lease(token, now));
  assert.ok(found !== null, 'the delivery could not be claimed');
  return found;
}

async function stored(store: Store, id: string): Promise<Delivery> {
  const record = await store.find('delivery', ACME, id);
  assert.ok(record !== null);
  return record.delivery;
}

/** Fails every attempt of a delivery in a trace; returns it dead-lettered. */
async function failAll(store: Store, id: string): Promise<Delivery> {
  for (let now: Instant | null = T0; now !== null;) {
    const token = aUuid();
    const { delivery } = await claimed(store, id, token, now);
    assert.deepEqual(traceOf(delivery), TRACE, `before attempt ${delivery.attemptsTotal + 1}`);
    const { delivery: next, attempt } = recordDeliveryAttempt(delivery, REFUSED, now, POLICY);
    assert.equal(await store.recordDelivery({ leaseToken: token, next, attempt }), 'recorded');
    now = next.dueAt;
  }
  return stored(store, id);
}

const TRACE = { traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01', tracestate: 'vendor=1' };

function traceOf({ traceparent, tracestate }: Delivery) {
  return { traceparent, tracestate };
}

/** Requires a store with endpoints. */
export const NEEDS_AN_ENDPOINT =
  'keeps a delivery that needs an endpoint only if its URL is set when the change commits';

export const deliveryLaws = storeTopic('Store: deliveries', {
  async [NEEDS_AN_ENDPOINT](store: Store) {
    const kept = async (): Promise<boolean> => {
      const event = aPartnerEvent(ACME, T0);
      const row = aDelivery(event, T0);
      await commit(store, { ...eventOnly(event, row), deliveries: [ifEndpointSet(row)] });
      assert.notEqual(await store.find('event', ACME, event.id), null, 'the event stays either way');
      return (await store.find('delivery', ACME, row.id)) !== null;
    };
    assert.equal(await kept(), false, 'no endpoint');
    await store.save('endpoint', anEndpoint(ACME_LIVE));
    assert.equal(await kept(), false, 'an endpoint of the other mode');
    await store.save('endpoint', anEndpoint(ACME, null));
    assert.equal(await kept(), false, 'an endpoint without a URL');
    await store.save('endpoint', anEndpoint(ACME));
    assert.equal(await kept(), true, 'an endpoint');
    await store.save('endpoint', anEndpoint(ACME, null));
    assert.equal(await kept(), false, 'an endpoint whose URL was taken away');
  },

  async 'keeps the trace context of an event, through every attempt and a replay'(store) {
    const event = aPartnerEvent(ACME, T0);
    // A create and other changes may be written by different statements.
    const changes = [eventOnly(event), sessionCreation({ at: T0 }).change].map((change) => ({
      ...change,
      deliveries: change.deliveries.map(({ row }) => always({ ...row, ...TRACE })),
    }));
    await commit(store, ...changes);
    for (const { row } of changes.flatMap((change) => change.deliveries)) {
      const dead = await failAll(store, row.id);
      const replayed = { ...replay(dead, T0)._unsafeUnwrap(), replayedIn: TRACE.traceparent };
      await commit(store, { ...emptyChange(ACME, T0), replays: [replayed] });
      const { delivery } = await claimed(store, row.id, aUuid());
      assert.deepEqual([traceOf(delivery), delivery.replayedIn], [TRACE, TRACE.traceparent], 'after a replay');
    }
  },

  async 'hides a held delivery from every lane, and returns it in the order of its due time'(store) {
    const rows = await waiting(store, 3);
    const token = aUuid();
    for (const { delivery } of await store.claim('delivery', request({ token })))
      await store.recordDelivery({ leaseToken: token, next: holdDelivery(delivery), attempt: null });
    for (const lane of LANES)
      assert.deepEqual(await store.claim('delivery', request({ lane })), [], `the lane ${lane} has a held delivery`);
    assert.equal(await store.nextDue('test', LANES), null);
    assert.equal(await store.nextDue('test'), null, 'a held delivery is due');
    const held = await store.claim('delivery', request({ lane: PAUSED_LANE, token }));
    assert.deepEqual(
      held.map(({ delivery }) => [delivery.id, delivery.status, delivery.dueAt, delivery.attemptCount]),
      rows.map(({ id, dueAt }) => [id, 'pending', dueAt, 0]),
    );
    for (const { delivery } of held.toReversed())
      await store.recordDelivery({ leaseToken: token, next: releaseDelivery(delivery), attempt: null });
    assert.deepEqual(await store.claim('delivery', request({ lane: PAUSED_LANE })), []);
    assert.deepEqual(
      claimedIds(await store.claim('delivery', request())),
      rows.map(({ id }) => id),
    );
  },

  async 'stores an always-wanted delivery even when no endpoint is set'(store) {
    const delivery = await aWaiting(store);
    assert.deepEqual(await stored(store, delivery.id), delivery);
  },

  async 'claims a delivery with its event: leased, with one more claim, otherwise unchanged'(store) {
    const { change } = sessionCreation();
    await commit(store, change);
    const [event] = change.events;
    const [write] = change.deliveries;
    assert.ok(event !== undefined && write !== undefined);
    const token = aUuid();
    const found = await claimed(store, write.row.id, token);
    assert.deepEqual(found.event, event);
    assert.deepEqual(found.delivery, { ...write.row, leaseToken: token, leaseUntil: T0 + LEASE_MS, claims: 1 });
    assert.deepEqual(await stored(store, write.row.id), found.delivery);
  },

  async 'counts an attempt when it is recorded, not when it is claimed'(store) {
    const { id } = await aWaiting(store);
    for (let crash = 0; crash < 3; crash += 1) {
      const { delivery } = await claimed(store, id, aUuid(), T0 + crash * LEASE_MS);
      assert.equal(delivery.attemptCount, 0);
      assert.equal(delivery.attemptsTotal, 0);
      assert.equal(delivery.claims, crash + 1);
    }
    const token = aUuid();
    const { delivery } = await claimed(store, id, token, T0 + 3 * LEASE_MS);
    const { delivery: next, attempt } = recordDeliveryAttempt(delivery, REFUSED, T0 + 3 * LEASE_MS, POLICY);
    assert.equal(await store.recordDelivery({ leaseToken: token, next, attempt }), 'recorded');
    assert.deepEqual([(await stored(store, id)).attemptCount, (await stored(store, id)).claims], [1, 0]);
  },

  async 'records a result and its attempt row with the token of the lease'(store) {
    const { id } = await aWaiting(store);
    const token = aUuid();
    const { delivery } = await claimed(store, id, token);
    const { delivery: next, attempt } = recordDeliveryAttempt(delivery, ACKNOWLEDGED, T0 + 50, POLICY);
    assert.equal(await store.recordDelivery({ leaseToken: token, next, attempt }), 'recorded');
    assert.deepEqual(await store.find('delivery', ACME, id), { delivery: next, attempts: [attempt] });
  },

  async 'returns lost for any other token, and changes nothing'(store) {
    const { id } = await aWaiting(store);
    const { delivery } = await claimed(store, id, aUuid());
    const { delivery: next, attempt } = recordDeliveryAttempt(delivery, ACKNOWLEDGED, T0, POLICY);
    assert.equal(await store.recordDelivery({ leaseToken: aUuid(), next, attempt }), 'lost');
    assert.deepEqual(await store.find('delivery', ACME, id), { delivery, attempts: [] });
  },

  async 'records once: a second call with the same token has lost its lease'(store) {
    const { id } = await aWaiting(store);
    const token = aUuid();
    const { delivery } = await claimed(store, id, token);
    const { delivery: next, attempt } = recordDeliveryAttempt(delivery, REFUSED, T0, POLICY);
    assert.equal(await store.recordDelivery({ leaseToken: token, next, attempt }), 'recorded');
    assert.equal(await store.recordDelivery({ leaseToken: token, next, attempt }), 'lost');
    assert.equal((await store.find('delivery', ACME, id))?.attempts.length, 1);
  },

  async 'hands an expired lease to the next claimer and fences the previous one'(store) {
    const { id } = await aWaiting(store);
    const [first, second] = [aUuid(), aUuid()];
    const { delivery: slow } = await claimed(store, id, first);
    assert.equal(await store.claimOne('delivery', ACME, id, lease(second, T0 + LEASE_MS - 1)), null);
    const { delivery: taken } = await claimed(store, id, second, T0 + LEASE_MS);
    assert.equal(taken.claims, 2);
    const late = recordDeliveryAttempt(slow, ACKNOWLEDGED, T0 + LEASE_MS, POLICY);
    assert.equal(await store.recordDelivery({ leaseToken: first, next: late.delivery, attempt: late.attempt }), 'lost');
    assert.deepEqual(await stored(store, id), taken);
    const own = recordDeliveryAttempt(taken, ACKNOWLEDGED, T0 + LEASE_MS, POLICY);
    assert.equal(
      await store.recordDelivery({ leaseToken: second, next: own.delivery, attempt: own.attempt }),
      'recorded',
    );
  },

  async 'records after the lease has expired unless another claim was made'(store) {
    const { id } = await aWaiting(store);
    const token = aUuid();
    const { delivery } = await claimed(store, id, token);
    const { delivery: next, attempt } = recordDeliveryAttempt(delivery, ACKNOWLEDGED, T0 + 2 * LEASE_MS, POLICY);
    assert.equal(await store.recordDelivery({ leaseToken: token, next, attempt }), 'recorded');
  },

  async 'lists the attempts of a delivery, oldest first'(store) {
    const { id } = await aWaiting(store);
    let now = T0;
    for (let nth = 1; nth <= 5; nth += 1) {
      const token = aUuid();
      const { delivery } = await claimed(store, id, token, now);
      const recorded = recordDeliveryAttempt(delivery, { ...REFUSED, startedAt: now }, now, POLICY);
      assert.equal(
        await store.recordDelivery({ leaseToken: token, next: recorded.delivery, attempt: recorded.attempt }),
        'recorded',
      );
      now = recorded.delivery.dueAt ?? now;
    }
    const record = await store.find('delivery', ACME, id);
    assert.deepEqual(
      record?.attempts.map((attempt) => attempt.number),
      [1, 2, 3, 4, 5],
    );
    assert.deepEqual(
      record?.attempts.map((attempt) => attempt.trigger),
      ['initial', 'scheduled', 'scheduled', 'scheduled', 'scheduled'],
    );
    assert.equal(record?.delivery.status, 'dead_lettered');
  },

  async 'claims a single delivery at the instant it is due, not before'(store) {
    const { id } = await aWaiting(store);
    const token = aUuid();
    const { delivery } = await claimed(store, id, token);
    const { delivery: next, attempt } = recordDeliveryAttempt(delivery, REFUSED, T0, POLICY);
    await store.recordDelivery({ leaseToken: token, next, attempt });
    assert.equal(await store.claimOne('delivery', ACME, id, lease(aUuid(), T0 + MINUTE - 1)), null);
    assert.equal((await claimed(store, id, aUuid(), T0 + MINUTE)).delivery.lane, 'retry');
  },

  async 'claims no delivery of another mode and no absent one'(store) {
    const { id } = await aWaiting(store);
    assert.equal(await store.claimOne('delivery', ACME_LIVE, id, lease(aUuid())), null);
    assert.equal(await store.claimOne('delivery', ACME, '0123456789abcdef01234567', lease(aUuid())), null);
  },

  async 'never claims a delivered, dead-lettered or parked delivery'(store) {
    const far = T0 + 1_000 * MINUTE;
    const ends: readonly ((delivery: Delivery) => Delivery)[] = [
      (delivery) => recordDeliveryAttempt(delivery, ACKNOWLEDGED, T0, POLICY).delivery,
      (delivery) => recordDeliveryAttempt({ ...delivery, attemptCount: 4 }, REFUSED, T0, POLICY).delivery,
      (delivery) => parkDelivery(delivery, T0),
    ];
    for (const end of ends) {
      const { id } = await aWaiting(store);
      const token = aUuid();
      const { delivery } = await claimed(store, id, token);
      assert.equal(await store.recordDelivery({ leaseToken: token, next: end(delivery), attempt: null }), 'recorded');
      assert.equal(await store.claimOne('delivery', ACME, id, lease(aUuid(), far)), null);
    }
    for (const lane of ['first', 'retry'] as const) {
      const request = {
        now: { test: far, live: far },
        lane,
        limit: 10,
        perEndpoint: 10,
        leaseMs: LEASE_MS,
        token: aUuid(),
      };
      assert.deepEqual(await store.claim('delivery', request), []);
    }
    assert.equal(await store.nextDue('test'), null);
  },

  async 'parks a delivery without recording an attempt'(store) {
    const { id } = await aWaiting(store);
    const token = aUuid();
    const { delivery } = await claimed(store, id, token);
    const next = parkDelivery(delivery, T0);
    assert.equal(await store.recordDelivery({ leaseToken: token, next, attempt: null }), 'recorded');
    assert.deepEqual(await store.find('delivery', ACME, id), { delivery: next, attempts: [] });
  },

  async 'returns the next due time of a mode: of a row, or the end of a lease'(store) {
    assert.equal(await store.nextDue('test'), null);
    const { id } = await aWaiting(store);
    assert.deepEqual(await store.nextDue('test'), { kind: 'delivery', id, mode: 'test', dueAt: T0 });
    assert.equal(await store.nextDue('live'), null);
    await claimed(store, id, aUuid());
    assert.deepEqual(await store.nextDue('test'), { kind: 'delivery', id, mode: 'test', dueAt: T0 + LEASE_MS });
  },
});
