import type { Instant } from '../../domain/instant.js';
import type { AdjustableClock } from '../../ports/edge.js';

/** For tests: both modes and the wall begin at `start` and move together, only when they are set and never back. */
export function manualClock(start: Instant): AdjustableClock {
  let now = start;
  return {
    now: () => now,
    wall: () => now,
    async advanceTo(instant) {
      now = Math.max(now, instant);
    },
  };
}
