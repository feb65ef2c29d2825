import type { Instant } from '../../domain/instant.js';
import type { Clock } from '../../ports/edge.js';

/** The machine's clock, the same for both modes. When the machine sets it back it waits until time has caught up. */
export function systemClock(readWall: () => Instant = Date.now): Clock {
  let latest = readWall();
  const wall = (): Instant => (latest = Math.max(latest, readWall()));
  return { now: wall, wall };
}
