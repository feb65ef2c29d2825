import assert from 'node:assert/strict';
import {
  TASK_LEASE,
  HOUR,
  MINUTE,
  finishTask,
  parkTask,
  postponeTask,
  retryTask,
  type Instant,
  type Task,
} from '@gateramp/core/domain';
import { emptyChange, type Change, type Store, type TaskClaim } from '@gateramp/core/ports';
import { ACME, T0, aLeasedTask, aTask, aUuid, nowIn, ACME_LIVE } from '../builders.js';
import { LEASE_MS } from '../changes.js';
import { counterOf, idsOf } from './queries.js';
import { commit, storeTopic } from './store-subject.js';

function making(...tasks: readonly Task[]): Change {
  const scope = tasks[0] === undefined ? ACME : { partnerId: tasks[0].partnerId, mode: tasks[0].mode };
  return { ...emptyChange(scope, T0), tasks };
}

function finishing(row: Task, leaseToken: string): Change {
  return {
    ...emptyChange(ACME, T0),
    finishes: [{ row, leaseToken }],
    counters: [{ name: 'runs', delta: '1', atLeast: null }],
  };
}

function request(traits: Partial<TaskClaim> = {}): TaskClaim {
  return { now: nowIn(T0), limit: 100, leaseMs: LEASE_MS, token: aUuid(), ...traits };
}

async function claimed(store: Store, id: string, token: string, now: Instant = T0): Promise<Task> {
  const task = await store.claimOne('task', ACME, id, { now, leaseMs: LEASE_MS, token, early: false });
  assert.ok(task !== null, 'the task could not be claimed');
  return task;
}

export const taskLaws = storeTopic('Store: tasks', {
  async 'leases a task and counts the claim'(store) {
    const task = aTask();
    await commit(store, making(task));
    const token = aUuid();
    const expected = { ...task, leaseToken: token, leaseUntil: T0 + LEASE_MS, claims: 1 };
    assert.deepEqual(await claimed(store, task.id, token), expected);
    assert.deepEqual(await store.find('task', ACME, task.id), expected);
  },

  async 'keeps the trace context of a task, through every run'(store) {
    const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
    const task: Task = { ...aTask(), traceparent, tracestate: 'vendor=1' };
    await commit(store, making(task));
    const token = aUuid();
    const first = await claimed(store, task.id, token);
    assert.deepEqual([first.traceparent, first.tracestate], [task.traceparent, task.tracestate]);
    await commit(store, finishing(postponeTask(first, T0 + MINUTE), token));
    const [again] = await store.claim('task', request({ now: nowIn(T0 + MINUTE) }));
    assert.deepEqual([again?.traceparent, again?.tracestate], [task.traceparent, task.tracestate]);
  },

  async 'claims a task at the instant it is due, and earlier only on request'(store) {
    const task = aTask({ dueAt: T0 + MINUTE });
    await commit(store, making(task));
    const at = (now: Instant, early: boolean) =>
      store.claimOne('task', ACME, task.id, { now, leaseMs: LEASE_MS, token: aUuid(), early });
    assert.equal(await at(T0 + MINUTE - 1, false), null);
    assert.deepEqual(await store.claim('task', request({ now: nowIn(T0 + MINUTE - 1) })), []);
    assert.notEqual(await at(T0, true), null);
    assert.equal(await at(T0 + 1, true), null, 'early takes no task that is leased');
    assert.notEqual(await at(T0 + MINUTE, false), null);
  },

  async 'returns a task that was claimed early when its lease ends, due or not'(store) {
    const task = aTask({ dueAt: T0 + HOUR });
    await commit(store, making(task));
    const early = { now: T0, leaseMs: LEASE_MS, token: aUuid(), early: true };
    assert.notEqual(await store.claimOne('task', ACME, task.id, early), null);
    assert.deepEqual(await store.nextDue('test'), { kind: 'task', id: task.id, mode: 'test', dueAt: T0 + LEASE_MS });
    assert.deepEqual(await store.claim('task', request({ now: nowIn(T0 + LEASE_MS - 1) })), []);
    const [again] = await store.claim('task', request({ now: nowIn(T0 + LEASE_MS) }));
    assert.equal(again?.claims, 2, 'its lease has lapsed, an hour before it was due');
  },

  async 'claims no task of another mode and no absent one'(store) {
    const task = aTask();
    await commit(store, making(task));
    const lease = { now: T0, leaseMs: LEASE_MS, token: aUuid(), early: true };
    assert.equal(await store.claimOne('task', ACME_LIVE, task.id, lease), null);
    assert.equal(await store.find('task', ACME_LIVE, task.id), null);
    assert.equal(await store.claimOne('task', ACME, '0123456789abcdef01234567', lease), null);
  },

  async 'leases every due task to exactly one of many claimers'(store) {
    const tasks = Array.from({ length: 30 }, () => aTask());
    await commit(store, making(...tasks));
    const claims = await Promise.all(Array.from({ length: 8 }, () => store.claim('task', request({ limit: 5 }))));
    for (const claim of claims) assert.ok(claim.length <= 5);
    const rest = await store.claim('task', request());
    assert.deepEqual([...claims.flatMap(idsOf), ...idsOf(rest)].sort(), [...idsOf(tasks)].sort());
  },

  async 'claims at most its limit, oldest due first'(store) {
    const tasks = [3, 1, 2].map((minutes) => aTask({ dueAt: T0 + minutes * MINUTE }));
    await commit(store, making(...tasks));
    const first = await store.claim('task', request({ now: nowIn(T0 + HOUR), limit: 2 }));
    assert.deepEqual(idsOf(first), [tasks[1]?.id, tasks[2]?.id]);
  },

  async 'measures each mode by its own clock'(store) {
    const [test, live] = [aTask({ dueAt: T0 + MINUTE }), aTask({ scope: ACME_LIVE, dueAt: T0 + MINUTE })];
    await commit(store, making(test), making(live));
    assert.deepEqual(idsOf(await store.claim('task', request({ now: nowIn(T0, T0 + MINUTE) }))), [live.id]);
    assert.deepEqual(idsOf(await store.claim('task', request({ now: nowIn(T0 + MINUTE, T0) }))), [test.id]);
  },

  async 'claims a task once: neither a leased nor a finished one is returned'(store) {
    const task = aTask();
    await commit(store, making(task));
    const token = aUuid();
    const [leased] = await store.claim('task', request({ token }));
    assert.ok(leased !== undefined);
    assert.deepEqual(await store.claim('task', request()), []);
    await commit(store, finishing(finishTask(leased), token));
    assert.deepEqual(await store.claim('task', request({ now: nowIn(T0 + HOUR) })), []);
    const anyhow = { now: T0 + HOUR, leaseMs: LEASE_MS, token: aUuid(), early: true };
    assert.equal(await store.claimOne('task', ACME, task.id, anyhow), null);
    assert.equal(await store.nextDue('test'), null);
  },

  async 'hands an expired lease to the next claimer, and the previous one can finish nothing'(store) {
    const task = aTask();
    await commit(store, making(task));
    const [first, second] = [aUuid(), aUuid()];
    const slow = await claimed(store, task.id, first);
    const lease = { now: T0 + LEASE_MS - 1, leaseMs: LEASE_MS, token: second, early: false };
    assert.equal(await store.claimOne('task', ACME, task.id, lease), null);
    const taken = await claimed(store, task.id, second, T0 + LEASE_MS);
    assert.equal(taken.claims, 2);
    assert.deepEqual(await store.commit(finishing(finishTask(slow), first)), { kind: 'stale' });
    assert.equal(await counterOf(store, 'runs'), '0');
    assert.deepEqual(await store.find('task', ACME, task.id), taken);
    await commit(store, finishing(finishTask(taken), second));
  },

  async 'finishes a task once: a second call with the same lease is stale'(store) {
    const task = aTask();
    await commit(store, making(task));
    const token = aUuid();
    const leased = await claimed(store, task.id, token);
    await commit(store, finishing(finishTask(leased), token));
    assert.deepEqual(await store.commit(finishing(finishTask(leased), token)), { kind: 'stale' });
    assert.equal(Number(await counterOf(store, 'runs')), 1);
  },

  async "lets only its creator's lease finish a task that was created leased, until it expires"(store) {
    const token = aUuid();
    const task = aLeasedTask(token);
    await commit(store, making(task));
    assert.deepEqual(await store.claim('task', request()), []);
    assert.deepEqual(await store.commit(finishing(finishTask(task), aUuid())), { kind: 'stale' });
    const lapsed = T0 + TASK_LEASE;
    assert.deepEqual(await store.nextDue('test'), { kind: 'task', id: task.id, mode: 'test', dueAt: lapsed });
    assert.deepEqual(await store.claim('task', request({ now: nowIn(lapsed - 1) })), []);
    assert.equal((await store.claim('task', request({ now: nowIn(lapsed) })))[0]?.claims, 2);
    assert.deepEqual(await store.commit(finishing(finishTask(task), token)), { kind: 'stale' });
  },

  async 'returns a task again at the time its retry or postponement names, not before'(store) {
    const task = aTask();
    await commit(store, making(task));
    const [first, second] = [aUuid(), aUuid()];
    const retried = retryTask(await claimed(store, task.id, first), T0);
    await commit(store, finishing(retried, first));
    assert.deepEqual(await store.find('task', ACME, task.id), retried);
    assert.deepEqual(await store.claim('task', request({ now: nowIn(retried.dueAt - 1) })), []);
    const postponed = postponeTask(await claimed(store, task.id, second, retried.dueAt), T0 + HOUR);
    await commit(store, finishing(postponed, second));
    assert.deepEqual(await store.nextDue('test'), { kind: 'task', id: task.id, mode: 'test', dueAt: T0 + HOUR });
    assert.equal((await store.claim('task', request({ now: nowIn(T0 + HOUR) }))).length, 1);
  },

  async 'never claims a parked task'(store) {
    const task = aTask();
    await commit(store, making(task));
    const token = aUuid();
    await commit(store, finishing(parkTask(await claimed(store, task.id, token)), token));
    assert.deepEqual(await store.claim('task', request({ now: nowIn(T0 + HOUR) })), []);
    assert.equal(
      await store.claimOne('task', ACME, task.id, { now: T0 + HOUR, leaseMs: LEASE_MS, token: aUuid(), early: true }),
      null,
    );
    assert.equal((await store.find('task', ACME, task.id))?.status, 'parked');
    assert.equal(await store.nextDue('test'), null);
  },
});
