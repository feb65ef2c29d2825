import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { emptyChange, PARTNERS_LAG_MAX_MS, type Change, type Store } from '@gateramp/core/ports';
import type { Law } from '../law.js';
import { ACME, T0, aDocument, aPurchase, aTask } from '../builders.js';
import { aKeyUse, claim, insert, sessionCreation } from '../changes.js';
import { REFUSED } from './delivery-laws.js';
import { LATER } from './due-deliveries.js';
import { durableLaw, ofTwo, withTwo, type DurableStore } from './several-processes.js';
import { commit, type StoreSubject } from './store-subject.js';
import {
  ADMINISTRATION,
  COMMITS,
  REMEMBERED,
  WORK,
  documentAsRead,
  recording,
  sessionAsRead,
  type Write,
  type Writes,
} from './writing-calls.js';

const POLL_MS = 20;

export const secondProcessLaws: readonly Law<StoreSubject>[] = [
  ofTwo('shows the writes of each kind of commit to another process immediately', (one, other) =>
    eachIsSeen(COMMITS, one, other),
  ),
  ofTwo('shows claims, results and reaped rows to another process immediately', (one, other) =>
    eachIsSeen(WORK, one, other),
  ),
  ofTwo('shows consumers, settings and uses of keys to another process immediately', (one, other) =>
    eachIsSeen(ADMINISTRATION, one, other),
  ),

  ofTwo("shows a process another one's changes to its own writes immediately", async (one, other) => {
    for (const writes of [COMMITS, WORK, ADMINISTRATION]) await eachIsSeen(writes, one, other, other);
  }),

  ofTwo(
    'returns partners, keys and endpoints at most 5 seconds older than another process saved them',
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
      // Concurrently: a store with a cache makes the law wait, and once is enough.
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

  durableLaw('keeps nothing of a commit that failed midway, and accepts its repetition', (trial) =>
    withTwo(trial, 'a commit that failed midway leaves nothing', async (one, other) => {
      for (const { change, read } of [everything(), aCreation()])
        await leavesNothing(trial, { write: () => commit(one, change), read }, one, other);
    }),
  ),

  durableLaw('keeps nothing of a result whose recording failed midway, and accepts its repetition', (trial) =>
    withTwo(trial, 'a recording that failed midway leaves nothing', async (one, other) =>
      leavesNothing(trial, await recording(one, REFUSED), one, other),
    ),
  ),
];

/** While the database refuses the write, the call throws and no process shows any of it; then the call is repeated. */
async function leavesNothing(trial: DurableStore, { write, read }: Write, one: Store, other: Store): Promise<void> {
  const before = await read(one);
  assert.deepEqual(await read(other), before);
  const mend = await trial.breakWrites();
  try {
    // An unexpected result is an assertion error, which is as wrong as an acknowledgement.
    const isThrown = (error: unknown): boolean => !(error instanceof assert.AssertionError);
    await assert.rejects(write(), isThrown, 'a write was answered that the database refused');
    assert.deepEqual(await read(one), before, 'the process that made it has kept something of a failed write');
    assert.deepEqual(await read(other), before, 'the database has kept something of a failed write');
  } finally {
    await mend();
  }
  assert.deepEqual(await read(one), before, 'a failed write was made later');
  await write();
  const after = await read(one);
  assertChanged(before, after, 'the call made again');
  assert.deepEqual(await read(other), after);
}

/** `one` prepares a call, `writer` makes it, and the other process sees its result. */
async function eachIsSeen(writes: Writes, one: Store, other: Store, writer: Store = one): Promise<void> {
  const reader = writer === one ? other : one;
  for (const [name, prepare] of Object.entries(writes)) {
    const { store, hand } = handedOver(one);
    const { write, read } = await prepare(store);
    const before = await read(reader);
    assert.deepEqual(await read(writer), before, `before ${name}, two processes read different things`);
    hand(writer);
    await write();
    const after = await read(writer);
    assertChanged(before, after, name);
    assert.deepEqual(await read(reader), after, `${name} is seen by the process that made it, and by no other`);
  }
}

/** A store that can be handed over from one process to another. */
function handedOver(first: Store): { readonly store: Store; readonly hand: (next: Store) => void } {
  let current = first;
  const get = (_: Store, name: string | symbol): unknown => Reflect.get(current, name);
  return { store: new Proxy(first, { get }), hand: (next) => (current = next) };
}

interface Committed {
  readonly change: Change;
  readonly read: Write['read'];
}

/** The commit of a create, for which a store may have a faster path. */
function aCreation(): Committed {
  const { session, change } = sessionCreation();
  const ref = aKeyUse();
  return {
    change: { ...change, idempotency: claim(ref, 'reply', LATER) },
    read: async (store) => [await store.findReply(ref, T0), ...(await sessionAsRead(store, session.id))],
  };
}

/** A commit of every kind of row, including the delivery, and a read of each. */
function everything(): Committed {
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
      await store.find('task', ACME, task.id),
      (await store.readCounters(ACME, ['midway'])).map(Number),
      await store.commit({
        ...emptyChange(ACME, T0),
        once: ['midway'],
        counters: [{ name: 'never', delta: '-1', atLeast: '0' }],
      }),
      await store.nextDue('test'),
    ],
  };
}

/** Compares every value separately: a stale one must not be hidden by one that has changed. */
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
