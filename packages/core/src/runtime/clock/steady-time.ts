import type { Instant } from '../../domain/instant.js';

/** Time ahead of what it follows runs at this part of its speed until it has been caught up with. */
const SLOWED = 0.5;

/** Time that follows an offset which changes, and never steps back. */
export interface SteadyTime {
  /** The time when the machine has counted `at` milliseconds. The count begins anywhere and never steps back. */
  now(at: number): Instant;
  /** From `at` on time is that count and `offset`: at once if that is later than what was shown, by running slowly if it is earlier. */
  follow(offset: number, at: number): void;
}

/** Begins at a count of `begins`, showing `begins + first`. */
export function steadyTime(first: number, begins: number): SteadyTime {
  let offset = first;
  let ahead = 0;
  let since = begins;
  let latest = -Infinity;
  const shownAt = (at: number): number => at + offset + Math.max(0, ahead - (at - since) * (1 - SLOWED));
  return {
    now: (at) => (latest = Math.max(latest, Math.round(shownAt(at)))),
    follow(next, at) {
      ahead = Math.max(0, shownAt(at) - (at + next));
      since = at;
      offset = next;
    },
  };
}
