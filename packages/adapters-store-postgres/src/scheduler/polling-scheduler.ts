import { SWEEP_MS, type Scheduler, type WakeHint } from '@gateramp/core/ports';
import type { Pool } from 'pg';
import { pooled } from '../database.js';
import { checkSchema, DEFAULT_SCHEMA } from '../schema.js';
import { Hints } from './hints.js';
import { probe } from './probe.js';
import { systemTimers, unref, type Timer, type Timers } from './timers.js';

export interface PollingSchedulerOptions {
  /** Where `migrate` has put the tables; `gateramp` unless told. */
  readonly schema?: string;
  /** Gap between looks for work that other processes have left; 250 ms unless told, which is four small statements a second. */
  readonly pollMs?: number;
  /** Hears what `onDue` or a look threw; the next comes all the same. */
  readonly onError?: (error: unknown) => void;
  readonly timers?: Timers;
}

/**
 * An alarm clock that needs nothing but Postgres. Hints of this process ring here at once; work of other processes is found by looking;
 * whatever both have missed is found by the sweep.
 */
export function pollingScheduler(pool: Pool, options: PollingSchedulerOptions = {}): Scheduler {
  const database = pooled(pool, { queryTimeoutMs: SWEEP_MS, preparedStatements: false });
  return scheduleOver(probe(database, checkSchema(options.schema ?? DEFAULT_SCHEMA)), options);
}

/** The same alarm over any way of looking. */
export function scheduleOver(isWaiting: () => Promise<boolean>, options: PollingSchedulerOptions): Scheduler {
  return new PollingScheduler(isWaiting, options);
}

class PollingScheduler implements Scheduler {
  private readonly isWaiting: () => Promise<boolean>;
  private readonly timers: Timers;
  private readonly pollMs: number;
  private readonly onError: (error: unknown) => void;
  private readonly hints = new Hints();
  private onDue: (() => Promise<void>) | null = null;
  private alarm: { readonly timer: Timer; readonly at: number } | null = null;
  private sweepAt = 0;
  private pollAt = 0;
  private running: Promise<void> | null = null;
  private isDueAgain = false;
  private isLooking = false;
  private isClosed = false;

  constructor(isWaiting: () => Promise<boolean>, { timers, pollMs, onError }: PollingSchedulerOptions) {
    this.isWaiting = isWaiting;
    this.timers = timers ?? systemTimers;
    this.pollMs = pollMs ?? 250;
    this.onError = onError ?? (() => undefined);
  }

  wake(hints: readonly WakeHint[]): void {
    if (this.isClosed || hints.length === 0) return;
    const now = this.timers.now();
    for (const { delayMs } of hints) this.hints.add(now, delayMs);
    this.setAlarm();
  }

  async start(onDue: () => Promise<void>): Promise<void> {
    if (this.onDue !== null || this.isClosed) throw new Error('A scheduler is started once; make another.');
    this.onDue = onDue;
    this.sweepAt = this.timers.now() + SWEEP_MS;
    this.pollAt = this.timers.now() + this.pollMs;
    this.setAlarm();
  }

  async close(graceMs: number): Promise<void> {
    this.isClosed = true;
    this.isDueAgain = false;
    if (this.alarm !== null) this.timers.clearTimeout(this.alarm.timer);
    this.alarm = null;
    if (this.running !== null) await this.atMost(graceMs, this.running);
  }

  /** One timer, for whichever comes first: a hint, the next look or the next sweep. */
  private setAlarm(): void {
    if (this.onDue === null || this.isClosed) return;
    const at = Math.min(this.hints.next(), this.pollAt, this.sweepAt);
    if (this.alarm !== null && this.alarm.at <= at) return;
    if (this.alarm !== null) this.timers.clearTimeout(this.alarm.timer);
    const timer = this.timers.setTimeout(() => this.ring(at), Math.max(0, at - this.timers.now()));
    unref(timer);
    this.alarm = { timer, at };
  }

  /** Timers may fire a little early: the moment the alarm was set for counts as reached. */
  private ring(setFor: number): void {
    const now = Math.max(setFor, this.timers.now());
    this.alarm = null;
    const isHinted = this.hints.drop(now);
    const isSwept = this.sweepAt <= now;
    if (isSwept) this.sweepAt = now + SWEEP_MS;
    this.pollAt = now + this.pollMs;
    this.setAlarm();
    if (isHinted || isSwept) this.call();
    else if (this.running === null && !this.isLooking) void this.look();
  }

  private call(): void {
    if (this.isClosed) return;
    if (this.running === null) this.running = this.run();
    else this.isDueAgain = true;
  }

  /** A look that is slow holds up no hint. */
  private async look(): Promise<void> {
    this.isLooking = true;
    try {
      if (await this.isWaiting()) this.call();
    } catch (error) {
      this.report(error);
    } finally {
      this.isLooking = false;
    }
  }

  /** Never two calls at once; all that came due during one are one call afterwards. */
  private async run(): Promise<void> {
    do {
      this.isDueAgain = false;
      try {
        await this.onDue?.();
      } catch (error) {
        this.report(error);
      }
    } while (this.isDueAgain);
    this.running = null;
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
