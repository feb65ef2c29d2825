import { Moments, systemTimers, type Timer, type Timers, unref } from './timers.js';

/** When it rings. */
export interface AlarmOptions {
  /** Rings also when it has been silent for so long; never by itself by default. */
  readonly silentAtMostMs?: number;
  readonly timers?: Timers;
}

/** What timers can wait for; the end of a stretch wakes no caller. */
const STRETCH_MS = 24 * 3_600_000;

/** Rings at the moments it was set for, once it is started. One timer, however many there are. */
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

  /** In `delayMs` milliseconds. Kept when it is not started yet; what is no number is ignored. */
  set(delayMs: number): void {
    this.moments.add(this.timers.now(), delayMs);
    this.wait();
  }

  start(): void {
    this.isStarted = true;
    this.silentUntil = this.timers.now() + this.silentAtMostMs;
    this.wait();
  }

  /** Forgets all moments and leaves no timer. */
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
    // What is to ring at once cannot be cleared, but finds that another timer has taken its place.
    if (delayMs === 0 && this.timers.soon !== undefined)
      return this.timers.soon(() => {
        if (this.timer === timer) this.wakeUp(at);
      });
    timer.handle = this.timers.setTimeout(() => this.wakeUp(at), delayMs);
    unref(timer.handle);
  }

  /** Timers may fire a little early: the moment this one was set for counts as reached. */
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
  /** Null where no timer is needed, as it rings at once. */
  handle: Timer | null;
  readonly at: number;
}
