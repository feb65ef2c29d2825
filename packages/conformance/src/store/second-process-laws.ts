import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { emptyChange, PARTNERS_LAG_MAX_MS, type Change, type Store } from '@gateramp/core/ports';
import type { Law } from '../law.js';
import { ACME, T0, aDocument, aPurchase, aTask } from '../builders.js';
import { aKeyUse, claim, insert, sessionCreation } from '../changes.js';
import { REFUSED } from './delivery-laws.js';
import { LATER } from './due-deliveries.js';
import { durableLaw, ofTwo, withTwo } from './several-processes.js';
import { commit, type StoreSubject } from './store-subject.js';
import {
  ADMINISTRATION,
  COMMITS,
  REMEMBERED,
  WORK,
  documentAsRead,
  recording,
  sessionAsRead,
  type Writes,
} from './writing-calls.js';

const POLL_MS = 20;

export const secondProcessLaws: readonly Law<StoreSubject>[] = [
  ofTwo('shows another process at once what each kind of commit has written', (one, other) =>
    eachIsSeen(COMMITS, one, other),
  ),
  ofTwo('shows another process at once what was claimed, recorded and reaped', (one, other) =>
    eachIsSeen(WORK, one, other),
  ),
  ofTwo('shows another process at once consumers, settings and uses of keys', (one, other) =>
    eachIsSeen(ADMINISTRATION, one, other),
  ),

  ofTwo(
    'answers of partners, keys and endpoints are at most 5 seconds older than what another process saved',
    async (one, other) => {
      const pending = [];
      for (const [name, prepare] of Object.entries(REMEMBERED)) {
        const { write, read } = await prepare(one);
        const before = await read(other);
        assert.deepEqual(before, await read(one), `before ${name}, two processes read different things`);
        await write();
        const after = await read(one);
        assertChanged(before, after, name);
        pending.push({ name, read, after, until: performance.now() + PARTNERS_LAG_MAX_MS });
      }
      // All at once: a store that remembers makes the law wait, and once is enough.
      for (const { name, read, after, until } of pending) {
        let seen = await read(other);
        while (!isEqual(seen, after) && performance.now() < until) {
          await pause(POLL_MS);
          seen = await read(other);
        }
        assert.deepEqual(seen, after, `${name} is not seen by another process after ${PARTNERS_LAG_MAX_MS} ms`);
      }
    },
  ),

  durableLaw(
    'keeps nothing of a commit that failed midway, in any process, and takes it when it is made again',
    (trial) =>
      withTwo(trial, 'a commit that failed midway leaves nothing', async (one, other) => {
        const { change, read } = everything();
        const before = await read(one);
        assert.deepEqual(await read(other), before);
        const mend = await trial.breakWrites();
        try {
          await assert.rejects(one.commit(change), 'a commit was acknowledged whose delivery the database refused');
          assert.deepEqual(await read(one), before, 'the process that made it has kept something of a failed commit');
          assert.deepEqual(await read(other), before, 'the database has kept something of a failed commit');
        } finally {
          await mend();
        }
        assert.deepEqual(await read(one), before, 'a failed commit was written later');
        await commit(one, change);
        const after = await read(one);
        assertChanged(before, after, 'the call made again');
        assert.deepEqual(await read(other), after);
      }),
  ),

  durableLaw(
    'keeps nothing of a result whose recording failed midway, and takes it when it is recorded again',
    (trial) =>
      withTwo(trial, 'a recording that failed midway leaves nothing', async (one, other) => {
        const { write, read } = await recording(one, REFUSED);
        const before = await read(one);
        const mend = await trial.breakWrites();
        try {
          await assert.rejects(write(), 'a result was acknowledged that the database refused');
          assert.deepEqual(await read(one), before, 'the process has kept something of what it could not record');
          assert.deepEqual(await read(other), before, 'the database has kept something of a failed recording');
        } finally {
          await mend();
        }
        await write();
        const after = await read(one);
        assertChanged(before, after, 'the call made again');
        assert.deepEqual(await read(other), after);
      }),
  ),
];

async function eachIsSeen(writes: Writes, one: Store, other: Store): Promise<void> {
  for (const [name, prepare] of Object.entries(writes)) {
    const { write, read } = await prepare(one);
    const before = await read(other);
    assert.deepEqual(await read(one), before, `before ${name}, two processes read different things`);
    await write();
    const after = await read(one);
    assertChanged(before, after, name);
    assert.deepEqual(await read(other), after, `${name} is seen by the process that made it, and by no other`);
  }
}

/** A commit of every kind of row, the delivery among them, and what shows each. */
function everything(): { readonly change: Change; readonly read: (store: Store) => Promise<readonly unknown[]> } {
  const { session, change } = sessionCreation();
  const { intent, transaction } = aPurchase(session, T0);
  const [ref, task, document] = [aKeyUse(), aTask(), aDocument({ id: 'midway', noun: 'second' })];
  const [event] = change.events;
  const [delivery] = change.deliveries;
  assert.ok(event !== undefined && delivery !== undefined);
  return {
    change: {
      ...change,
      idempotency: claim(ref, 'reply', LATER),
      once: ['midway'],
      intents: [insert(intent)],
      transactions: [insert(transaction)],
      documents: [insert(document)],
      tasks: [task],
      counters: [{ name: 'midway', delta: '1', atLeast: null }],
    },
    read: async (store) => [
      await store.findReply(ref, T0),
      ...(await sessionAsRead(store, session.id)),
      await store.find('intent', ACME, intent.id),
      await store.find('transaction', ACME, transaction.refid),
      ...(await documentAsRead(store, document.id)),
      await store.find('event', ACME, event.id),
      await store.find('delivery', ACME, delivery.row.id),
      await store.find('task', 'test', task.id),
      (await store.readCounters(['midway'])).map(Number),
      await store.commit({
        ...emptyChange(ACME, T0),
        once: ['midway'],
        counters: [{ name: 'never', delta: '-1', atLeast: '0' }],
      }),
      await store.nextDue('test'),
    ],
  };
}

/** Each thing by itself: a reading that is never refreshed must not hide behind one that is. */
function assertChanged(before: readonly unknown[], after: readonly unknown[], name: string): void {
  for (const [nth, value] of after.entries())
    assert.notDeepEqual(value, before[nth], `after ${name}, its process reads what it read before`);
}

function isEqual(one: unknown, other: unknown): boolean {
  try {
    assert.deepEqual(one, other);
    return true;
  } catch {
    return false;
  }
}
