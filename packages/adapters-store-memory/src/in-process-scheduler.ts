import type { Scheduler } from '@gateramp/core/ports';
import { localScheduler, type LocalSchedulerOptions } from '@gateramp/core/runtime';

/** A scheduler for one process: sufficient for a memory store, since no other process can see its rows. */
export function inProcessScheduler(options: LocalSchedulerOptions = {}): Scheduler {
  return localScheduler(options);
}
