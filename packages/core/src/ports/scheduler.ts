/**
 * An alarm clock. It may lose, repeat and reorder wake-ups, and it carries no work: the due rows
 * of the store are the truth. Two laws: `onDue` is called soon after a hint's delay (unless it was
 * lost), and at least every `SWEEP_MS` whatever was lost.
 */
export interface Scheduler {
  /** Never throws and never waits: a hint that cannot be passed on is lost, and the sweep finds the work. */
  wake(hints: readonly WakeHint[]): void;
  /** Calls of `onDue` do not overlap: one that comes due meanwhile runs once afterwards. */
  start(onDue: () => Promise<void>): Promise<void>;
  /** Stops calling; waits for a running call at most `graceMs`. */
  close(graceMs: number): Promise<void>;
}

/** Something is due in `delayMs`. A duration, never an instant: clocks differ. */
export interface WakeHint {
  readonly delayMs: number;
}

/** Milliseconds between looks at the store that make up for every wake-up that was lost. */
export const SWEEP_MS = 5_000;
