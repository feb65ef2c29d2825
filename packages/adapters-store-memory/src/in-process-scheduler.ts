import { SWEEP_MS, type Scheduler } from '@gateramp/core/ports';
import { Hints } from './structures/hints.js';
import { systemTimers, unref, type Timer, type Timers } from './timers.js';

export interface InProcessSchedulerOptions {
  /** Hears what `onDue` threw; the next call comes all the same. */
  readonly onError?: (error: unknown) => void;
  readonly timers?: Timers;
}

/** An alarm clock for one process. Hints do not survive it; the sweep of the next one finds the work. */
export function inProcessScheduler(options: InProcessSchedulerOptions = {}): Scheduler {
  return new InProcessScheduler(options);
}

class InProcessScheduler implements Scheduler {
  private readonly timers: Timers;
  private readonly onError: (error: unknown) => void;
  private readonly hints = new Hints();
  private onDue: (() => Promise<void>) | null = null;
  private alarm: { readonly timer: Timer; readonly at: number } | null = null;
  private sweepAt = 0;
  private running: Promise<void> | null = null;
  private isDueAgain = false;
  private isClosed = false;

  constructor({ onError, timers }: InProcessSchedulerOptions) {
    this.timers = timers ?? systemTimers;
    this.onError = onError ?? (() => undefined);
  }

  wake(hints: Parameters<Scheduler['wake']>[0]): void {
    if (this.isClosed || hints.length === 0) return;
    const now = this.timers.now();
    for (const { delayMs } of hints) this.hints.add(now, delayMs);
    this.setAlarm();
  }

  async start(onDue: () => Promise<void>): Promise<void> {
    if (this.onDue !== null || this.isClosed) throw new Error('A scheduler is started once; make another.');
    this.onDue = onDue;
    this.sweepAt = this.timers.now() + SWEEP_MS;
    this.setAlarm();
  }

  async close(graceMs: number): Promise<void> {
    this.isClosed = true;
    this.isDueAgain = false;
    if (this.alarm !== null) this.timers.clearTimeout(this.alarm.timer);
    this.alarm = null;
    if (this.running !== null) await this.atMost(graceMs, this.running);
  }

  /** One timer, for whichever comes first: the earliest hint or the next sweep. */
  private setAlarm(): void {
    if (this.onDue === null || this.isClosed) return;
    const at = Math.min(this.hints.next() ?? Infinity, this.sweepAt);
    if (this.alarm !== null && this.alarm.at <= at) return;
    if (this.alarm !== null) this.timers.clearTimeout(this.alarm.timer);
    const timer = this.timers.setTimeout(() => this.ring(at), Math.max(0, at - this.timers.now()));
    unref(timer);
    this.alarm = { timer, at };
  }

  /** Timers may fire a little early: the instant the alarm was set for counts as reached. */
  private ring(setFor: number): void {
    const now = Math.max(setFor, this.timers.now());
    this.alarm = null;
    this.hints.dropUntil(now);
    this.sweepAt = now + SWEEP_MS;
    this.setAlarm();
    this.call();
  }

  private call(): void {
    if (this.running !== null) {
      this.isDueAgain = true;
      return;
    }
    this.running = this.run().catch(() => undefined);
  }

  /** Never two calls at once; all that came due during one are one call afterwards. */
  private async run(): Promise<void> {
    try {
      do {
        this.isDueAgain = false;
        await this.callOnce();
      } while (this.isDueAgain);
    } finally {
      this.running = null;
    }
  }

  private async callOnce(): Promise<void> {
    try {
      await this.onDue?.();
    } catch (error) {
      this.report(error);
    }
  }

  private report(error: unknown): void {
    try {
      this.onError(error);
    } catch {
      // A reporter that throws has nobody left to report to, and the alarm must go on.
    }
  }

  private async atMost(graceMs: number, running: Promise<void>): Promise<void> {
    let timer: Timer | null = null;
    const grace = new Promise<void>((resolve) => {
      timer = this.timers.setTimeout(resolve, graceMs);
    });
    await Promise.race([running, grace]);
    if (timer !== null) this.timers.clearTimeout(timer);
  }
}
