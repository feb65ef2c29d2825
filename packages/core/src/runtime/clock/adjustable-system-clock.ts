import type { Instant } from '../../domain/instant.js';
import type { AdjustableClock, Clock } from '../../ports/edge.js';
import type { Settings } from '../../ports/store.js';
import { systemClock } from './system-clock.js';

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
