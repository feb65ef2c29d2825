import { SECOND, type Instant } from '../../domain/instant.js';
import type { Clock } from '../../ports/edge.js';
import { steadyTime } from './steady-time.js';

/** Differences below it are drift, slewing and rounding, and are followed as they come. */
const JUMP = SECOND;

/** A jump that lasts so long is one that the machine means: it was set, or it slept. */
const JUMP_LASTS = 10 * SECOND;

/**
 * The machine's clock. The wall is what the machine says, at once and also backwards: receivers and providers compare it with their own.
 * The time of the modes, which ids and leases go by, never steps back, and a bad second of the machine's cannot make it lie: it counts on
 * by itself through a jump until that has lasted, then takes it up, forwards at once and backwards by running slowly
 * (`docs/decisions/0008-separate-wall-time-from-mode-time.md`). `monotonic` counts milliseconds whatever the machine's clock is set to.
 */
export function systemClock(
  readWall: () => Instant = Date.now,
  monotonic: () => number = () => performance.now(),
): Clock {
  const first = monotonic();
  let believed = readWall() - first;
  let doubtful: { readonly offset: number; readonly since: number } | null = null;
  const time = steadyTime(believed, first);

  function now(): Instant {
    const at = monotonic();
    const offset = readWall() - at;
    if (Math.abs(offset - believed) < JUMP || hasLasted(offset, at)) {
      believed = offset;
      doubtful = null;
      time.follow(offset, at);
    }
    return time.now(at);
  }

  function hasLasted(offset: number, at: number): boolean {
    if (doubtful === null || Math.abs(offset - doubtful.offset) >= JUMP) doubtful = { offset, since: at };
    return at - doubtful.since >= JUMP_LASTS;
  }

  return { now, wall: readWall };
}
