import assert from 'node:assert/strict';
import {
  DAY,
  endDelivery,
  finishTask,
  parkDelivery,
  parkTask,
  recordDeliveryAttempt,
  type Delivery,
  type Instant,
  type Task,
} from '@gateramp/core/domain';
import { emptyChange, type Change, type IdempotencyWrite, type ReapRequest, type Store } from '@gateramp/core/ports';
import { ACME, ACME_LIVE, POLICY, T0, aDelivery, aPartnerEvent, aTask, aUuid, nowIn } from '../builders.js';
import { aKeyUse, claim, eventOnly, LEASE_MS, sessionCreation, start } from '../changes.js';
import { ACKNOWLEDGED } from './delivery-laws.js';
import { ALL_DELIVERIES, newest } from './queries.js';
import { commit, storeTopic } from './store-subject.js';

const EXPIRES = T0 + DAY;
const KEPT = 30 * DAY;

function reapAt(now: Instant, limit = 100): ReapRequest {
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
  const claimed = await store.claimOne('delivery', ACME, row.id, { now: at, leaseMs: LEASE_MS, token });
  assert.ok(claimed !== null);
  const { delivery: next, attempt } = recordDeliveryAttempt(claimed.delivery, ACKNOWLEDGED, at, POLICY);
  assert.equal(await store.recordDelivery({ leaseToken: token, next, attempt }), 'recorded');
  return next;
}

async function waitingOne(store: Store): Promise<Delivery> {
  const event = aPartnerEvent(ACME, T0);
  const row = aDelivery(event, T0);
  await commit(store, eventOnly(event, row));
  return row;
}

/** Claims the delivery and records it without an attempt, like a worker that cannot send. */
async function ended(store: Store, row: Delivery, end: (claimed: Delivery) => Delivery): Promise<Delivery> {
  const token = aUuid();
  const claimed = await store.claimOne('delivery', ACME, row.id, { now: T0, leaseMs: LEASE_MS, token });
  assert.ok(claimed !== null);
  const next = end(claimed.delivery);
  assert.equal(await store.recordDelivery({ leaseToken: token, next, attempt: null }), 'recorded');
  return next;
}

/** Claims the task and finishes it in a change that is decided at `now`. */
async function finished(store: Store, task: Task, now: Instant, finish: (claimed: Task) => Task): Promise<void> {
  const token = aUuid();
  const claimed = await store.claimOne('task', ACME, task.id, { now, leaseMs: LEASE_MS, token, early: false });
  assert.ok(claimed !== null);
  await commit(store, { ...emptyChange(ACME, now), finishes: [{ row: finish(claimed), leaseToken: token }] });
}

export const reapLaws = storeTopic('Store: reaping', {
  async 'reaps only expired keys, up to the limit'(store) {
    const lapsed = [aKeyUse(), aKeyUse(), aKeyUse()];
    const valid = aKeyUse();
    for (const ref of lapsed) await commit(store, use(claim(ref, 'old', EXPIRES - 1)));
    await commit(store, use(claim(valid, 'valid', EXPIRES)));
    assert.equal(await store.reap(reapAt(EXPIRES, 2)), 2);
    assert.equal(await store.reap(reapAt(EXPIRES)), 1);
    assert.equal(await store.reap(reapAt(EXPIRES)), 0);
    assert.deepEqual(await store.findReply(valid, EXPIRES), { kind: 'replay', reply: 'valid' });
  },

  async 'keeps a reused key until the end of its new lifetime'(store) {
    const ref = aKeyUse();
    await commit(store, use(claim(ref, 'old', EXPIRES - 1)), use(claim(ref, 'new', EXPIRES + 5), EXPIRES));
    assert.equal(await store.reap(reapAt(EXPIRES + 5)), 0);
    assert.deepEqual(await store.findReply(ref, EXPIRES + 5), { kind: 'replay', reply: 'new' });
    assert.equal(await store.reap(reapAt(EXPIRES + 6)), 1);
  },

  async 'reaps one mode and leaves the other untouched'(store) {
    const [test, live] = [aKeyUse(), aKeyUse(`${ACME.partnerId}/live`)];
    await commit(store, use(claim(test, 'test', EXPIRES - 1)), use(claim(live, 'live', EXPIRES - 1), T0, ACME_LIVE));
    assert.equal(await store.reap(reapAt(EXPIRES)), 1);
    assert.deepEqual(await store.findReply(live, T0), { kind: 'replay', reply: 'live' });
  },

  async 'reaps no session or event, and no pending delivery'(store) {
    const { session, change } = sessionCreation();
    await commit(store, change);
    await store.reap(reapAt(EXPIRES + KEPT));
    assert.deepEqual(await store.find('session', ACME, session.id), session);
    assert.equal((await store.list('session_event', ACME, session.id)).length, 1);
    for (const { row } of change.deliveries) assert.notEqual(await store.find('delivery', ACME, row.id), null);
  },

  async 'reaps an ended delivery when its retention has passed, and never a pending one'(store) {
    const early = await delivered(store, T0);
    const late = await delivered(store, T0 + 1);
    const pending = aPartnerEvent(ACME, T0);
    await commit(store, eventOnly(pending, aDelivery(pending, T0)));
    assert.equal(await store.reap(reapAt(T0 + KEPT - 1)), 0);
    assert.equal(await store.reap(reapAt(T0 + KEPT)), 1);
    assert.equal(await store.find('delivery', ACME, early.id), null);
    assert.equal((await store.find('delivery', ACME, late.id))?.attempts.length, 1);
    assert.equal(
      (
        await store.claim('delivery', {
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

  async 'reaps a finished task when its retention has passed, and never a pending one'(store) {
    const [done, pending] = [aTask(), aTask()];
    await commit(store, { ...emptyChange(ACME, T0), tasks: [done, pending] });
    const token = aUuid();
    const claimed = await store.claimOne('task', ACME, done.id, { now: T0, leaseMs: LEASE_MS, token, early: false });
    assert.ok(claimed !== null);
    await commit(store, { ...emptyChange(ACME, T0), finishes: [{ row: finishTask(claimed), leaseToken: token }] });
    assert.equal(await store.reap(reapAt(T0 + KEPT - 1)), 0);
    assert.equal(await store.reap(reapAt(T0 + KEPT)), 1);
    assert.equal(await store.find('task', ACME, done.id), null);
    assert.notEqual(await store.find('task', ACME, pending.id), null);
  },

  async 'reaps dead letters like delivered ones, with their attempts, and never their events'(store) {
    const row = await waitingOne(store);
    const dead = await ended(store, row, (claimed) => endDelivery(claimed, T0 + DAY));
    assert.equal(dead.status, 'dead_lettered');
    assert.equal(await store.reap(reapAt(T0 + DAY + KEPT - 1)), 0);
    assert.equal(await store.reap(reapAt(T0 + DAY + KEPT)), 1);
    assert.equal(await store.find('delivery', ACME, row.id), null);
    assert.deepEqual(await store.list('delivery', ACME, ALL_DELIVERIES, newest(9)), []);
    assert.equal((await store.find('event', ACME, row.eventId))?.id, row.eventId);
  },

  async 'never reaps parked work, which needs an operator'(store) {
    const row = await waitingOne(store);
    await ended(store, row, (claimed) => parkDelivery(claimed, T0));
    const task = aTask();
    await commit(store, { ...emptyChange(ACME, T0), tasks: [task] });
    await finished(store, task, T0, parkTask);
    assert.equal(await store.reap(reapAt(T0 + 1_000 * KEPT)), 0);
    assert.equal((await store.find('delivery', ACME, row.id))?.delivery.parkedAt, T0);
    assert.equal((await store.find('task', ACME, task.id))?.status, 'parked');
  },

  async 'counts the retention of a task from the `now` of the change that finished it'(store) {
    const task = aTask();
    await commit(store, { ...emptyChange(ACME, T0), tasks: [task] });
    await finished(store, task, T0 + DAY, finishTask);
    assert.equal(await store.reap(reapAt(T0 + DAY + KEPT - 1)), 0);
    assert.equal((await store.find('task', ACME, task.id))?.status, 'done');
    assert.equal(await store.reap(reapAt(T0 + DAY + KEPT)), 1);
  },

  async 'reaps an expired key that was started and never sealed'(store) {
    const ref = aKeyUse();
    await commit(store, use(start(ref, { resourceId: 'intent', taskId: 'task' }, EXPIRES - 1)));
    assert.equal(await store.reap(reapAt(EXPIRES - 1)), 0, 'it is still good at that very instant');
    assert.equal(await store.reap(reapAt(EXPIRES)), 1);
  },

  async 'reaps no key that was reused since it expired'(store) {
    const ref = aKeyUse();
    await commit(store, use(claim(ref, 'old', EXPIRES)), use(claim(ref, 'new', EXPIRES + KEPT), EXPIRES + 1));
    assert.equal(await store.reap(reapAt(EXPIRES + 1)), 0);
    assert.deepEqual(await store.findReply(ref, EXPIRES + 1), { kind: 'replay', reply: 'new' });
  },

  async 'reaps deliveries and tasks of one mode by its own clock, and leaves the other untouched'(store) {
    const row = await waitingOne(store);
    await ended(store, row, (claimed) => endDelivery(claimed, T0));
    const task = aTask();
    await commit(store, { ...emptyChange(ACME, T0), tasks: [task] });
    await finished(store, task, T0, finishTask);
    assert.equal(await store.reap({ ...reapAt(T0 + KEPT), mode: 'live' }), 0);
    assert.equal(await store.reap(reapAt(T0 + KEPT)), 2);
  },

  async 'reaps at most the limit of keys, deliveries and tasks together'(store) {
    for (const ref of [aKeyUse(), aKeyUse()]) await commit(store, use(claim(ref, 'old', T0)));
    for (let nth = 0; nth < 2; nth += 1) {
      await ended(store, await waitingOne(store), (claimed) => endDelivery(claimed, T0));
      const task = aTask();
      await commit(store, { ...emptyChange(ACME, T0), tasks: [task] });
      await finished(store, task, T0, finishTask);
    }
    for (const expected of [5, 1, 0]) assert.equal(await store.reap(reapAt(EXPIRES + KEPT, 5)), expected);
  },
});
