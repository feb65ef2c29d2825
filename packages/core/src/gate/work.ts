import type { Engine } from '../application/engine.js';
import { flush } from '../application/listeners.js';
import type { OverdueWatch } from '../application/work/watchdogs.js';
import type { Worker } from '../application/work/worker.js';
import { SECOND } from '../domain/instant.js';
import { later } from './assemble.js';

/** Runs due work, by a worker that is started and stopped, or on request. */
export interface Work {
  /**
   * Opens the keyring and starts the worker; rejects if the scheduler does not start within 30 s. Not needed to serve requests. A drained
   * worker claims nothing until `resume`.
   */
  start(): Promise<void>;
  /** Stops claiming and waits for running attempts. Remaining work is due when a worker starts again. */
  stop(graceMs?: number): Promise<void>;
  /**
   * Stops claiming work, and resolves once what this process was running has ended. Requests are served as before, and what they make due
   * is left to other processes until `resume`.
   */
  drain(): Promise<void>;
  /** Claims work again after `drain`. */
  resume(): Promise<void>;
  /** Runs all work that is due now, to its end; for scripts and tests. Does nothing while drained. */
  runDue(): Promise<void>;
  /** The number of leases that this process holds: deliveries and tasks that it is running. */
  leasesHeld(): number;
}

interface Parts {
  readonly engine: Engine;
  readonly worker: Worker;
  /** Stopped as soon as this process works. */
  readonly watch: OverdueWatch;
  readonly ready: () => Promise<void>;
  /** A sender passed by the host is closed by the host. */
  readonly ownsSender: boolean;
}

const STOP_GRACE_MS = 12_000;

/** For a scheduler to close its connections, after it has waited for a running call. */
const CLOSE_MS = SECOND;

const START_MAX_MS = 30 * SECOND;

/** How often a worker looks whether other processes have stepped sandboxes, whose next work is then due earlier. */
const FOLLOW_STEPS_MS = SECOND;

export function workOf({ engine, worker, watch, ready, ownsSender }: Parts): Work {
  let isDrained = false;
  let endFollowing = (): void => undefined;
  let seen = 0;

  function followSteps(): void {
    const follow = async (): Promise<void> => {
      await engine.clock.refresh();
      const ahead = total(engine.clock.ahead());
      if (ahead > seen) await worker.runDue();
      seen = ahead;
    };
    endFollowing = later(() => {
      followSteps();
      follow().catch((error: unknown) => engine.telemetry.failure(error, { place: 'sandbox clocks' }));
    }, FOLLOW_STEPS_MS);
  }

  return {
    start: async () => {
      watch.end();
      await ready();
      await engine.consumers.register();
      if (!isDrained) worker.resume();
      endFollowing();
      if (engine.holds !== null) followSteps();
      const started = await engine.deadlines.within(
        engine.scheduler.start(() => worker.runDue()),
        START_MAX_MS,
      );
      if (started.kind === 'late') {
        endFollowing();
        worker.halt();
        throw new Error(`The scheduler did not start within ${START_MAX_MS / SECOND} s.`);
      }
      // Work that became due while no process worked starts now, without waiting for the first wake-up.
      worker.runDue().catch((error: unknown) => {
        engine.telemetry.failure(error, { place: 'start' });
      });
    },
    stop: async (graceMs = STOP_GRACE_MS) => {
      endFollowing();
      worker.halt();
      const closeMaxMs = graceMs + CLOSE_MS;
      const [closed] = await Promise.all([
        engine.deadlines.within(engine.scheduler.close(graceMs), closeMaxMs),
        engine.deadlines.within(Promise.all([worker.idle(), flush(engine)]), graceMs),
      ]);
      if (closed.kind === 'late') {
        const error = new Error(`The scheduler did not close within ${closeMaxMs / SECOND} s.`);
        engine.telemetry.failure(error, { place: 'stop' });
      }
      if (ownsSender) await engine.sender.close();
    },
    drain: () => {
      isDrained = true;
      worker.halt();
      return worker.idle();
    },
    resume: () => {
      isDrained = false;
      worker.resume();
      return worker.runDue();
    },
    runDue: async () => {
      watch.end();
      await ready();
      await worker.runUntilIdle();
    },
    leasesHeld: () => worker.underWay,
  };
}

/** Offsets only increase, so a greater total is a step. */
function total(ahead: ReadonlyMap<string, number>): number {
  return [...ahead.values()].reduce((sum, byMs) => sum + byMs, 0);
}
