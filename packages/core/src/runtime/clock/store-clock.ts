import { DAY, MINUTE, SECOND, type Instant } from '../../domain/instant.js';
import type { Clock, Deadlines, Telemetry } from '../../ports/edge.js';
import { systemTimers, unref, type Timer, type Timers } from '../scheduling/timers.js';
import { systemDeadlines } from '../system-deadlines.js';
import { silentTelemetry } from '../telemetry/silent-telemetry.js';
import { askTime } from './ask-time.js';
import { skewReport } from './skew-report.js';
import { steadyTime } from './steady-time.js';
import { systemClock } from './system-clock.js';
import { bestSample, type TimeSample } from './time-samples.js';

/** A clock that goes by the store's, so that processes on machines whose clocks differ agree on what is due and what has expired. */
export interface StoreClock extends Clock {
  /** Takes the first samples and goes on with one a minute. Await it before the first request; it never throws. */
  open(): Promise<void>;
  /** Asks the store once more, and again if the answer contradicts the others. Never throws: time goes on from where it is. */
  sample(): Promise<void>;
  /** Asks no more; the clock goes on with its last correction. */
  close(): void;
}

export interface StoreClockOptions {
  readonly telemetry?: Telemetry;
  /** How far the machine's clock may be from the store's before somebody is told; 2 s unless told. */
  readonly skewAlarmMs?: number;
  /** The machine's clock. */
  readonly readWall?: () => Instant;
  /** What the machine counts whatever its clock is set to. */
  readonly timers?: Timers;
  readonly deadlines?: Deadlines;
}

const SAMPLE_EVERY = MINUTE;
const FIRST_SAMPLES = 3;
const SAMPLES_KEPT = 4;
/** Where the two differ by more, following the wrong one would expire everything there is: that is told and left to somebody. */
const CORRECTION_MAX = DAY;
const SKEW_ALARM = 2 * SECOND;

/**
 * The store's time in both modes, and the machine's as the wall. `ask` answers with the store's time in epoch milliseconds. Until it has
 * answered twice alike, the time is the machine's; while the store is away, the last correction stays.
 */
export function storeClock(ask: () => Promise<number>, options: StoreClockOptions = {}): StoreClock {
  const { telemetry = silentTelemetry(), skewAlarmMs = SKEW_ALARM, readWall = Date.now, timers = systemTimers, deadlines = systemDeadlines() } = options;
  const machine = systemClock(readWall);
  const monotonic = (): number => timers.now();
  const time = steadyTime(monotonic, readWall() - monotonic());
  const report = skewReport(telemetry, skewAlarmMs);
  let samples: readonly TimeSample[] = [];
  let isAway = false;
  let isClosed = false;
  let timer: Timer | null = null;

  /** False if the answer contradicts the others. */
  async function heed(): Promise<boolean> {
    const sample = await askTime(ask, monotonic, deadlines);
    if (sample === null) return true;
    const skew = sample.offset + monotonic() - readWall();
    report(skew);
    if (Math.abs(skew) > CORRECTION_MAX) return true;
    samples = [...samples, sample].slice(-SAMPLES_KEPT);
    const best = bestSample(samples);
    if (best !== null) time.follow(best.offset);
    return best !== null;
  }

  async function sample(): Promise<void> {
    try {
      if (!(await heed())) await heed();
      isAway = false;
    } catch (error) {
      // Once an outage; whatever else needs the store reports it too.
      if (!isAway && !isClosed) telemetry.failure(error, { place: 'store clock' });
      isAway = true;
    }
  }

  function sampleLater(): void {
    if (isClosed) return;
    timer = timers.setTimeout(() => void sample().then(sampleLater), SAMPLE_EVERY);
    unref(timer);
  }

  return {
    now: () => time.now(),
    wall: () => machine.wall(),
    sample,
    async open() {
      for (let taken = 0; taken < FIRST_SAMPLES; taken += 1) await sample();
      sampleLater();
    },
    close() {
      isClosed = true;
      if (timer !== null) timers.clearTimeout(timer);
    },
  };
}
