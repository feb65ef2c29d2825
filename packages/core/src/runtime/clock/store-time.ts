import type { Instant } from '../../domain/instant.js';

/** Time that is ahead runs at this fraction of its speed until it is caught up with. */
const SLOWED = 0.5;

/** Time that follows a changing offset and never moves back. */
interface SteadyTime {
  /** The time at count `at`, in milliseconds. The count starts anywhere and never decreases. */
  now(at: number): Instant;
  /** Sets the offset from count `at` on: immediately if the result is later than the time shown, otherwise by running slowly. */
  follow(offset: number, at: number): void;
}

/** Starts at count `begins` and shows `begins + first`. */
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

/** One answer of the store to a time request. */
export interface TimeSample {
  /** The answer minus the local count halfway between request and response. */
  readonly offset: number;
  readonly roundTrip: number;
  /** The local count of the sample. */
  readonly at: number;
}

/** Maximum drift between two clocks. */
const DRIFT = 500e-6;
/** Rounding error of an answer in whole milliseconds. */
const GRAIN_MS = 1;

/**
 * The most precise of the samples that agree with the newest; null if none does. A single deviating answer is a glitch, or the first after
 * a clock was set; the next answer decides. `samples` are in the order taken.
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
  /** The machine's clock minus its count when this offset was adopted. */
  readonly machineOffset: number;
}

/**
 * The time derived from several answers of a store. The first answer is accepted, and a better one replaces it until the time has been
 * used. Afterwards the time is adjusted steadily, and only when two answers agree.
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

  /** Null while the time is unknown. */
  now(): Instant | null {
    if (this.time === null || !this.isSound) return null;
    this.wasShown = true;
    return this.time.now(this.monotonic());
  }

  get isTrusted(): boolean {
    return this.isSound;
  }

  /** The last answer contradicted all others; the next one decides which was wrong. */
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

  /** A larger step would expire everything at once, so it is accepted only if the machine's clock made it too, as after a sleep. */
  private isWithinReach(offset: number, machineOffset: number): boolean {
    if (this.followed === null || !this.wasShown) return true;
    const step = offset - this.followed.offset;
    const machineStep = machineOffset - this.followed.machineOffset;
    return Math.abs(step) <= this.stepMax || Math.abs(step - machineStep) <= this.stepMax;
  }
}
