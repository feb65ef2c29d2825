import { isOutage, type Store } from '@gateramp/core/ports';

/** The number of consecutive failures that a single slow statement cannot explain. */
const FAILURES_MIN = 3;
/** After this time without commits, only the probe decides. */
const COUNTS_FOR_MS = 5_000;

/** Whether commits of this process fail, according to recent commits. */
export interface CommitHealth {
  /** The last error while commits fail; null while they succeed. */
  readonly failure: () => unknown;
  /** Whether a commit has succeeded since then. */
  readonly hasSucceededSince: (instant: number) => boolean;
  /** The same store, with the outcome of recent commits recorded. */
  readonly watching: (store: Store) => Store;
}

export function commitHealth(now: () => number = () => performance.now()): CommitHealth {
  let failures = 0;
  let failed: { readonly at: number; readonly error: unknown } | null = null;
  let succeededAt = -Infinity;
  return {
    failure: () =>
      failed !== null && failures >= FAILURES_MIN && now() - failed.at < COUNTS_FOR_MS ? failed.error : null,
    hasSucceededSince: (instant) => succeededAt > instant,
    watching: (store) => ({
      ...store,
      commit: async (change) => {
        try {
          const outcome = await store.commit(change);
          failures = 0;
          succeededAt = now();
          return outcome;
        } catch (error) {
          if (isOutage(error)) {
            failures += 1;
            failed = { at: now(), error };
          }
          throw error;
        }
      },
    }),
  };
}
