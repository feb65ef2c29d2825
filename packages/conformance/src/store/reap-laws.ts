import assert from 'node:assert/strict';
import { DAY, finishTask, settleAttempt, type Delivery, type Instant } from '@gateramp/core';
import { emptyChange, type Change, type IdempotencyWrite, type ReapRequest, type Store } from '@gateramp/core/ports';
import { ACME, ACME_LIVE, POLICY, T0, aDelivery, aPartnerEvent, aTask, aUuid, nowIn } from '../builders.js';
import { aKeyUse, claim, eventOnly, LEASE_MS, sessionCreation } from '../changes.js';
import { ACKNOWLEDGED } from './delivery-laws.js';
import { commit, storeTopic } from './store-subject.js';

const EXPIRES = T0 + DAY;
const KEPT = 30 * DAY;

function asked(now: Instant, limit = 100): ReapRequest {
  return { mode: 'test', now, keepEnded: KEPT, limit };
}

function use(idempotency: IdempotencyWrite, now: Instant = T0, scope = ACME): Change {
  return { ...emptyChange(scope, now), idempotency };
}

/** A delivery that was delivered at `at`. */
async function delivered(store: Store, at: Instant): Promise<Delivery> {
  const event = aPartnerEvent(ACME, T0);
  const row = aDelivery(event, T0);
  await commit(store, eventOnly(event, row));
  const token = aUuid();
  const claimed = await store.claimDelivery('test', row.id, { now: at, leaseMs: LEASE_MS, token });
  assert.ok(claimed !== null);
  const { delivery: next, attempt } = settleAttempt(claimed.delivery, ACKNOWLEDGED, at, POLICY);
  assert.equal(await store.settleDelivery({ leaseToken: token, next, attempt }), 'settled');
  return next;
}

export const reapLaws = storeTopic('Store: reaping', {
  async 'reaps keys that have expired, at most as many as asked, and no other'(store) {
    const lapsed = [aKeyUse(), aKeyUse(), aKeyUse()];
    const valid = aKeyUse();
    for (const ref of lapsed) await commit(store, use(claim(ref, 'old', EXPIRES - 1)));
    await commit(store, use(claim(valid, 'valid', EXPIRES)));
    assert.equal(await store.reap(asked(EXPIRES, 2)), 2);
    assert.equal(await store.reap(asked(EXPIRES)), 1);
    assert.equal(await store.reap(asked(EXPIRES)), 0);
    assert.deepEqual(await store.findReply(valid, EXPIRES), { kind: 'replay', reply: 'valid' });
  },

  async 'reaps one mode without touching the other'(store) {
    const [test, live] = [aKeyUse('acme/test'), aKeyUse('acme/live')];
    await commit(store, use(claim(test, 'test', EXPIRES - 1)), use(claim(live, 'live', EXPIRES - 1), T0, ACME_LIVE));
    assert.equal(await store.reap(asked(EXPIRES)), 1);
    assert.deepEqual(await store.findReply(live, T0), { kind: 'replay', reply: 'live' });
  },

  async 'reaps no session, event or delivery'(store) {
    const { session, change } = sessionCreation();
    await commit(store, change);
    await store.reap(asked(EXPIRES + KEPT));
    assert.deepEqual(await store.findSession(ACME, session.id), session);
    assert.equal((await store.listSessionEvents(ACME, session.id)).length, 1);
    for (const { row } of change.deliveries) assert.notEqual(await store.findDelivery(ACME, row.id), null);
  },

  async 'reaps a delivery the instant it ended as long ago as asked, and one that is still to be delivered never'(
    store,
  ) {
    const early = await delivered(store, T0);
    const late = await delivered(store, T0 + 1);
    const pending = aPartnerEvent(ACME, T0);
    await commit(store, eventOnly(pending, aDelivery(pending, T0)));
    assert.equal(await store.reap(asked(T0 + KEPT - 1)), 0);
    assert.equal(await store.reap(asked(T0 + KEPT)), 1);
    assert.equal(await store.findDelivery(ACME, early.id), null);
    assert.equal((await store.findDelivery(ACME, late.id))?.attempts.length, 1);
    assert.equal(
      (
        await store.claimDeliveries({
          now: nowIn(T0),
          lane: 'first',
          limit: 9,
          perEndpoint: 9,
          leaseMs: LEASE_MS,
          token: aUuid(),
        })
      ).length,
      1,
    );
  },

  async 'reaps a task that was done as long ago as asked, and one that is still to be done never'(store) {
    const [done, pending] = [aTask(), aTask()];
    await commit(store, { ...emptyChange(ACME, T0), tasks: [done, pending] });
    const token = aUuid();
    const claimed = await store.claimTask('test', done.id, { now: T0, leaseMs: LEASE_MS, token, early: false });
    assert.ok(claimed !== null);
    await commit(store, { ...emptyChange(ACME, T0), finishes: [{ row: finishTask(claimed), leaseToken: token }] });
    assert.equal(await store.reap(asked(T0 + KEPT - 1)), 0);
    assert.equal(await store.reap(asked(T0 + KEPT)), 1);
    assert.equal(await store.findTask('test', done.id), null);
    assert.notEqual(await store.findTask('test', pending.id), null);
  },
});
