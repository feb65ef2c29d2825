/** Time as the scheduler knows it: durations on one clock that never steps back. Tests hand in their own. */
export interface Timers {
  /** Milliseconds since an arbitrary moment. */
  now(): number;
  setTimeout(run: () => void, delayMs: number): Timer;
  clearTimeout(timer: Timer): void;
  /** Runs it in the next turn of the event loop, where a timer would wait a millisecond or two. Without it a timer does. */
  soon?(run: () => void): void;
}

/** What `setTimeout` gave, to be cleared by. */
export type Timer = ReturnType<typeof setTimeout> | number;

/** Node's own timers and monotonic clock. */
export const systemTimers: Timers = {
  now: () => performance.now(),
  setTimeout: (run, delayMs) => setTimeout(run, delayMs),
  clearTimeout: (timer) => clearTimeout(timer),
  soon: (run) => void setImmediate(run),
};

/** A process stays alive for its listeners and its work, never for an alarm that may ring. */
export function unref(timer: Timer): void {
  if (typeof timer === 'object') timer.unref();
}

/** Moments closer together than this are one, so that a storm of hints costs little. */
const GRAIN_MS = 10;

/**
 * Waits shorter than this end to the millisecond: there are few such moments at a time, and a grain would
 * be much of the wait.
 */
const SHORT_MS = 100;

/** Beyond this the farthest gives way: a sweep comes before it. */
const MOMENTS_MAX = 1_000;

/** The requested wake-up times, on a clock that never steps back. */
export class Moments {
  private readonly moments = new Set<number>();
  private earliest = Infinity;

  /**
   * Rounded up, as an alarm that is early finds nothing due; "at once" has no fraction to wait for. Where one is due already, another adds
   * nothing: a process that never starts its alarm would gather them with every commit.
   */
  add(now: number, delayMs: number): void {
    if (delayMs <= 0 && this.earliest <= now) return;
    const grainMs = delayMs < SHORT_MS ? 1 : GRAIN_MS;
    const at = delayMs <= 0 ? Math.floor(now) : Math.ceil((now + delayMs) / grainMs) * grainMs;
    if (!Number.isFinite(at) || this.moments.has(at)) return;
    this.moments.add(at);
    if (this.moments.size > MOMENTS_MAX) this.moments.delete(Math.max(...this.moments));
    this.earliest = Math.min(this.earliest, at);
  }

  /** The earliest; infinity when there is none. */
  next(): number {
    return this.earliest;
  }

  /** Forgets everything up to and including `moment`. */
  dropUntil(moment: number): void {
    if (this.earliest > moment) return;
    let earliest = Infinity;
    for (const at of this.moments) {
      if (at <= moment) this.moments.delete(at);
      else earliest = Math.min(earliest, at);
    }
    this.earliest = earliest;
  }

  clear(): void {
    this.dropUntil(Infinity);
  }
}
