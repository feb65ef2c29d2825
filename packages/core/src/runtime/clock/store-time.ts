import type { Instant } from '../../domain/instant.js';

/** Time ahead of what it follows runs at this part of its speed until it has been caught up with. */
const SLOWED = 0.5;

/** Time that follows an offset which changes, and never steps back. */
interface SteadyTime {
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

/** One answer to "what time is it?". */
export interface TimeSample {
  /** The answer less our own time half-way between asking and hearing it. */
  readonly offset: number;
  readonly roundTrip: number;
  /** On our own time. */
  readonly at: number;
}

/** How fast two clocks may part: as fast as any that is worth the name. */
const DRIFT = 500e-6;
/** What an answer in whole milliseconds leaves out. */
const GRAIN_MS = 1;

/**
 * The most exact of those that the newest agrees with; null if it agrees with none. An answer that stands alone is a
 * glitch or the first after a clock was set; the next one shows which. `samples` are in the order they were taken.
 */
function bestSample(samples: readonly TimeSample[]): TimeSample | null {
  const newest = samples.at(-1);
  if (newest === undefined) return null;
  const error = (sample: TimeSample): number => sample.roundTrip / 2 + (newest.at - sample.at) * DRIFT + GRAIN_MS;
  const agreeing = samples
    .slice(0, -1)
    .filter((sample) => Math.abs(sample.offset - newest.offset) <= error(sample) + error(newest));
  if (agreeing.length === 0) return null;
  return agreeing.reduce((best, sample) => (error(sample) < error(best) ? sample : best), newest);
}

const SAMPLES_KEPT = 4;

interface Followed {
  readonly offset: number;
  /** The machine's clock less its count, when this was taken up. */
  readonly machineOffset: number;
}

/**
 * What the answers of a store, taken together, say the time is. The first is taken as it is, and until the time has been used a
 * better one replaces it outright. Afterwards it follows steadily, and only where two answers agree.
 */
export class StoreTime {
  private time: SteadyTime | null = null;
  private followed: Followed | null = null;
  private samples: readonly TimeSample[] = [];
  private wasShown = false;
  private isSound = false;
  private isDoubtful = false;

  constructor(
    private readonly monotonic: () => number,
    private readonly stepMax: number,
  ) {}

  /** Null while the answers do not say. */
  now(): Instant | null {
    if (this.time === null || !this.isSound) return null;
    this.wasShown = true;
    return this.time.now(this.monotonic());
  }

  get isTrusted(): boolean {
    return this.isSound;
  }

  /** The last answer agreed with none of the others. The next one shows which was wrong. */
  get isContradicted(): boolean {
    return this.isDoubtful;
  }

  take(sample: TimeSample, machineOffset: number): void {
    this.samples = [...this.samples, sample].slice(-SAMPLES_KEPT);
    const best = this.time === null ? sample : bestSample(this.samples);
    const isFirstDoubt = best === null && !this.isDoubtful;
    this.isDoubtful = best === null;
    if (isFirstDoubt) return;
    this.isSound = best !== null && this.isWithinReach(best.offset, machineOffset);
    if (best !== null && this.isSound) this.follow({ offset: best.offset, machineOffset });
  }

  private follow(next: Followed): void {
    if (this.time !== null && this.wasShown) this.time.follow(next.offset, this.monotonic());
    else this.time = steadyTime(next.offset, this.monotonic());
    this.followed = next;
  }

  /** A store that was set by more would expire everything there is; unless the machine says so too, as after a sleep. */
  private isWithinReach(offset: number, machineOffset: number): boolean {
    if (this.followed === null || !this.wasShown) return true;
    const step = offset - this.followed.offset;
    const machineStep = machineOffset - this.followed.machineOffset;
    return Math.abs(step) <= this.stepMax || Math.abs(step - machineStep) <= this.stepMax;
  }
}
