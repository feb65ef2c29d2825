import type { Engine } from '../application/engine.js';
import { advanceClock, type Advanced } from '../application/test-helpers/advance-clock.js';
import type { OverdueWatch } from '../application/work/watchdogs.js';
import type { Worker } from '../application/work/worker.js';
import type { GatePorts } from './assemble.js';

/** What is due, done: by a worker that is started and stopped, or at once. */
export interface Work {
  /** Moves the test clock and runs what comes due on the way. Throws without one. */
  advanceTestClock(byMs: number): Promise<Advanced>;
  /** Opens the keyring and starts the worker. Serving requests needs no start. */
  start(): Promise<void>;
  /** Stops claiming and waits for running attempts. What is left is due when a worker starts again. */
  stop(graceMs?: number): Promise<void>;
  /** Runs everything that is due now, to its end; for scripts and tests. */
  runDue(): Promise<void>;
}

interface Parts {
  readonly engine: Engine;
  readonly worker: Worker;
  /** Ends as soon as any process works. */
  readonly watch: OverdueWatch;
  readonly ready: () => Promise<void>;
  readonly testClock: GatePorts['testClock'] | null;
  /** One that the host made is the host's to close. */
  readonly ownsSender: boolean;
}

const STOP_GRACE_MS = 12_000;

export function workOf({ engine, worker, watch, ready, testClock, ownsSender }: Parts): Work {
  return {
    advanceTestClock: async (byMs) => {
      if (testClock === null || testClock === undefined) throw new Error('This gate has no test clock.');
      watch.end();
      await ready();
      return advanceClock(engine, worker, testClock, byMs);
    },
    start: async () => {
      watch.end();
      await ready();
      await engine.consumers.register();
      worker.resume();
      await engine.scheduler.start(() => worker.runDue());
      // What came due while no process worked is begun now, not when the first wake-up has come round.
      worker.runDue().catch((error: unknown) => {
        engine.telemetry.failure(error, { place: 'start' });
      });
    },
    stop: async (graceMs = STOP_GRACE_MS) => {
      worker.halt();
      await engine.scheduler.close(graceMs);
      await engine.deadlines.within(worker.idle(), graceMs);
      if (ownsSender) await engine.sender.close();
    },
    runDue: async () => {
      watch.end();
      await ready();
      await worker.runUntilIdle();
    },
  };
}
