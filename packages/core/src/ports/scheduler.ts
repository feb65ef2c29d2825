/**
 * An alarm clock. It may lose, repeat and reorder wake-ups and carries no work; the store's due rows are authoritative. Two laws: `onDue`
 * is called soon after a hint's delay (unless the hint was lost), and at least every `SWEEP_MS` in any case.
 */
export interface Scheduler {
  /** Never throws and never blocks. A hint that cannot be delivered is lost, and the next sweep finds the work. */
  wake(hints: readonly WakeHint[]): void;
  /** Calls of `onDue` do not overlap; calls that become due during a run are combined into one run afterwards. */
  start(onDue: () => Promise<void>): Promise<void>;
  /** Stops the calls; waits up to `graceMs` for a running one. */
  close(graceMs: number): Promise<void>;
}

/** Work is due in `delayMs`. A duration and never an instant, because clocks differ. */
export interface WakeHint {
  readonly delayMs: number;
}

/** Interval in milliseconds of the sweeps that make up for lost wake-ups. */
export const SWEEP_MS = 5_000;
