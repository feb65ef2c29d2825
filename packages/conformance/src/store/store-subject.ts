import assert from 'node:assert/strict';
import type { Change, Store } from '@gateramp/core/ports';
import type { Law } from '../law.js';
import type { ModelRun } from './model/model-run.js';
import { witnessed } from './witness.js';

/** How the laws get at a store. */
export interface StoreSubject {
  /** A fresh, empty store each time, so laws may run in any order and side by side. */
  create(): Promise<StoreOnTrial>;
  /** A store whose database cannot be reached. One that is durable has to have it; in memory there is nothing to lose. */
  readonly unreachable?: () => Promise<OpenStore>;
  /** How the law over random histories is played. */
  readonly model?: ModelRun;
}

/** A store that is open, and how to close it. */
export interface OpenStore {
  readonly store: Store;
  readonly close: () => Promise<void>;
}

/** A fresh store, and how to open what it holds once more. */
export interface StoreOnTrial extends OpenStore {
  /**
   * Opens what is stored once more, over connections of its own, as another process would, or the next one. A durable store has to have it.
   */
  readonly reopen?: () => Promise<OpenStore>;
  /**
   * Makes the database refuse every write of a delivery, such as by a trigger that raises an error, until the function it returns is
   * called. Rows of other kinds are still written, so a commit fails midway. A durable store has to have it.
   */
  readonly breakWrites?: () => Promise<() => Promise<void>>;
}

/** Laws of one topic over a fresh store each. */
export function storeTopic(
  topic: string,
  laws: Readonly<Record<string, (store: Store) => Promise<void>>>,
): readonly Law<StoreSubject>[] {
  return Object.entries(laws).map(([title, check]) => ({
    topic,
    title,
    run: (subject) => withStore(subject, check, title),
  }));
}

/** Runs `use` on a fresh store and closes it whatever happens. A failure says what the store was asked last, and what it answered. */
export async function withStore(
  subject: StoreSubject,
  use: (store: Store) => Promise<void>,
  promise: string | null = null,
): Promise<void> {
  const { store, close } = await subject.create();
  const witness = witnessed(store);
  try {
    await use(witness.store);
  } catch (error) {
    throw witness.explain(error, promise);
  } finally {
    await close();
  }
}

/** Commits what the example needs and nothing doubts. */
export async function commit(store: Store, ...changes: readonly Change[]): Promise<void> {
  for (const change of changes) assert.deepEqual(await store.commit(change), { kind: 'committed' });
}
