import { Moments, systemTimers, type Timer, type Timers, unref } from './timers.js';

/** Options of an alarm. */
export interface AlarmOptions {
  /** Maximum time between two calls; by default it is called only at set moments. */
  readonly silentAtMostMs?: number;
  readonly timers?: Timers;
}

/** Maximum delay of a timer; longer waits are split, without a call in between. */
const STRETCH_MS = 24 * 3_600_000;

/** Calls `ring` at the moments that were set, once started. Uses one timer for all of them. */
export class Alarm {
  private readonly timers: Timers;
  private readonly silentAtMostMs: number;
  private readonly moments = new Moments();
  private silentUntil = Infinity;
  private timer: Waiting | null = null;
  private isStarted = false;

  constructor(
    private readonly ring: () => void,
    { silentAtMostMs = Infinity, timers = systemTimers }: AlarmOptions = {},
  ) {
    this.silentAtMostMs = silentAtMostMs;
    this.timers = timers;
  }

  /** Sets a moment in `delayMs` milliseconds, also before the start; invalid numbers are ignored. */
  set(delayMs: number): void {
    this.moments.add(this.timers.now(), delayMs);
    this.wait();
  }

  start(): void {
    this.isStarted = true;
    this.silentUntil = this.timers.now() + this.silentAtMostMs;
    this.wait();
  }

  /** Clears all moments and the timer. */
  stop(): void {
    this.isStarted = false;
    this.moments.clear();
    this.clearTimer();
  }

  private wait(): void {
    if (!this.isStarted) return;
    const at = Math.min(this.moments.next(), this.silentUntil);
    if (at === Infinity || (this.timer !== null && this.timer.at <= at)) return;
    this.clearTimer();
    const delayMs = Math.min(STRETCH_MS, Math.max(0, at - this.timers.now()));
    const timer: Waiting = { handle: null, at };
    this.timer = timer;
    // An immediate cannot be cleared, so it checks that no other timer has replaced it.
    if (delayMs === 0 && this.timers.soon !== undefined)
      return this.timers.soon(() => {
        if (this.timer === timer) this.wakeUp(at);
      });
    timer.handle = this.timers.setTimeout(() => this.wakeUp(at), delayMs);
    unref(timer.handle);
  }

  /** Timers may fire slightly early: the moment this one was set for counts as reached. */
  private wakeUp(setFor: number): void {
    this.timer = null;
    const now = this.timers.now();
    const reached = setFor - now <= 1 ? Math.max(setFor, now) : now;
    const isDue = Math.min(this.moments.next(), this.silentUntil) <= reached;
    if (isDue) {
      this.moments.dropUntil(reached);
      this.silentUntil = reached + this.silentAtMostMs;
    }
    this.wait();
    if (isDue) this.ring();
  }

  private clearTimer(): void {
    if (this.timer !== null && this.timer.handle !== null) this.timers.clearTimeout(this.timer.handle);
    this.timer = null;
  }
}

interface Waiting {
  /** Null if no timer is needed, because it rings immediately. */
  handle: Timer | null;
  readonly at: number;
}
