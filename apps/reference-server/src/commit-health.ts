import { isOutage, type Store } from '@gateramp/core/ports';

/** The number of consecutive failures that a single slow statement cannot explain. */
const FAILURES_MIN = 3;
/** After this time without commits, only the probe decides. */
const COUNTS_FOR_MS = 5_000;

/** Whether commits of this process fail, according to recent commits. */
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
