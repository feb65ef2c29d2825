import { type Instant, SECOND } from '../../domain/instant.js';
import type { AdjustableClock, Clock } from '../../ports/edge.js';
import type { Settings } from '../../ports/store.js';
import { steadyTime } from './store-time.js';

/** Smaller differences are drift, slewing and rounding, and are followed immediately. */
const JUMP = SECOND;

/** A jump that lasts this long is real: the machine's clock was set, or the machine slept. */
const JUMP_LASTS = 10 * SECOND;

/**
 * The machine's clock. The wall clock follows the machine immediately, also backwards, because receivers and providers compare it with
 * their own clocks. The time of the modes, which ids and leases depend on, never moves back and ignores glitches: during a jump it keeps
 * counting on its own until the jump has lasted, then follows it, forwards at once and backwards by running slowly
 * (`docs/decisions/0008-separate-wall-time-from-mode-time.md`). `monotonic` counts milliseconds independently of the machine's clock.
 */
export function systemClock(
  readWall: () => Instant = Date.now,
  monotonic: () => number = () => performance.now(),
): Clock {
  const first = monotonic();
  let adopted = readWall() - first;
  let candidate: { readonly offset: number; readonly since: number } | null = null;
  const time = steadyTime(adopted, first);

  function now(): Instant {
    const at = monotonic();
    const offset = readWall() - at;
    if (Math.abs(offset - adopted) < JUMP || hasLasted(offset, at)) {
      adopted = offset;
      candidate = null;
      time.follow(offset, at);
    }
    return time.now(at);
  }

  function hasLasted(offset: number, at: number): boolean {
    if (candidate === null || Math.abs(offset - candidate.offset) >= JUMP) candidate = { offset, since: at };
    return at - candidate.since >= JUMP_LASTS;
  }

  return { now, wall: readWall };
}

const SETTING = 'test_clock_offset_ms';
const WHOLE_MILLISECONDS = /^\d{1,15}$/;
const SWAPS_MAX = 5;

/** A clock, the system's by default, whose test mode runs ahead by an offset that is stored in the settings and only increases. */
export interface AdjustableSystemClock extends AdjustableClock {
  /** Loads the stored offset. Await it before the first request. */
  open(): Promise<void>;
}

/** `settings` stores the offset for all processes; `system` is the clock it is added to. */
export function adjustableSystemClock(settings: Settings, system: Clock = systemClock()): AdjustableSystemClock {
  let offset = 0;
  let stored: string | null = null;

  function adopt(value: string | null): void {
    stored = value;
    offset = Math.max(offset, readOffset(value));
  }

  const testNow = (): Instant => system.now('test') + offset;

  return {
    wall: () => system.wall(),
    now: (mode) => (mode === 'test' ? testNow() : system.now(mode)),
    async open() {
      adopt(await settings.readSetting(SETTING));
    },
    /** Stores the offset before it takes effect: a crash in between loses the advance, but time that was visible never moves back. */
    async advanceTo(instant) {
      for (let swap = 0; testNow() < instant; swap += 1) {
        if (swap === SWAPS_MAX) throw new Error('The test clock is being advanced by another request; try again.');
        adopt(await settings.swapSetting(SETTING, stored, String(Math.ceil(instant - system.now('test')))));
      }
    },
  };
}

function readOffset(value: string | null): number {
  if (value === null) return 0;
  if (!WHOLE_MILLISECONDS.test(value)) throw new Error(`The setting ${SETTING} is not a whole number of milliseconds.`);
  return Number(value);
}

/** For tests: both modes and the wall clock start at `start` and move together, only forwards and only when set. */
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
