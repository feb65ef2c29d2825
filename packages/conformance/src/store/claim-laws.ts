import assert from 'node:assert/strict';
import { consumerLane, HOUR, MINUTE, recordDeliveryAttempt, type Instant } from '@gateramp/core/domain';
import { emptyChange, type ClaimedDelivery, type Store } from '@gateramp/core/ports';
import { ACME, ACME_LIVE, BOLT, POLICY, T0, aTask, aUuid, nowIn } from '../builders.js';
import { LEASE_MS } from '../changes.js';
import { REFUSED } from './delivery-laws.js';
import { claimedIds, LATER, request, waiting } from './due-deliveries.js';
import { idsOf } from './queries.js';
import { commit, storeTopic } from './store-subject.js';

async function fail(store: Store, claimed: ClaimedDelivery, token: string, now: Instant): Promise<void> {
  const { delivery: next, attempt } = recordDeliveryAttempt(claimed.delivery, REFUSED, now, POLICY);
  assert.equal(await store.recordDelivery({ leaseToken: token, next, attempt }), 'recorded');
}

export const claimLaws = storeTopic('Store: claiming due deliveries', {
  async 'leases every due delivery to exactly one of many claimers'(store) {
    const rows = await waiting(store, 40);
    const claims = await Promise.all(Array.from({ length: 8 }, () => store.claim('delivery', request({ limit: 7 }))));
    for (const claim of claims) assert.ok(claim.length <= 7);
    const ids = claims.flatMap(claimedIds);
    assert.equal(new Set(ids).size, ids.length, 'a delivery has two live leases');
    const rest = claimedIds(await store.claim('delivery', request()));
    assert.deepEqual([...ids, ...rest].sort(), [...idsOf(rows)].sort(), 'a due delivery was skipped');
    assert.deepEqual(await store.claim('delivery', request()), []);
  },

  async 'withholds a leased delivery from others until its lease ends, and then hands it over'(store) {
    await waiting(store, 3);
    const first = await store.claim('delivery', request());
    assert.equal(first.length, 3);
    assert.deepEqual(await store.claim('delivery', request({ now: nowIn(LATER + LEASE_MS - 1) })), []);
    const token = aUuid();
    const second = await store.claim('delivery', request({ now: nowIn(LATER + LEASE_MS), token }));
    assert.deepEqual(claimedIds(second), claimedIds(first));
    for (const { delivery } of second) {
      assert.equal(delivery.leaseToken, token);
      assert.equal(delivery.leaseUntil, LATER + 2 * LEASE_MS);
      assert.deepEqual([delivery.claims, delivery.attemptCount], [2, 0]);
    }
  },

  async 'returns each delivery with its event'(store) {
    await waiting(store, 3);
    for (const { delivery, event } of await store.claim('delivery', request())) {
      assert.equal(event.id, delivery.eventId);
      assert.deepEqual(await store.find('event', ACME, event.id), event);
    }
  },

  async 'returns the complete rows of each kind when tasks and both lanes are claimed concurrently'(store) {
    await waiting(store, 1);
    const token = aUuid();
    for (const one of await store.claim('delivery', request({ token }))) await fail(store, one, token, T0);
    const [fresh] = await waiting(store, 1);
    const task = aTask();
    await commit(store, { ...emptyChange(ACME, T0), tasks: [task] });
    const [tasks, first, retry] = await Promise.all([
      store.claim('task', { now: nowIn(LATER), limit: 10, leaseMs: LEASE_MS, token: aUuid() }),
      store.claim('delivery', request()),
      store.claim('delivery', request({ lane: 'retry' })),
    ]);
    assert.deepEqual(idsOf(tasks), [task.id]);
    assert.deepEqual(claimedIds(first), [fresh?.id]);
    assert.deepEqual(
      retry.map(({ delivery }) => delivery.attemptCount),
      [1],
    );
    for (const { delivery, event } of [...first, ...retry])
      assert.deepEqual(await store.find('event', ACME, delivery.eventId), event);
  },

  async 'claims at most its limit, oldest due first'(store) {
    const rows = await waiting(store, 5);
    assert.deepEqual(claimedIds(await store.claim('delivery', request({ limit: 2 }))), idsOf(rows.slice(0, 2)));
    assert.deepEqual(claimedIds(await store.claim('delivery', request({ limit: 2 }))), idsOf(rows.slice(2, 4)));
    assert.deepEqual(claimedIds(await store.claim('delivery', request({ limit: 2 }))), idsOf(rows.slice(4)));
  },

  async 'claims a delivery at the instant it is due, not before'(store) {
    const [row] = await waiting(store, 1);
    assert.deepEqual(await store.claim('delivery', request({ now: nowIn(T0 - 1) })), []);
    assert.deepEqual(claimedIds(await store.claim('delivery', request({ now: nowIn(T0) }))), [row?.id]);
  },

  async 'measures each mode by its own clock'(store) {
    const [test] = await waiting(store, 1, { scope: ACME, from: T0 + MINUTE });
    const [live] = await waiting(store, 1, { scope: ACME_LIVE, from: T0 + MINUTE });
    assert.deepEqual(claimedIds(await store.claim('delivery', request({ now: nowIn(T0 + MINUTE, T0) }))), [test?.id]);
    const leased = await store.claim('delivery', request({ now: nowIn(T0, T0 + 2 * MINUTE) }));
    assert.deepEqual(claimedIds(leased), [live?.id]);
    assert.equal(leased[0]?.delivery.leaseUntil, T0 + 2 * MINUTE + LEASE_MS);
  },

  async 'limits an endpoint to its share of live leases, including those of earlier claims'(store) {
    await waiting(store, 5);
    const token = aUuid();
    const first = await store.claim('delivery', request({ perEndpoint: 2, token }));
    assert.equal(first.length, 2);
    assert.deepEqual(await store.claim('delivery', request({ perEndpoint: 2 })), []);
    const [leased] = first;
    assert.ok(leased !== undefined);
    await fail(store, leased, token, LATER);
    assert.equal((await store.claim('delivery', request({ perEndpoint: 2 }))).length, 1);
  },

  async "returns an endpoint's slots when leases expire"(store) {
    await waiting(store, 5);
    assert.equal((await store.claim('delivery', request({ perEndpoint: 2 }))).length, 2);
    assert.equal((await store.claim('delivery', request({ perEndpoint: 2, now: nowIn(LATER + LEASE_MS) }))).length, 2);
  },

  async 'limits an endpoint to its share when claims race'(store) {
    await waiting(store, 20);
    const claims = await Promise.all(
      Array.from({ length: 6 }, () => store.claim('delivery', request({ perEndpoint: 3 }))),
    );
    const live = claims.flatMap(claimedIds);
    assert.ok(live.length <= 3, `one endpoint has ${live.length} live leases`);
    assert.ok(live.length > 0);
  },

  async 'claims past an endpoint with a long backlog, so that others do not wait for it'(store) {
    await waiting(store, 30, { scope: ACME });
    const others = await waiting(store, 2, { scope: BOLT, from: T0 + MINUTE });
    const claimed = claimedIds(await store.claim('delivery', request({ limit: 6, perEndpoint: 4 })));
    assert.equal(claimed.length, 6);
    for (const { id } of others) assert.ok(claimed.includes(id), 'another endpoint was starved');
  },

  async 'counts leases separately by partner, mode and consumer'(store) {
    await waiting(store, 2, { scope: ACME });
    await waiting(store, 2, { scope: ACME_LIVE });
    await waiting(store, 2, { scope: BOLT });
    const [owed] = await waiting(store, 2, { scope: ACME, target: 'consumer:grant-value' });
    await waiting(store, 2, { scope: BOLT, target: 'consumer:grant-value' });
    assert.equal((await store.claim('delivery', request({ perEndpoint: 1 }))).length, 3);
    const lane = consumerLane({ name: 'grant-value', type: owed?.eventType ?? '' });
    assert.equal((await store.claim('delivery', request({ lane, perEndpoint: 1 }))).length, 2);
  },

  async 'claims first attempts and retries separately, with slots of their own'(store) {
    const [retried] = await waiting(store, 1);
    const token = aUuid();
    const [claimed] = await store.claim('delivery', request({ now: nowIn(T0), token }));
    assert.ok(claimed !== undefined);
    await fail(store, claimed, token, T0);
    const [fresh] = await waiting(store, 1, { from: T0 + MINUTE });
    const retries = await store.claim('delivery', request({ lane: 'retry', perEndpoint: 1 }));
    assert.deepEqual(claimedIds(retries), [retried?.id]);
    const firsts = await store.claim('delivery', request({ lane: 'first', perEndpoint: 1 }));
    assert.deepEqual(claimedIds(firsts), [fresh?.id]);
  },

  async 'returns the earliest due time of first attempts and retries in either lane'(store) {
    const [retried] = await waiting(store, 1);
    const token = aUuid();
    for (const one of await store.claim('delivery', request({ now: nowIn(T0), token })))
      await fail(store, one, token, T0);
    const due = (await store.nextDue('test'))?.dueAt ?? 0;
    await waiting(store, 1, { from: due + 1 });
    assert.deepEqual(await store.nextDue('test'), { kind: 'delivery', id: retried?.id, mode: 'test', dueAt: due });
    const [fresh] = await waiting(store, 1, { from: due - 1 });
    assert.equal((await store.nextDue('test'))?.id, fresh?.id);
  },

  async 'returns the earliest due time of a mode'(store) {
    const [later] = await waiting(store, 1, { from: T0 + 2 * MINUTE });
    const [sooner] = await waiting(store, 1, { from: T0 + MINUTE });
    assert.equal((await store.nextDue('test'))?.id, sooner?.id);
    await store.claim('delivery', request({ now: nowIn(T0 + MINUTE), leaseMs: HOUR }));
    assert.deepEqual(await store.nextDue('test'), {
      kind: 'delivery',
      id: later?.id,
      mode: 'test',
      dueAt: T0 + 2 * MINUTE,
    });
  },
});
