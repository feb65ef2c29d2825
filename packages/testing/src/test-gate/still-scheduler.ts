import type { Scheduler } from '@gateramp/core/ports';

/** A scheduler that never rings: in unit tests time moves, and work is done, when the test says so. */
export function stillScheduler(): Scheduler {
  return {
    wake: () => undefined,
    start: () => Promise.resolve(),
    close: () => Promise.resolve(),
  };
}
