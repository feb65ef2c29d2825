import type { Instant } from '../../domain/instant.js';

/** Time ahead of what it follows runs at this part of its speed until it has been caught up with. */
const SLOWED = 0.5;

/** Time that follows an offset which changes, and never steps back. */
export interface SteadyTime {
  now(): Instant;
  /** From here on time is `monotonic() + offset`: at once if that is later than what was shown, by running slowly if it is earlier. */
  follow(offset: number): void;
}

/** `monotonic` counts milliseconds from wherever it likes and never steps back, whatever the machine's clock is set to. */
export function steadyTime(monotonic: () => number, first: number): SteadyTime {
  let offset = first;
  let ahead = 0;
  let since = monotonic();
  let latest = -Infinity;
  const shownAt = (at: number): number => at + offset + Math.max(0, ahead - (at - since) * (1 - SLOWED));
  return {
    now: () => (latest = Math.max(latest, Math.round(shownAt(monotonic())))),
    follow(next) {
      const at = monotonic();
      ahead = Math.max(0, shownAt(at) - (at + next));
      since = at;
      offset = next;
    },
  };
}
