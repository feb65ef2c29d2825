import type { Task } from '../../domain/task.js';
import type { Change } from '../../ports/change.js';

/** The end of a run as part of a change, with the task's next state. Nothing is written if another worker has taken the lease. */
export function finishing(next: Task, { leaseToken }: Task): Change['finishes'] {
  if (leaseToken === null) throw new Error('A task needs a lease to be run.');
  return [{ row: next, leaseToken }];
}
