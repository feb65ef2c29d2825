import type { Instant } from '../../domain/instant.js';
import { steadyTime, type SteadyTime } from './steady-time.js';
import { bestSample, type TimeSample } from './time-samples.js';

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
