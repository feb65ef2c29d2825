import assert from 'node:assert/strict';
import type { Change, Store } from '@gateramp/core/ports';
import type { Law } from '../law.js';

/** How the laws get at a store. */
export interface StoreSubject {
  /** A fresh, empty store each time, so laws may run in any order and side by side. */
  create(): Promise<{ readonly store: Store; readonly close: () => Promise<void> }>;
  /** Random histories the model law tries, each on a store of its own; 40 unless told. */
  readonly modelRuns?: number;
}

/** Laws of one topic over a fresh store each. */
export function storeTopic(
  topic: string,
  laws: Readonly<Record<string, (store: Store) => Promise<void>>>,
): readonly Law<StoreSubject>[] {
  return Object.entries(laws).map(([title, check]) => ({ topic, title, run: (subject) => withStore(subject, check) }));
}

/** Runs `use` on a fresh store and closes it whatever happens. */
export async function withStore(subject: StoreSubject, use: (store: Store) => Promise<void>): Promise<void> {
  const { store, close } = await subject.create();
  try {
    await use(store);
  } finally {
    await close();
  }
}

/** Commits what the example needs and nothing doubts. */
export async function commit(store: Store, ...changes: readonly Change[]): Promise<void> {
  for (const change of changes) assert.deepEqual(await store.commit(change), { kind: 'committed' });
}
