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
