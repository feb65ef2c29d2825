/** Time as the scheduler knows it: durations on one clock that never steps back. Tests hand in their own. */
export interface Timers {
  /** Milliseconds since an arbitrary moment. */
  now(): number;
  setTimeout(run: () => void, delayMs: number): Timer;
  clearTimeout(timer: Timer): void;
}

/** What `setTimeout` gave, to be cleared by. */
export type Timer = ReturnType<typeof setTimeout> | number;

/** Node's own timers and monotonic clock. */
export const systemTimers: Timers = {
  now: () => performance.now(),
  setTimeout: (run, delayMs) => setTimeout(run, delayMs),
  clearTimeout: (timer) => clearTimeout(timer),
};

/** A process stays alive for its listeners and its work, never for an alarm that may ring. */
export function unref(timer: Timer): void {
  if (typeof timer === 'object') timer.unref();
}
