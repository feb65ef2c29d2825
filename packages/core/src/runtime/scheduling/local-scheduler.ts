import { SWEEP_MS, type Scheduler, type WakeHint } from '../../ports/scheduler.js';
import { Alarm } from './alarm.js';
import { atMost } from './at-most.js';
import { DueCalls } from './due-calls.js';
import { reportToStderr } from '../telemetry/stderr-telemetry.js';
import { systemTimers, type Timers } from './timers.js';

/** Who is notified of failures, and which timers are used. */
export interface LocalSchedulerOptions {
  /** Hears what `onDue` threw; the next call comes all the same. Without one, stderr does. */
  readonly onError?: (error: unknown) => void;
  readonly timers?: Timers;
}

/**
 * An alarm clock for one process. Hints do not survive it; the sweep of the next one finds the work. Adapters that carry wake-ups between
 * processes keep one of these and wake it with what they hear.
 */
export function localScheduler({
  onError = reportToStderr('the scheduler could not run due work and will retry'),
  timers = systemTimers,
}: LocalSchedulerOptions = {}): Scheduler {
  const calls = new DueCalls(onError);
  const alarm = new Alarm(() => calls.ring(), { silentAtMostMs: SWEEP_MS, timers });
  let state: 'made' | 'started' | 'closed' = 'made';
  return {
    wake(hints: readonly WakeHint[]) {
      if (state !== 'closed') for (const { delayMs } of hints) alarm.set(delayMs);
    },
    async start(onDue) {
      if (state !== 'made') throw new Error('A scheduler can be started only once; create a new one.');
      state = 'started';
      calls.start(onDue);
      alarm.start();
    },
    async close(graceMs) {
      state = 'closed';
      alarm.stop();
      await atMost(graceMs, calls.stop(), timers);
    },
  };
}
