import assert from 'node:assert/strict';
import { MINUTE } from '@gateramp/core/domain';
import type { Store } from '@gateramp/core/ports';
import { ACME, ACME_LIVE, BOLT, T0, aDelivery, aPartnerEvent, aTask, nowIn } from '../builders.js';
import { LEASE_MS, eventOnly } from '../changes.js';
import { claimedIds, LATER, request, waiting } from './due-deliveries.js';
import { idsOf } from './queries.js';
import { commit, storeTopic } from './store-subject.js';
import { emptyChange } from '@gateramp/core/ports';

/** Deliveries of one endpoint, created in this order and due this many minutes after T0. */
async function dueAfter(store: Store, minutes: readonly number[], scope = ACME): Promise<readonly string[]> {
  const ids: string[] = [];
  for (const after of minutes) {
    const event = aPartnerEvent(scope, T0);
    const row = { ...aDelivery(event, T0), dueAt: T0 + after * MINUTE };
    await commit(store, eventOnly(event, row));
    ids.push(row.id);
  }
  return ids;
}

export const fairnessLaws = storeTopic('Store: turns of the endpoints', {
  async 'claims one delivery of each endpoint before a second of any, even if the share equals the limit'(store) {
    const backlog = await waiting(store, 30, { scope: ACME });
    const others = await waiting(store, 2, { scope: BOLT, from: T0 + MINUTE });
    const claimed = claimedIds(await store.claim('delivery', request({ limit: 6, perEndpoint: 6 })));
    const expected = [...idsOf(backlog.slice(0, 4)), ...idsOf(others)];
    assert.deepEqual(claimed, expected, 'four of the backlog, which is older, and both of the other endpoint');
  },

  async 'gives each of many endpoints a turn before any gets a second one'(store) {
    const scopes = Array.from({ length: 5 }, (_, nth) => ({ ...ACME, partnerId: `65f0c0ffee65f0c0ffee001${nth}` }));
    await waiting(store, 20, { scope: ACME });
    for (const scope of scopes) await waiting(store, 3, { scope, from: T0 + MINUTE });
    const claimed = await store.claim('delivery', request({ limit: 6, perEndpoint: 100 }));
    const partners = claimed.map(({ delivery }) => delivery.partnerId).sort();
    assert.deepEqual(partners, [ACME, ...scopes].map(({ partnerId }) => partnerId).sort(), 'one of each');
  },

  async 'claims the longest-waiting of seventy endpoints first, and then all others'(store) {
    const oldestLast: string[] = [];
    for (let nth = 10; nth < 80; nth += 1) {
      const scope = { ...ACME, partnerId: `65f0c0ffee65f0c0ffee00${nth}` };
      oldestLast.push(...idsOf(await waiting(store, 1, { scope, from: T0 + (80 - nth) * MINUTE })));
      await waiting(store, 1, { scope, from: LATER + MINUTE });
    }
    const now = nowIn(LATER + 70 * MINUTE);
    const claimed = claimedIds(await store.claim('delivery', request({ now, limit: 30 })));
    assert.deepEqual(claimed, oldestLast.toReversed().slice(0, 30));
    const rest = await store.claim('delivery', request({ now, limit: 128 }));
    assert.equal(rest.length, 110, 'what was not claimed at first');
  },

  async 'gives the first turn to the longest-waiting endpoint'(store) {
    await waiting(store, 3, { scope: ACME, from: T0 + MINUTE });
    const [oldest] = await waiting(store, 1, { scope: BOLT, from: T0 });
    assert.deepEqual(claimedIds(await store.claim('delivery', request({ limit: 1 }))), [oldest?.id]);
  },

  async 'gives the turn of an endpoint without free slots to others'(store) {
    await waiting(store, 9, { scope: ACME });
    assert.equal((await store.claim('delivery', request({ limit: 2, perEndpoint: 2 }))).length, 2);
    const others = await waiting(store, 2, { scope: BOLT, from: T0 + MINUTE });
    const claimed = claimedIds(await store.claim('delivery', request({ limit: 2, perEndpoint: 2 })));
    assert.deepEqual(claimed, idsOf(others), 'the first endpoint has two live leases and may have no third');
    const lapsed = await store.claim('delivery', request({ now: nowIn(LATER + LEASE_MS) }));
    assert.equal(lapsed.length, 11, 'what was passed over is found again when the leases have lapsed');
  },

  async 'lets an endpoint use what the others leave, up to its share'(store) {
    const backlog = await waiting(store, 9, { scope: ACME });
    const [other] = await waiting(store, 1, { scope: BOLT });
    const claimed = await store.claim('delivery', request({ limit: 6, perEndpoint: 6 }));
    assert.deepEqual([...claimedIds(claimed)].sort(), [...idsOf(backlog.slice(0, 5)), other?.id].sort());
  },

  async 'alternates between the modes, each by its lateness on its own clock'(store) {
    await waiting(store, 9, { scope: ACME });
    const [live] = await waiting(store, 1, { scope: ACME_LIVE });
    const claimed = await store.claim('delivery', request({ limit: 2, now: nowIn(LATER, T0 + MINUTE) }));
    assert.ok(claimedIds(claimed).includes(live?.id ?? ''), 'live mode had no turn');
  },

  async 'claims by due time, regardless of the order of creation'(store) {
    const [third, first, second] = await dueAfter(store, [3, 1, 2]);
    assert.deepEqual(claimedIds(await store.claim('delivery', request({ limit: 2 }))), [first, second]);
    assert.deepEqual(claimedIds(await store.claim('delivery', request())), [third]);
  },

  async 'returns due deliveries of several endpoints in one order, oldest due first'(store) {
    const [a, c] = await dueAfter(store, [1, 3], ACME);
    const [b, d] = await dueAfter(store, [2, 4], BOLT);
    assert.deepEqual(claimedIds(await store.claim('delivery', request())), [a, b, c, d]);
  },

  async 'returns expired leases along with due work, so that neither delays the other'(store) {
    const [lapsed, ...waiting] = await dueAfter(store, [0, 1, 2]);
    await store.claim('delivery', request({ now: nowIn(T0), leaseMs: 2 * MINUTE }));
    const claimed = claimedIds(await store.claim('delivery', request()));
    assert.deepEqual(
      claimed.filter((id) => id !== lapsed),
      waiting,
    );
    assert.ok(claimed.includes(lapsed ?? ''), 'what lapsed was not handed out');
  },

  async 'claims tasks by due time; an expired lease counts from its end'(store) {
    const tasks = [0, 3, 1].map((minutes) => aTask({ dueAt: T0 + minutes * MINUTE }));
    await commit(store, { ...emptyChange(ACME, T0), tasks });
    const [lapsed, last, first] = idsOf(tasks);
    const ask = { limit: 9, leaseMs: LEASE_MS };
    await store.claim('task', { ...ask, now: nowIn(T0), leaseMs: 2 * MINUTE, token: 'first' });
    const claimed = await store.claim('task', { ...ask, now: nowIn(LATER), token: 'second' });
    assert.deepEqual(idsOf(claimed), [first, lapsed, last]);
  },
});
