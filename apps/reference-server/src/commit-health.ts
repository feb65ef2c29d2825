import { isOutage, type Store } from '@gateramp/core/ports';

/** So many in a row are no single slow statement. */
const FAILURES_MIN = 3;
/** Without traffic the probe decides alone after this. */
const COUNTS_FOR_MS = 5_000;

/** Whether this process's commits fail, as they show it. */
interface CommitHealth {
  readonly isFailing: () => boolean;
  /** The same store, with the outcome of recent commits recorded. */
  readonly watching: (store: Store) => Store;
}

export function commitHealth(now: () => number = () => performance.now()): CommitHealth {
  let failures = 0;
  let failedAt = -Infinity;
  return {
    isFailing: () => failures >= FAILURES_MIN && now() - failedAt < COUNTS_FOR_MS,
    watching: (store) => ({
      ...store,
      commit: async (change) => {
        try {
          const outcome = await store.commit(change);
          failures = 0;
          return outcome;
        } catch (error) {
          if (isOutage(error)) {
            failures += 1;
            failedAt = now();
          }
          throw error;
        }
      },
    }),
  };
}
