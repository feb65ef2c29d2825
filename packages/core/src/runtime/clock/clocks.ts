import { type Instant, SECOND } from '../../domain/instant.js';
import type { Mode, Scope } from '../../domain/mode.js';
import type { AdjustableClock, Clock, Clocks } from '../../ports/edge.js';
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

function readOffset(value: string | null, name = SETTING): number {
  if (value === null) return 0;
  if (!WHOLE_MILLISECONDS.test(value)) throw new Error(`The setting ${name} is not a whole number of milliseconds.`);
  return Number(value);
}

/** One setting per sandbox that was moved, so that partners never compete for one. */
const SANDBOX_SETTINGS = `${SETTING}/`;

/** Every process sees an advance of another within this time. */
const FOLLOW_EVERY_MS = 5 * SECOND;

/** The same where several processes step sandboxes and work. Requests wait for the offsets then. */
const FOLLOW_SHARED_EVERY_MS = SECOND;

interface SandboxClocksOptions {
  /** Whether sandboxes may be moved while this process runs. If none is ahead, nothing is read again otherwise. */
  readonly mayMove: boolean;
  /** Whether sandboxes are stepped by several processes (`SandboxHolds`). */
  readonly isShared?: boolean;
  readonly onError: (error: unknown) => void;
}

/**
 * The time of every sandbox: that of test mode, plus an offset that is stored in the settings and only increases. `clock` is the time of
 * the modes, whose own offset moves every sandbox alike.
 */
export function sandboxClocks(
  clock: Clock,
  settings: Settings,
  { mayMove, isShared = false, onError }: SandboxClocksOptions,
): Clocks {
  const offsets = new Map<string, number>();
  let readAt: Instant | null = null;

  function adopt(partnerId: string, value: string | null): void {
    const offset = Math.max(offsets.get(partnerId) ?? 0, readOffset(value, SANDBOX_SETTINGS + partnerId));
    if (offset > 0) offsets.set(partnerId, offset);
  }

  async function refresh(): Promise<void> {
    readAt = clock.wall();
    const stored = await settings.listSettings(SANDBOX_SETTINGS);
    for (const [name, value] of stored) adopt(name.slice(SANDBOX_SETTINGS.length), value);
  }

  const sandboxNow = (partnerId: string): Instant => clock.now('test') + (offsets.get(partnerId) ?? 0);

  return {
    wall: () => clock.wall(),
    ofMode: (mode) => clock.now(mode),
    now: ({ partnerId, mode }) => (mode === 'test' ? sandboxNow(partnerId) : clock.now(mode)),
    ahead: () => offsets,
    refresh,
    follow() {
      if (readAt === null || (!mayMove && offsets.size === 0)) return undefined;
      // The wall clock may have been set back.
      if (Math.abs(clock.wall() - readAt) < (isShared ? FOLLOW_SHARED_EVERY_MS : FOLLOW_EVERY_MS)) return undefined;
      const refreshed = refresh().catch(onError);
      return isShared ? refreshed : undefined;
    },
    /** Stored before it takes effect, as for the clock of the mode. The latest value is read first: other processes move this clock too. */
    async advanceTo(partnerId, instant) {
      const name = SANDBOX_SETTINGS + partnerId;
      for (let swap = 0; sandboxNow(partnerId) < instant; swap += 1) {
        if (swap === SWAPS_MAX) throw new Error('The test clock is being advanced by another request; try again.');
        const stored = await settings.readSetting(name);
        adopt(partnerId, stored);
        if (sandboxNow(partnerId) >= instant) return;
        adopt(partnerId, await settings.swapSetting(name, stored, String(Math.ceil(instant - clock.now('test')))));
      }
    },
  };
}

/** The clock of each mode, and of each partner's sandbox, which may be ahead of test mode. */
export interface GateClock extends Clock {
  now(of: Mode | Scope): Instant;
  /** The time of the sandboxes that are ahead of test mode, by partner id. */
  sandboxes(): ReadonlyMap<string, Instant>;
  /** Whether claims leave out sandboxes that another process steps. */
  readonly skipsStepped: boolean;
}

/** The clocks of an engine, for its host. */
export function gateClock(clocks: Clocks, skipsStepped = false): GateClock {
  return {
    skipsStepped,
    wall: () => clocks.wall(),
    now: (of) => (typeof of === 'string' ? clocks.ofMode(of) : clocks.now(of)),
    sandboxes: () =>
      new Map([...clocks.ahead().keys()].map((partnerId) => [partnerId, clocks.now({ partnerId, mode: 'test' })])),
  };
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
