import type { Scheduler } from '@gateramp/core/ports';

/** A scheduler that never wakes: in unit tests, time moves and work runs when the test says so. */
export function stillScheduler(): Scheduler {
  return {
    wake: () => undefined,
    start: () => Promise.resolve(),
    close: () => Promise.resolve(),
  };
}
