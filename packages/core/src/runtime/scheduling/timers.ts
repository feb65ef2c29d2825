import type { Deadlines, TimedResult } from '../../ports/edge.js';

/** Timers and a monotonic clock. Tests provide their own. */
export interface Timers {
  /** Milliseconds since an arbitrary moment. */
  now(): number;
  setTimeout(run: () => void, delayMs: number): Timer;
  clearTimeout(timer: Timer): void;
  /** Runs it in the next turn of the event loop, whereas a timer would wait a millisecond or two. Optional; a timer is used instead. */
  soon?(run: () => void): void;
}

/** The handle that `setTimeout` returned. */
export type Timer = ReturnType<typeof setTimeout> | number;

/** Node's timers and monotonic clock. */
export const systemTimers: Timers = {
  now: () => performance.now(),
  setTimeout: (run, delayMs) => setTimeout(run, delayMs),
  clearTimeout: (timer) => clearTimeout(timer),
  soon: (run) => void setImmediate(run),
};

/** The process stays alive for its listeners and its work, never for a pending alarm. */
export function unref(timer: Timer): void {
  if (typeof timer === 'object') timer.unref();
}

/** Moments closer together than this are combined, so that many hints cost little. */
const GRAIN_MS = 10;

/**
 * Shorter delays have a resolution of one millisecond: there are few such moments at a time, and rounding would be a large part of the
 * delay.
 */
const SHORT_MS = 100;

/** Above this number the latest moment is dropped; a sweep comes before it. */
const MOMENTS_MAX = 1_000;

/** The requested wake-up times, on a monotonic clock. */
export class Moments {
  private readonly moments = new Set<number>();
  private earliest = Infinity;

  /**
   * Adds a moment, rounded up, because an early alarm finds nothing due. If a moment is already due, another immediate one is ignored: a
   * process that never starts its alarm would otherwise collect them with every commit.
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

  /** The earliest moment; infinity if there is none. */
  next(): number {
    return this.earliest;
  }

  /** Removes all moments up to and including `moment`. */
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

/** The result of `work`, or null if it takes longer than `limitMs`. The work itself continues. */
export async function atMost<Value>(
  limitMs: number,
  work: Promise<Value>,
  timers: Timers = systemTimers,
): Promise<Value | null> {
  let timer: Timer | null = null;
  const late = new Promise<null>((resolve) => {
    timer = timers.setTimeout(() => resolve(null), limitMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    if (timer !== null) timers.clearTimeout(timer);
  }
}

/** Deadlines with real timers, which never keep the process alive on their own. */
export function systemDeadlines(): Deadlines {
  return {
    within: async <Value>(work: Promise<Value>, limitMs: number): Promise<TimedResult<Value>> => {
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<TimedResult<Value>>((resolve) => {
        timer = setTimeout(() => {
          resolve({ kind: 'late' });
        }, limitMs);
        timer.unref();
      });
      try {
        return await Promise.race([work.then((value): TimedResult<Value> => ({ kind: 'done', value })), late]);
      } finally {
        clearTimeout(timer);
      }
    },
    rest: (ms) =>
      new Promise((resolve) => {
        setTimeout(resolve, ms);
      }),
  };
}
