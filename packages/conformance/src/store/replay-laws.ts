import assert from 'node:assert/strict';
import {
  replay,
  recordDeliveryAttempt,
  type Delivery,
  type DeliveryAttempt,
  type Instant,
  type Scope,
} from '@gateramp/core/domain';
import { emptyChange, type Change, type Store } from '@gateramp/core/ports';
import { ACME, ACME_LIVE, BOLT, POLICY, T0, aDelivery, aPartnerEvent, aUuid, nowIn } from '../builders.js';
import { LEASE_MS, aKeyUse, claim, eventOnly } from '../changes.js';
import { ACKNOWLEDGED, REFUSED } from './delivery-laws.js';
import { ALL_DELIVERIES, newest } from './queries.js';
import { commit, storeTopic } from './store-subject.js';

const RACERS = 8;
const FOREVER = Number.MAX_SAFE_INTEGER;

/** A delivery without attempts left, and the instant at which it was dead-lettered. */
async function aDeadLettered(
  store: Store,
  scope: Scope = ACME,
): Promise<{ readonly dead: Delivery; readonly now: Instant }> {
  const event = aPartnerEvent(scope, T0);
  const row = aDelivery(event, T0);
  await commit(store, eventOnly(event, row));
  return failAll(store, row);
}

/** Fails all remaining attempts, each at the instant it is due. */
async function failAll(store: Store, row: Delivery): Promise<{ readonly dead: Delivery; readonly now: Instant }> {
  let [delivery, now] = [row, row.dueAt ?? T0];
  while (delivery.dueAt !== null) {
    now = delivery.dueAt;
    delivery = (await attempt(store, delivery, now, false)).delivery;
  }
  assert.equal(delivery.status, 'dead_lettered');
  return { dead: delivery, now };
}

async function attempt(
  store: Store,
  { partnerId, mode, id }: Delivery,
  now: Instant,
  isAcknowledged: boolean,
): Promise<{ readonly delivery: Delivery; readonly attempt: DeliveryAttempt }> {
  const token = aUuid();
  const claimed = await store.claimOne('delivery', { partnerId, mode }, id, { now, leaseMs: LEASE_MS, token });
  assert.ok(claimed !== null, 'what is due could not be claimed');
  const recorded = recordDeliveryAttempt(claimed.delivery, isAcknowledged ? ACKNOWLEDGED : REFUSED, now, POLICY);
  const next = { leaseToken: token, next: recorded.delivery, attempt: recorded.attempt };
  assert.equal(await store.recordDelivery(next), 'recorded');
  return recorded;
}

function replayed(delivery: Delivery, now: Instant): Delivery {
  return replay(delivery, now)._unsafeUnwrap();
}

function replaying(row: Delivery, now: Instant, scope: Scope = ACME): Change {
  return { ...emptyChange(scope, now), replays: [row] };
}

async function found(store: Store, id: string) {
  const record = await store.find('delivery', ACME, id);
  assert.ok(record !== null);
  return record;
}

export const replayLaws = storeTopic('Store: replays', {
  async 'restarts a dead-lettered delivery: due immediately, with its event and earlier attempts'(store) {
    const { dead, now } = await aDeadLettered(store);
    const { attempts } = await found(store, dead.id);
    const again = replayed(dead, now + 5);
    await commit(store, replaying(again, now + 5));
    assert.deepEqual(await found(store, dead.id), { delivery: again, attempts });
    assert.deepEqual(await store.nextDue('test'), { kind: 'delivery', id: dead.id, mode: 'test', dueAt: now + 5 });
    const [claimed, another] = await store.claim('delivery', {
      now: nowIn(now + 5),
      lane: again.lane,
      limit: 10,
      perEndpoint: 10,
      leaseMs: LEASE_MS,
      token: aUuid(),
    });
    assert.equal(another, undefined);
    assert.equal(claimed?.delivery.id, dead.id);
    assert.deepEqual(claimed?.event, await store.find('event', ACME, dead.eventId), 'other bytes than were sent first');
  },

  async 'gives a replay its full attempt budget, and keeps all earlier attempts'(store) {
    const first = await aDeadLettered(store);
    const again = replayed(first.dead, first.now);
    await commit(store, replaying(again, first.now));
    const second = await failAll(store, again);
    assert.deepEqual([second.dead.attemptCount, second.dead.attemptsTotal, second.dead.replayCount], [5, 10, 1]);
    const last = replayed(second.dead, second.now);
    await commit(store, replaying(last, second.now));
    const { delivery } = await attempt(store, last, second.now, true);
    assert.equal(delivery.status, 'delivered');
    const { attempts } = await found(store, first.dead.id);
    assert.deepEqual(
      attempts.map(({ number }) => number),
      Array.from({ length: 11 }, (_, nth) => nth + 1),
    );
    assert.deepEqual(
      attempts.filter(({ trigger }) => trigger === 'replay').map(({ number }) => number),
      [6, 11],
    );
  },

  async 'lists a delivery under its new status when it is replayed and when the replay ends'(store) {
    const listed = async (status: Delivery['status']): Promise<number> =>
      (await store.list('delivery', ACME, { ...ALL_DELIVERIES, status }, newest(10))).length;
    const { dead, now } = await aDeadLettered(store);
    assert.deepEqual([await listed('dead_lettered'), await listed('pending')], [1, 0]);
    const again = replayed(dead, now);
    await commit(store, replaying(again, now));
    assert.deepEqual([await listed('dead_lettered'), await listed('pending')], [0, 1]);
    await attempt(store, again, now, true);
    assert.deepEqual([await listed('pending'), await listed('delivered')], [0, 1]);
  },

  async 'refuses to replay a delivery that is not dead-lettered or was already replayed as stale'(store) {
    const { dead, now } = await aDeadLettered(store);
    const again = replayed(dead, now);
    await commit(store, replaying(again, now));
    assert.deepEqual(await store.commit(replaying(again, now)), { kind: 'stale' }, 'pending');
    const { dead: deadAgain, now: later } = await failAll(store, again);
    assert.deepEqual(await store.commit(replaying(again, later)), { kind: 'stale' }, 'decided on the state before');
    assert.deepEqual((await found(store, dead.id)).delivery, deadAgain);
    const absent = { ...replayed(deadAgain, later), id: '0123456789abcdef01234567' };
    assert.deepEqual(await store.commit(replaying(absent, later)), { kind: 'stale' }, 'there is no such delivery');
    assert.equal(await store.nextDue('test'), null);
  },

  async 'refuses to replay a delivery of another partner or mode as stale'(store) {
    const { dead, now } = await aDeadLettered(store);
    for (const scope of [BOLT, ACME_LIVE]) {
      const theirs = { ...replayed(dead, now), partnerId: scope.partnerId, mode: scope.mode };
      assert.deepEqual(await store.commit(replaying(theirs, now, scope)), { kind: 'stale' });
    }
    assert.deepEqual((await found(store, dead.id)).delivery, dead);
  },

  async 'replays all deliveries of a change or none: a stale one leaves the others dead-lettered and the key unused'(
    store,
  ) {
    const [one, other] = [await aDeadLettered(store), await aDeadLettered(store)];
    await commit(store, replaying(replayed(other.dead, other.now), other.now));
    const ref = aKeyUse();
    const change: Change = {
      ...emptyChange(ACME, one.now),
      idempotency: claim(ref, 'reply', FOREVER),
      replays: [replayed(one.dead, one.now), replayed(other.dead, one.now)],
    };
    assert.deepEqual(await store.commit(change), { kind: 'stale' });
    assert.deepEqual((await found(store, one.dead.id)).delivery, one.dead);
    assert.equal(await store.findReply(ref, one.now), null);
  },

  async 'replays once under concurrency, and leases the delivery to one claimer'(store) {
    const { dead, now } = await aDeadLettered(store);
    const again = replayed(dead, now);
    const outcomes = await Promise.all(Array.from({ length: RACERS }, () => store.commit(replaying(again, now))));
    const kinds = outcomes.map(({ kind }) => kind);
    assert.deepEqual(
      [kinds.filter((kind) => kind === 'committed').length, kinds.filter((kind) => kind === 'stale').length],
      [1, RACERS - 1],
    );
    const leases = await Promise.all(
      Array.from({ length: RACERS }, () =>
        store.claimOne('delivery', ACME, dead.id, { now, leaseMs: LEASE_MS, token: aUuid() }),
      ),
    );
    assert.equal(leases.filter((lease) => lease !== null).length, 1, 'a replay made a second live lease');
  },

  async 'lets an outdated lease record nothing for the replay'(store) {
    const event = aPartnerEvent(ACME, T0);
    const row = aDelivery(event, T0);
    await commit(store, eventOnly(event, row));
    const slow = aUuid();
    const late = await store.claimOne('delivery', ACME, row.id, { now: T0, leaseMs: LEASE_MS, token: slow });
    assert.ok(late !== null);
    const { dead, now } = await failAll(store, { ...row, dueAt: T0 + LEASE_MS });
    const again = replayed(dead, now);
    await commit(store, replaying(again, now));
    const { delivery: next, attempt: made } = recordDeliveryAttempt(late.delivery, ACKNOWLEDGED, now, POLICY);
    assert.equal(await store.recordDelivery({ leaseToken: slow, next, attempt: made }), 'lost');
    assert.deepEqual((await found(store, row.id)).delivery, again);
  },

  async 'does not reap a replayed delivery until it has ended again'(store) {
    const { dead, now } = await aDeadLettered(store);
    const again = replayed(dead, now);
    await commit(store, replaying(again, now));
    const reaping = { mode: 'test', now: now + 10, keepEnded: 0, limit: 100 } as const;
    await store.reap(reaping);
    assert.deepEqual((await found(store, dead.id)).delivery, again);
    await attempt(store, again, now + 20, true);
    await store.reap({ ...reaping, now: now + 30 });
    assert.equal(await store.find('delivery', ACME, dead.id), null);
  },
});
