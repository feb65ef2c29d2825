import assert from 'node:assert/strict';
import {
  type AuditEntry,
  DAY,
  type Delivery,
  holdDelivery,
  MINUTE,
  parkDelivery,
  parkTask,
  finishTask,
  recordDeliveryAttempt,
  retryTask,
  type Scope,
  SECOND,
  type Task,
} from '@gateramp/core/domain';
import { DUE_TASKS_MAX, emptyChange, type OperatorReads, type ScopeMarks, type Store } from '@gateramp/core/ports';
import {
  ACME,
  ACME_LIVE,
  aDelivery,
  anEndpoint,
  aPartnerEvent,
  aPurchase,
  aSession,
  aTask,
  BOLT,
  POLICY,
  T0,
} from './builders.js';
import { beginning, creation, eventOnly, update } from './changes.js';
import { lawsOnTrial, type Law } from './law.js';

/** The operators' reads of unfinished work under test, in a database. */
export interface UnfinishedWorkSubject {
  /** New and empty each time. */
  create(): Promise<UnfinishedWorkOnTrial>;
}

/** The reads, and the store that shares their database. */
export interface UnfinishedWorkOnTrial {
  readonly work: OperatorReads;
  readonly store: Store;
  readonly close: () => Promise<void>;
}

const NOW = T0 + MINUTE;

/** The laws of the operators' reads of unfinished work. */
export const unfinishedWorkLaws: readonly Law<UnfinishedWorkSubject>[] = lawsOnTrial<UnfinishedWorkOnTrial>(
  'Store: unfinished work for operators',
  {
    async 'lists queued deliveries of all partners by due time, with their lane and lease'(trial) {
      const { work, store } = trial;
      const [late, soon, paused] = [
        await queue(trial, { at: T0 + 2 }),
        await queue(trial, { at: T0 + 1, scope: BOLT }),
        await queue(trial, { at: T0 }),
      ];
      await queue(trial, { at: T0, scope: ACME_LIVE });
      const held = await claimed(trial, paused.id);
      await store.recordDelivery({ leaseToken: 'token', next: holdDelivery(held), attempt: null });
      await claimed(trial, soon.id);
      const found = await work.queuedDeliveries('test', 10);
      assert.deepEqual(
        found.map(({ id, lane, leaseToken, claims }) => ({ id, lane, leaseToken, claims })),
        [
          { id: paused.id, lane: 'paused', leaseToken: null, claims: 0 },
          { id: soon.id, lane: 'first', leaseToken: 'token', claims: 1 },
          { id: late.id, lane: 'first', leaseToken: null, claims: 0 },
        ],
      );
      assert.deepEqual(
        (await work.queuedDeliveries('test', 1)).map(({ id }) => id),
        [paused.id, soon.id],
      );
    },
    async 'lists the queued deliveries of one partner in each lane, also leased ones and those for a consumer'(trial) {
      const { work } = trial;
      await queue(trial, { at: T0 });
      await queue(trial, { at: T0, target: 'consumer:a/b' });
      const leased = await queue(trial, { at: T0 + 1, scope: BOLT });
      const [, latest, consumed] = [
        await queue(trial, { at: T0 + 5, scope: BOLT }),
        await queue(trial, { at: T0 + 2, scope: BOLT }),
        await queue(trial, { at: T0 + 3, scope: BOLT, target: 'consumer:a/b' }),
      ];
      await claimed(trial, leased.id);
      assert.deepEqual(
        (await work.queuedDeliveries('test', 2, BOLT.partnerId)).map(({ id }) => id),
        [leased.id, latest.id, consumed.id],
      );
      assert.deepEqual(await work.queuedDeliveries('live', 2, BOLT.partnerId), []);
    },
    async 'omits delivered, dead-lettered and parked deliveries'(trial) {
      const { work, store } = trial;
      const [delivered, parked] = [await queue(trial, { at: T0 }), await queue(trial, { at: T0 })];
      const result = { url: null, startedAt: NOW, durationMs: 1, responseStatus: 200, responseBody: null, error: null };
      const { delivery, attempt } = recordDeliveryAttempt(await claimed(trial, delivered.id), result, NOW, POLICY);
      await store.recordDelivery({ leaseToken: 'token', next: delivery, attempt });
      const next = parkDelivery(await claimed(trial, parked.id), NOW);
      await store.recordDelivery({ leaseToken: 'token', next, attempt: null });
      assert.deepEqual(await work.queuedDeliveries('test', 10), []);
    },
    async 'returns the longest-due task of each kind that is not leased'({ work, store }) {
      const later = aTask({ at: T0 + 1 });
      const leased = aTask({ at: T0 });
      const oldest: Task = { ...aTask({ at: T0 + 2, dueAt: T0 }), kind: 'quota_check' };
      const future = aTask({ at: T0, dueAt: NOW + 1 });
      await store.commit({ ...emptyChange(ACME, T0), tasks: [later, aTask({ at: T0 + 5 }), leased, oldest, future] });
      await store.commit({ ...emptyChange(ACME_LIVE, T0), tasks: [aTask({ scope: ACME_LIVE })] });
      await store.claimOne('task', ACME, leased.id, { now: NOW, leaseMs: MINUTE, token: 'token', early: false });
      assert.deepEqual(await work.oldestTasks('test', NOW), { tasks: [oldest, later], hasMore: false });
      assert.deepEqual(await work.oldestTasks('test', T0 - 1), { tasks: [], hasMore: false });
    },
    async 'finds the oldest task of each kind among the first DUE_TASKS_MAX due ones, and reports whether more are due'({
      work,
      store,
    }) {
      const crowd = Array.from({ length: DUE_TASKS_MAX }, (_, nth) => aTask({ at: T0, dueAt: T0 + (nth % 7) }));
      const within: Task = { ...aTask({ at: T0, dueAt: T0 + 1 }), kind: 'quota_check' };
      const beyond: Task = { ...aTask({ at: T0, dueAt: T0 + 8 }), kind: 'hold_alarm' };
      const first = crowd.find(({ dueAt }) => dueAt === T0);
      await store.commit({ ...emptyChange(ACME, T0), tasks: crowd });
      assert.deepEqual(await work.oldestTasks('test', NOW), { tasks: [first], hasMore: false });
      await store.commit({ ...emptyChange(ACME, T0), tasks: [within, beyond] });
      assert.deepEqual(await work.oldestTasks('test', NOW), { tasks: [first, within], hasMore: true });
    },
    async 'lists only parked, failed and overdue tasks, oldest first'({ work, store }) {
      const [parked, failed, overdue, done] = [0, 1, 2, 3].map((n) => aTask({ at: T0 + n }));
      assert.ok(parked && failed && overdue && done);
      const scheduled = aTask({ at: T0, dueAt: NOW + MINUTE });
      await store.commit({ ...emptyChange(ACME, T0), tasks: [parked, failed, overdue, done, scheduled] });
      await finish(store, parked.id, parkTask);
      await finish(store, failed.id, (task) => retryTask(task, NOW));
      await finish(store, done.id, finishTask);
      const found = await work.stuckTasks('test', T0 + SECOND, 10);
      assert.deepEqual(
        found.map(({ id, status, failures }) => ({ id, status, failures })),
        [
          { id: parked.id, status: 'parked', failures: 0 },
          { id: failed.id, status: 'pending', failures: 1 },
          { id: overdue.id, status: 'pending', failures: 0 },
        ],
      );
      const ids = async (dueBefore: number, limit: number) =>
        (await work.stuckTasks('test', dueBefore, limit)).map(({ id }) => id);
      assert.deepEqual(await ids(T0, 10), [parked.id, failed.id]);
      assert.deepEqual(await ids(T0 + SECOND, 2), [parked.id, failed.id]);
      assert.deepEqual(await work.stuckTasks('live', T0 + SECOND, 10), []);
    },
    async 'lists each of many stuck tasks once: the first parked and failed ones, and those that have been due the longest'({
      work,
      store,
    }) {
      const late = [0, 1, 2].map((nth) => aTask({ at: T0 + nth, dueAt: T0 + 900 - nth }));
      const [parked, failed, failedLater] = [3, 4, 5].map((nth) => aTask({ at: T0 + nth, dueAt: T0 }));
      assert.ok(parked && failed && failedLater);
      await store.commit({ ...emptyChange(ACME, T0), tasks: [...late, parked, failed, failedLater] });
      await finish(store, parked.id, parkTask);
      for (const { id } of [failed, failedLater]) await finish(store, id, (task) => retryTask(task, NOW));
      const ids = async (dueBefore: number, limit: number) =>
        (await work.stuckTasks('test', dueBefore, limit)).map(({ id }) => id);
      const all = [...late, parked, failed, failedLater].map(({ id }) => id);
      assert.deepEqual(await ids(NOW * 2, 10), all);
      assert.deepEqual(await ids(T0 + SECOND, 10), all);
      assert.deepEqual(await ids(T0 + SECOND, 1), [late[2]?.id]);
      assert.deepEqual(await ids(T0 + SECOND, 2), [late[1]?.id, late[2]?.id]);
      assert.deepEqual(await ids(T0 + 900, 2), [late[1]?.id, late[2]?.id]);
    },
    async 'lists the parked tasks of a mode, oldest creation first, up to the limit, and no others'({ work, store }) {
      const [first, second, failed] = [0, 1, 2].map((nth) => aTask({ at: T0 + nth, dueAt: T0 }));
      const [done, due, elsewhere] = [3, 4, 5].map((nth) => aTask({ at: T0 + nth, dueAt: T0 }));
      assert.ok(first && second && failed && done && due && elsewhere);
      await store.commit({ ...emptyChange(ACME, T0), tasks: [second, failed, done, due, first] });
      const other = { ...aTask({ scope: BOLT, at: T0 + 6, dueAt: T0 }) };
      await store.commit({ ...emptyChange(BOLT, T0), tasks: [other] });
      for (const { id } of [second, first]) await finish(store, id, parkTask);
      await finish(store, failed.id, (task) => retryTask(task, NOW));
      await finish(store, done.id, finishTask);
      const ids = async (limit: number, partnerIds?: readonly string[]) =>
        (await work.parkedTasks('test', limit, partnerIds)).map(({ id }) => id);
      assert.deepEqual(await ids(10), [first.id, second.id]);
      assert.deepEqual(await ids(1), [first.id]);
      assert.deepEqual(await work.parkedTasks('live', 10), []);
      await finish(store, other.id, parkTask, BOLT);
      assert.deepEqual(await ids(10), [first.id, second.id, other.id]);
      assert.deepEqual(await ids(1, [BOLT.partnerId]), [other.id], 'parked tasks of other partners do not count');
      assert.deepEqual(await ids(10, [BOLT.partnerId, ACME.partnerId]), [first.id, second.id, other.id]);
      assert.deepEqual(await ids(10, []), []);
    },
    async 'counts the dead letters of each scope, up to the limit, and no other deliveries'(trial) {
      const { work, store } = trial;
      const result = { url: null, startedAt: NOW, durationMs: 1, responseStatus: 500, responseBody: null, error: null };
      const bury = async (scope: Scope): Promise<void> => {
        let delivery = await queue(trial, { at: T0, scope });
        for (let now = NOW; delivery.status !== 'dead_lettered'; now += DAY) {
          const token = String(now);
          const lease = { now, leaseMs: MINUTE, token };
          const claimed = await store.claimOne('delivery', scope, delivery.id, lease);
          assert.ok(claimed !== null);
          const { delivery: next, attempt } = recordDeliveryAttempt(claimed.delivery, result, now, POLICY);
          assert.equal(await store.recordDelivery({ leaseToken: token, next, attempt }), 'recorded');
          delivery = next;
        }
      };
      for (const scope of [ACME, ACME, ACME, BOLT]) await bury(scope);
      await queue(trial, { at: T0 });
      const scopes = [BOLT, ACME_LIVE, ACME];
      assert.deepEqual(await work.countDeadLetters(scopes, 10), [1, 0, 3]);
      assert.deepEqual(await work.countDeadLetters(scopes, 2), [1, 0, 2]);
      assert.deepEqual(await work.countDeadLetters([], 2), []);
    },
    async 'lists held sessions, longest hold first'({ work, store }) {
      const hold = async (at: number, since: number) => {
        const made = aSession({ at });
        await store.commit(creation(made));
        const purchase = aPurchase(made.session, since);
        await store.commit(beginning(made.session, purchase, since));
        return made.session.id;
      };
      const [second, first] = [await hold(T0, T0 + 9), await hold(T0 + 1, T0 + 8)];
      await store.commit(creation(aSession({ at: T0 })));
      const found = await work.heldSessions('test', 10);
      assert.deepEqual(
        found.map(({ id, heldSince }) => [id, heldSince]),
        [
          [first, T0 + 8],
          [second, T0 + 9],
        ],
      );
      assert.deepEqual(
        (await work.heldSessions('test', 1)).map(({ id }) => id),
        [second],
        'the first one that was created',
      );
      assert.deepEqual(await work.heldSessions('live', 10), []);
    },
    async 'changes the marks of the scope of a new event, and of no other'(trial) {
      const before = await marksOf(trial);
      const event = aPartnerEvent(ACME, T0);
      await trial.store.commit({ ...eventOnly(event), deliveries: [] });
      const after = await marksOf(trial);
      assert.deepEqual(changedIn(before, after), [['events'], [], []]);
      assert.equal(after[0]?.events, event.id);
    },
    async 'changes the marks when a delivery is queued, attempted or parked, but not when it is claimed'(trial) {
      const { store } = trial;
      const marks = [await marksOf(trial)];
      const next = async (): Promise<readonly string[][]> => {
        marks.push(await marksOf(trial));
        return changedIn(marks.at(-2) ?? [], marks.at(-1) ?? []);
      };
      const { id } = await queue(trial, { at: T0 });
      assert.deepEqual(await next(), [['events', 'deliveries'], [], []]);
      const delivery = await claimed(trial, id);
      assert.deepEqual(await next(), [[], [], []]);
      const result = { url: null, startedAt: NOW, durationMs: 1, responseStatus: 500, responseBody: null, error: null };
      const failed = recordDeliveryAttempt(delivery, result, NOW, POLICY);
      await store.recordDelivery({ leaseToken: 'token', next: failed.delivery, attempt: failed.attempt });
      assert.deepEqual(await next(), [['deliveries'], [], []]);
      const again = await store.claimOne('delivery', { mode: ACME.mode }, id, {
        now: NOW * 2,
        leaseMs: MINUTE,
        token: 'token',
      });
      assert.ok(again);
      await store.recordDelivery({ leaseToken: 'token', next: parkDelivery(again.delivery, NOW * 2), attempt: null });
      assert.deepEqual(await next(), [['deliveries'], [], []]);
    },
    async 'changes the marks of work when a session is held or a task parked, and reads them only if requested'(trial) {
      const { work, store } = trial;
      const read = async () => (await work.marks({ scopes: [], work: true })).work;
      const first = await read();
      const made = aSession();
      await store.commit(creation(made));
      assert.equal(await read(), first);
      await store.commit(beginning(made.session, aPurchase(made.session, T0), T0));
      const held = await read();
      assert.notEqual(held, first);
      const task = aTask();
      await store.commit({ ...emptyChange(ACME, T0), tasks: [task] });
      await finish(store, task.id, parkTask);
      assert.notEqual(await read(), held);
      assert.equal((await work.marks({ scopes: [ACME], work: false })).work, null);
    },
    async 'changes the marks of work when one session is held and another released in the meantime'({ work, store }) {
      const read = async () => (await work.marks({ scopes: [], work: true })).work;
      const [first, second] = [aSession(), aSession()];
      for (const made of [first, second]) await store.commit(creation(made));
      const purchase = aPurchase(first.session, T0);
      await store.commit(beginning(first.session, purchase, T0));
      const before = await read();
      await store.commit(beginning(second.session, aPurchase(second.session, T0), T0));
      const held = { ...purchase.session, version: first.session.version + 1 };
      const released = { ...emptyChange(ACME, T0), sessions: [update(held, { ...held, heldSince: null })] };
      assert.deepEqual(await store.commit(released), { kind: 'committed' });
      assert.notEqual(await read(), before);
    },
    async 'marks the newest audit entry of the installation, and of each scope the newest of its partner in its mode or both'(
      trial,
    ) {
      const { work, store } = trial;
      const read = async () => {
        const { audit, scopes } = await work.marks({ scopes: PLACES, work: false });
        return [audit, ...scopes.map(({ settings }) => settings)];
      };
      assert.deepEqual(await read(), [0, 0, 0, 0]);
      let head: string | null = null;
      const append = async (entry: AuditEntry): Promise<void> => {
        const audit = { expectedHead: head, head: `head ${entry.sequence}`, entries: [entry] };
        assert.deepEqual(await store.commit({ ...emptyChange(ACME, T0), audit }), { kind: 'committed' });
        head = audit.head;
      };
      await append(anEntry(1, { partnerId: ACME.partnerId, mode: null }));
      assert.deepEqual(await read(), [1, 1, 1, 0]);
      await append(anEntry(2, ACME_LIVE));
      assert.deepEqual(await read(), [2, 1, 2, 0]);
      await append(anEntry(3, { partnerId: null, mode: null }));
      assert.deepEqual(await read(), [3, 1, 2, 0]);
    },
  },
);

const PLACES = [ACME, ACME_LIVE, BOLT] as const;

async function marksOf({ work }: UnfinishedWorkOnTrial): Promise<readonly ScopeMarks[]> {
  return (await work.marks({ scopes: PLACES, work: false })).scopes;
}

function changedIn(before: readonly ScopeMarks[], after: readonly ScopeMarks[]): readonly string[][] {
  return after.map((marks, index) =>
    (['events', 'deliveries', 'settings'] as const).filter((name) => marks[name] !== before[index]?.[name]),
  );
}

function anEntry(sequence: number, place: Pick<AuditEntry, 'partnerId' | 'mode'>): AuditEntry {
  return {
    sequence,
    id: `aud_${sequence}`,
    at: T0,
    actor: { type: 'host', id: 'law' },
    action: 'partner.save',
    target: { type: 'partner', id: 'any' },
    partnerId: place.partnerId,
    mode: place.mode,
    reason: null,
    requestId: null,
    beforeDigest: null,
    afterDigest: null,
    previousDigest: null,
    digest: `digest ${sequence}`,
  };
}

interface Queued {
  readonly at: number;
  readonly scope?: Scope;
  readonly target?: Delivery['target'];
}

async function queue({ store }: UnfinishedWorkOnTrial, { at, scope = ACME, target = 'webhook' }: Queued) {
  if ((await store.findEndpoint(scope)) === null) await store.save('endpoint', anEndpoint(scope));
  const event = aPartnerEvent(scope, at);
  const delivery = aDelivery(event, at, target);
  await store.commit(eventOnly(event, delivery));
  return delivery;
}

async function claimed({ store }: UnfinishedWorkOnTrial, id: string) {
  const found = await store.claimOne('delivery', { mode: ACME.mode }, id, {
    now: NOW,
    leaseMs: MINUTE,
    token: 'token',
  });
  assert.ok(found);
  return found.delivery;
}

async function finish(store: Store, id: string, next: (task: Task) => Task, scope: Scope = ACME): Promise<void> {
  const task = await store.claimOne('task', scope, id, { now: NOW, leaseMs: MINUTE, token: id, early: false });
  assert.ok(task);
  const change = { ...emptyChange(scope, NOW), finishes: [{ row: next(task), leaseToken: id }] };
  assert.deepEqual(await store.commit(change), { kind: 'committed' });
}
