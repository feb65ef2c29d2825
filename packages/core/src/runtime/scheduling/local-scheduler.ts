import { type Scheduler, SWEEP_MS, type WakeHint } from '../../ports/edge.js';
import { reportToStderr } from '../telemetry/stderr-telemetry.js';
import { Alarm } from './alarm.js';
import { atMost, systemTimers, type Timers } from './timers.js';

/** Calls of `onDue`, which never overlap. Requests during a call, or before a callback was set, are combined into one call afterwards. */
export class DueCalls {
  private onDue: (() => Promise<void>) | null = null;
  private run: Promise<void> = Promise.resolve();
  private isRunning = false;
  private isDue = false;
  private isStopped = false;

  /** `report` receives errors of calls; the calls continue. */
  constructor(private readonly report: (error: unknown) => void) {}

  start(onDue: () => Promise<void>): void {
    this.onDue = onDue;
    this.continue();
  }

  ring(): void {
    this.isDue = true;
    this.continue();
  }

  /** Starts no more calls; resolves when the running one has ended. */
  async stop(): Promise<void> {
    this.isStopped = true;
    await this.run;
  }

  private continue(): void {
    if (this.onDue !== null && this.mayCall() && !this.isRunning) this.run = this.callWhileDue(this.onDue);
  }

  private async callWhileDue(onDue: () => Promise<void>): Promise<void> {
    this.isRunning = true;
    while (this.mayCall()) {
      this.isDue = false;
      try {
        await onDue();
      } catch (error) {
        this.reportSafely(error);
      }
    }
    this.isRunning = false;
  }

  private mayCall(): boolean {
    return this.isDue && !this.isStopped;
  }

  private reportSafely(error: unknown): void {
    try {
      this.report(error);
    } catch {
      // An error of the reporter cannot be reported, and the calls must continue.
    }
  }
}

/** The error reporter and the timers. */
export interface LocalSchedulerOptions {
  /** Receives errors of `onDue`, which is called again nevertheless. Writes to stderr by default. */
  readonly onError?: (error: unknown) => void;
  readonly timers?: Timers;
}

/**
 * A scheduler for one process. Hints do not survive the process; the sweep of the next one finds the work. Adapters that carry wake-ups
 * between processes wrap one of these and pass on the wake-ups they receive.
 */
export function localScheduler({
  onError = reportToStderr('the scheduler could not run due work and will retry'),
  timers = systemTimers,
}: LocalSchedulerOptions = {}): Scheduler {
  const calls = new DueCalls(onError);
  const alarm = new Alarm(() => calls.ring(), { silentAtMostMs: SWEEP_MS, timers });
  let state: 'made' | 'started' | 'closed' = 'made';
  return {
    contract: 2,
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
