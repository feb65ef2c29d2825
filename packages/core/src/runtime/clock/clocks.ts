import { type Instant, SECOND } from '../../domain/instant.js';
import type { AdjustableClock, Clock } from '../../ports/edge.js';
import type { Settings } from '../../ports/store.js';
import { steadyTime } from './store-time.js';

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

const SETTING = 'test_clock_offset_ms';
const WHOLE_MILLISECONDS = /^\d{1,15}$/;
const SWAPS_MAX = 5;

/** Another clock, the system's by default, whose test mode runs ahead by an offset that is kept in the settings and only ever grows. */
export interface AdjustableSystemClock extends AdjustableClock {
  /** Takes up the stored offset. Await it before the first request. */
  open(): Promise<void>;
}

/** `settings` keeps the offset for all processes; `system` is what it is added to. */
export function adjustableSystemClock(settings: Settings, system: Clock = systemClock()): AdjustableSystemClock {
  let offset = 0;
  let stored: string | null = null;

  function takeUp(value: string | null): void {
    stored = value;
    offset = Math.max(offset, readOffset(value));
  }

  const testNow = (): Instant => system.now('test') + offset;

  return {
    wall: () => system.wall(),
    now: (mode) => (mode === 'test' ? testNow() : system.now(mode)),
    async open() {
      takeUp(await settings.readSetting(SETTING));
    },
    /** The offset is stored before it shows: a crash in between loses the move, never takes back a time that was seen. */
    async advanceTo(instant) {
      for (let swap = 0; testNow() < instant; swap += 1) {
        if (swap === SWAPS_MAX) throw new Error('The test clock is being advanced by another request; try again.');
        takeUp(await settings.swapSetting(SETTING, stored, String(Math.ceil(instant - system.now('test')))));
      }
    },
  };
}

function readOffset(value: string | null): number {
  if (value === null) return 0;
  if (!WHOLE_MILLISECONDS.test(value)) throw new Error(`The setting ${SETTING} is not a whole number of milliseconds.`);
  return Number(value);
}

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
