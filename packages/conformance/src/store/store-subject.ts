import assert from 'node:assert/strict';
import type { Change, Store } from '@gateramp/core/ports';
import type { Law } from '../law.js';
import type { ModelRun } from './model/model-run.js';
import { witnessed } from './witness.js';

/** The store under test. */
export interface StoreSubject {
  /** A new, empty store each time, so that laws can run in any order and concurrently. */
  create(): Promise<StoreOnTrial>;
  /** A store whose database is unreachable. Required for a durable store; not applicable in memory. */
  readonly unreachable?: () => Promise<OpenStore>;
  /** Options for the law of random histories. */
  readonly model?: ModelRun;
}

/** An open store, and a way to close it. */
export interface OpenStore {
  readonly store: Store;
  readonly close: () => Promise<void>;
}

/** A new store, and a way to reopen its data. */
export interface StoreOnTrial extends OpenStore {
  /** Opens the stored data again over new connections, as another process would. Required for a durable store. */
  readonly reopen?: () => Promise<OpenStore>;
  /**
   * Makes the database refuse every write of a delivery, for example by a trigger that raises an error, until the returned function is
   * called. Rows of other kinds are still written, so a commit fails midway. Required for a durable store.
   */
  readonly breakWrites?: () => Promise<() => Promise<void>>;
}

/** Laws of one topic, each on a new store. */
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

/** Runs `use` on a new store, which is always closed. Failures include the last operations of the store and their results. */
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

/** Commits the setup of an example, which must succeed. */
export async function commit(store: Store, ...changes: readonly Change[]): Promise<void> {
  for (const change of changes) assert.deepEqual(await store.commit(change), { kind: 'committed' });
}
