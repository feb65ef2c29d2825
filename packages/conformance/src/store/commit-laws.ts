import assert from 'node:assert/strict';
import { cancel, finishTask, type Session } from '@gateramp/core/domain';
import { emptyChange, type Change, type CommitOutcome, type Store } from '@gateramp/core/ports';
import { ACME, T0, aLeasedTask, aPurchase, aSession, aTask, aUuid, anEndpoint } from '../builders.js';
import { aKeyUse, beginning, claim, creation, insert, sessionCreation, transition, update } from '../changes.js';
import { commit, storeTopic } from './store-subject.js';
import { counterOf } from './queries.js';

const EXPIRES = T0 + 1_000_000;

/** Adds effects beyond the rows of a change, to show that a refused change leaves none of them. */
function fullOf(change: Change): { readonly change: Change; readonly traces: Traces } {
  const passenger = creation(aSession());
  const task = aTask();
  const ref = aKeyUse();
  const mark = `mark/${aUuid()}`;
  const counter = `counter/${aUuid()}`;
  return {
    change: {
      ...change,
      idempotency: change.idempotency ?? claim(ref, 'reply', EXPIRES),
      once: [...change.once, mark],
      sessions: [...change.sessions, ...passenger.sessions],
      events: [...change.events, ...passenger.events],
      deliveries: [...change.deliveries, ...passenger.deliveries],
      tasks: [...change.tasks, task],
      counters: [...change.counters, { name: counter, delta: '1', atLeast: null }],
    },
    traces: { passenger, taskId: task.id, ref, mark, counter },
  };
}

interface Traces {
  readonly passenger: Change;
  readonly taskId: string;
  readonly ref: ReturnType<typeof aKeyUse>;
  readonly mark: string;
  readonly counter: string;
}

async function leftNoTrace(store: Store, { passenger, taskId, ref, mark, counter }: Traces): Promise<void> {
  for (const { row } of passenger.sessions)
    assert.equal(await store.find('session', ACME, row.id), null, 'a session stayed');
  for (const event of passenger.events)
    assert.equal(await store.find('event', ACME, event.id), null, 'an event stayed');
  for (const { row } of passenger.deliveries)
    assert.equal(await store.find('delivery', ACME, row.id), null, 'a delivery stayed');
  assert.equal(await store.find('task', ACME, taskId), null, 'a task stayed');
  assert.equal(await store.findReply(ref, T0), null, 'an idempotency key stayed');
  assert.equal(await counterOf(store, counter), '0', 'a counter moved');
  await commit(store, { ...emptyChange(ACME, T0), once: [mark] });
}

async function refusesWhole(store: Store, change: Change, expected: CommitOutcome): Promise<void> {
  const { change: full, traces } = fullOf(change);
  assert.deepEqual(await store.commit(full), expected);
  await leftNoTrace(store, traces);
}

/** A session whose stored version is newer than the returned one. */
async function movedOn(store: Store): Promise<Session> {
  const { session, change } = sessionCreation();
  await commit(store, change, beginning(session, aPurchase(session, T0), T0));
  return session;
}

function cancelling(session: Session, now = T0): Change {
  return transition(session, cancel(session)._unsafeUnwrap(), now);
}

export const commitLaws = storeTopic('Store: commits', {
  async 'applies every part of a change'(store) {
    await store.save('endpoint', anEndpoint());
    const { change, traces } = fullOf(emptyChange(ACME, T0));
    await commit(store, change);
    for (const { row } of traces.passenger.sessions) assert.deepEqual(await store.find('session', ACME, row.id), row);
    for (const event of traces.passenger.events) assert.deepEqual(await store.find('event', ACME, event.id), event);
    for (const { row } of traces.passenger.deliveries) {
      assert.deepEqual(await store.find('delivery', ACME, row.id), { delivery: row, attempts: [] });
    }
    assert.equal((await store.find('task', ACME, traces.taskId))?.status, 'pending');
    assert.deepEqual(await store.findReply(traces.ref, T0), { kind: 'replay', reply: 'reply' });
    assert.equal(await counterOf(store, traces.counter), '1');
  },

  async 'stores a purchase exactly as decided'(store) {
    const { session, change } = sessionCreation();
    const purchase = aPurchase(session, T0);
    await commit(store, change, beginning(session, purchase, T0));
    assert.deepEqual(await store.find('session', ACME, session.id), { ...purchase.session, version: 2 });
    assert.deepEqual(await store.find('intent', ACME, purchase.intent.id), purchase.intent);
    assert.deepEqual(await store.find('transaction', ACME, purchase.transaction.refid), purchase.transaction);
  },

  async 'refuses the whole change on a version conflict, and stores none of its events'(store) {
    const session = await movedOn(store);
    await refusesWhole(store, cancelling(session), { kind: 'stale' });
    assert.equal((await store.find('session', ACME, session.id))?.status, 'open');
    assert.deepEqual(
      (await store.list('session_event', ACME, session.id)).map((event) => event.type),
      ['gate_session.created'],
    );
  },

  async 'refuses the whole change on a version conflict of an intent or transaction'(store) {
    const { session, change } = sessionCreation();
    const { intent, transaction } = aPurchase(session, T0);
    await commit(store, change, {
      ...emptyChange(ACME, T0),
      intents: [insert(intent)],
      transactions: [insert(transaction)],
    });
    await commit(store, {
      ...emptyChange(ACME, T0),
      intents: [update(intent, intent)],
      transactions: [update(transaction, transaction)],
    });
    await refusesWhole(store, { ...emptyChange(ACME, T0), intents: [update(intent, intent)] }, { kind: 'stale' });
    await refusesWhole(
      store,
      { ...emptyChange(ACME, T0), transactions: [update(transaction, transaction)] },
      { kind: 'stale' },
    );
  },

  async 'refuses an update of an absent row as stale'(store) {
    const { session } = sessionCreation();
    await refusesWhole(store, { ...emptyChange(ACME, T0), sessions: [update(session, session)] }, { kind: 'stale' });
    assert.equal(await store.find('session', ACME, session.id), null);
  },

  async 'refuses a new row with an existing id as stale'(store) {
    const { session, change } = sessionCreation();
    const purchase = aPurchase(session, T0);
    const task = aTask();
    await commit(store, change, beginning(session, purchase, T0), { ...emptyChange(ACME, T0), tasks: [task] });
    const copies: readonly Partial<Change>[] = [
      { sessions: [insert(session)] },
      { intents: [insert(purchase.intent)] },
      { transactions: [insert(purchase.transaction)] },
      { events: change.events },
      { deliveries: change.deliveries },
      { tasks: [task] },
    ];
    for (const copy of copies) await refusesWhole(store, { ...emptyChange(ACME, T0), ...copy }, { kind: 'stale' });
  },

  async 'refuses the whole change when one of several versions conflicts'(store) {
    const stale = await movedOn(store);
    const { session: fresh, change } = sessionCreation();
    await commit(store, change);
    const sessions = [update(fresh, { ...fresh, userReference: 'changed' }), update(stale, stale)];
    await refusesWhole(store, { ...emptyChange(ACME, T0), sessions }, { kind: 'stale' });
    assert.deepEqual(await store.find('session', ACME, fresh.id), fresh);
  },

  async 'refuses a mark that is already set as duplicate, and leaves no trace'(store) {
    await commit(store, { ...emptyChange(ACME, T0), once: ['provider/event-1'] });
    const again = { ...emptyChange(ACME, T0), once: ['provider/event-1'] };
    await refusesWhole(store, again, { kind: 'duplicate', mark: 'provider/event-1' });
  },

  async 'refuses a change as duplicate when any of its marks is set'(store) {
    await commit(store, { ...emptyChange(ACME, T0), once: ['second'] });
    const change = { ...emptyChange(ACME, T0), once: ['first', 'second'] };
    await refusesWhole(store, change, { kind: 'duplicate', mark: 'second' });
    await commit(store, { ...emptyChange(ACME, T0), once: ['first'] });
  },

  async 'refuses a reservation below its guard as insufficient, and leaves no trace'(store) {
    await commit(store, { ...emptyChange(ACME, T0), counters: [{ name: 'pool', delta: '10', atLeast: null }] });
    const change = { ...emptyChange(ACME, T0), counters: [{ name: 'pool', delta: '-10.01', atLeast: '0' }] };
    await refusesWhole(store, change, { kind: 'insufficient', counter: 'pool' });
    assert.equal(Number(await counterOf(store, 'pool')), 10);
  },

  async "refuses the whole change when a task's lease was lost"(store) {
    const task = aLeasedTask(aUuid());
    await commit(store, { ...emptyChange(ACME, T0), tasks: [task] });
    const change = { ...emptyChange(ACME, T0), finishes: [{ row: finishTask(task), leaseToken: aUuid() }] };
    await refusesWhole(store, change, { kind: 'stale' });
    assert.equal((await store.find('task', ACME, task.id))?.status, 'pending');
  },

  async 'refuses the whole change when its key replays'(store) {
    const ref = aKeyUse();
    await commit(store, { ...emptyChange(ACME, T0), idempotency: claim(ref, 'first', EXPIRES) });
    const { change, traces } = fullOf({ ...emptyChange(ACME, T0), idempotency: claim(ref, 'second', EXPIRES) });
    assert.deepEqual(await store.commit(change), { kind: 'replay', reply: 'first' });
    await leftNoTrace(store, traces);
  },

  async 'checks the key before marks, marks before versions, versions before counters'(store) {
    const stale = await movedOn(store);
    const ref = aKeyUse();
    await commit(store, { ...emptyChange(ACME, T0), idempotency: claim(ref, 'reply', EXPIRES), once: ['taken'] });
    const counters = [{ name: 'empty', delta: '-1', atLeast: '0' }];
    const everythingWrong: Change = {
      ...cancelling(stale),
      idempotency: claim(ref, 'other', EXPIRES),
      once: ['taken'],
      counters,
    };
    assert.deepEqual(await store.commit(everythingWrong), { kind: 'replay', reply: 'reply' });
    assert.deepEqual(await store.commit({ ...everythingWrong, idempotency: null }), {
      kind: 'duplicate',
      mark: 'taken',
    });
    assert.deepEqual(await store.commit({ ...everythingWrong, idempotency: null, once: [] }), { kind: 'stale' });
    assert.deepEqual(await store.commit({ ...emptyChange(ACME, T0), counters }), {
      kind: 'insufficient',
      counter: 'empty',
    });
  },

  async 'commits a change that does nothing'(store) {
    await commit(store, emptyChange(ACME, T0));
  },

  async 'finishes a task and moves its session in one commit'(store) {
    const token = aUuid();
    const task = aLeasedTask(token);
    const { session, change } = sessionCreation();
    await commit(store, { ...change, tasks: [task] });
    await commit(store, { ...cancelling(session), finishes: [{ row: finishTask(task), leaseToken: token }] });
    assert.equal((await store.find('task', ACME, task.id))?.status, 'done');
    assert.equal((await store.find('session', ACME, session.id))?.status, 'cancelled');
  },
});
