import assert from 'node:assert/strict';
import { MINUTE, recordDeliveryAttempt, type DeliveryAttemptResult, type DeliveryTarget } from '@gateramp/core/domain';
import type { Scope } from '@gateramp/core';
import type { Store } from '@gateramp/core/ports';
import { ACME, ACME_LIVE, BOLT, POLICY, T0, aDelivery, aPartnerEvent, aUuid } from '../builders.js';
import { LEASE_MS, eventOnly } from '../changes.js';
import { ACKNOWLEDGED, REFUSED } from './delivery-laws.js';
import { commit, storeTopic } from './store-subject.js';

interface Tried {
  readonly scope?: Scope;
  readonly target?: DeliveryTarget;
  readonly hasLease?: boolean;
}

/** Makes and records one attempt at a new delivery at `at`. */
async function tried(store: Store, result: DeliveryAttemptResult, at: number, traits: Tried = {}): Promise<void> {
  const { scope = ACME, target = 'webhook', hasLease = true } = traits;
  const event = aPartnerEvent(scope, at);
  const row = aDelivery(event, at, target);
  await commit(store, eventOnly(event, row));
  const token = aUuid();
  const claimed = await store.claimOne('delivery', scope, row.id, { now: at, leaseMs: LEASE_MS, token });
  assert.ok(claimed !== null);
  const { delivery: next, attempt } = recordDeliveryAttempt(claimed.delivery, { ...result, startedAt: at }, at, POLICY);
  const outcome = await store.recordDelivery({ leaseToken: hasLease ? token : aUuid(), next, attempt });
  assert.equal(outcome, hasLease ? 'recorded' : 'lost');
}

export const endpointHealthLaws = storeTopic('Store: health of endpoints', {
  async 'counts failures since the last success, and stores their times and the last error'(store) {
    assert.equal(await store.find('endpoint_health', ACME), null);
    await tried(store, REFUSED, T0);
    await tried(store, { ...REFUSED, responseStatus: null, error: 'timeout' }, T0 + 5);
    const failing = { consecutiveFailures: 2, lastSuccessAt: null, lastFailureAt: T0 + 5, lastError: 'timeout' };
    assert.deepEqual(await store.find('endpoint_health', ACME), failing);
    await tried(store, ACKNOWLEDGED, T0 + 9);
    const healed = { ...failing, consecutiveFailures: 0, lastSuccessAt: T0 + 9 };
    assert.deepEqual(await store.find('endpoint_health', ACME), healed);
    await tried(store, REFUSED, T0 + 12);
    const again = { ...healed, consecutiveFailures: 1, lastFailureAt: T0 + 12, lastError: 'http_500' };
    assert.deepEqual(await store.find('endpoint_health', ACME), again);
  },

  async 'records a success at most once per minute, and the first after a failure immediately'(store) {
    const lastSuccess = async () => (await store.find('endpoint_health', ACME))?.lastSuccessAt;
    await tried(store, ACKNOWLEDGED, T0);
    await tried(store, ACKNOWLEDGED, T0 + MINUTE - 1);
    assert.equal(await lastSuccess(), T0);
    await tried(store, ACKNOWLEDGED, T0 + MINUTE);
    assert.equal(await lastSuccess(), T0 + MINUTE);
    await tried(store, REFUSED, T0 + MINUTE + 1);
    await tried(store, ACKNOWLEDGED, T0 + MINUTE + 2);
    assert.equal(await lastSuccess(), T0 + MINUTE + 2);
  },

  async 'separates partners and modes, and counts neither consumers nor lost attempts'(store) {
    await tried(store, REFUSED, T0);
    await tried(store, REFUSED, T0, { target: 'consumer:grant-value' });
    await tried(store, REFUSED, T0, { hasLease: false });
    assert.equal((await store.find('endpoint_health', ACME))?.consecutiveFailures, 1);
    assert.equal(await store.find('endpoint_health', ACME_LIVE), null);
    assert.equal(await store.find('endpoint_health', BOLT), null);
  },

  async 'loses no failure under concurrency'(store) {
    await Promise.all(Array.from({ length: 12 }, (_, nth) => tried(store, REFUSED, T0 + nth)));
    const health = await store.find('endpoint_health', ACME);
    assert.deepEqual([health?.consecutiveFailures, health?.lastFailureAt], [12, T0 + 11]);
  },
});
