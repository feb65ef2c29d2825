import type { OverdueWatch } from '../application/work/overdue-watch.js';
import type { Scheduler } from '../ports/scheduler.js';

/** Every commit that leaves something to do wakes the scheduler: the watch then checks whether any process works. */
export function watchedScheduler(scheduler: Scheduler, watch: OverdueWatch): Scheduler {
  return {
    wake: (hints) => {
      watch.look();
      scheduler.wake(hints);
    },
    start: (onDue) => scheduler.start(onDue),
    close: (graceMs) => scheduler.close(graceMs),
  };
}
