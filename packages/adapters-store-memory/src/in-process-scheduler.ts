import type { Scheduler } from '@gateramp/core/ports';
import { localScheduler, type LocalSchedulerOptions } from '@gateramp/core/runtime';

/** An alarm clock for one process: all that a memory store needs, as no other process can see its rows. */
export function inProcessScheduler(options: LocalSchedulerOptions = {}): Scheduler {
  return localScheduler(options);
}
