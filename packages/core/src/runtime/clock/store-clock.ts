import { DAY, type Instant, MINUTE, SECOND } from '../../domain/instant.js';
import type { Clock, Deadlines, Telemetry } from '../../ports/edge.js';
import { systemTimers, type Timer, type Timers, unref } from '../scheduling/timers.js';
import { systemDeadlines } from '../scheduling/timers.js';
import { stderrTelemetry } from '../telemetry/stderr-telemetry.js';
import { StoreTime, type TimeSample } from './store-time.js';

/** Maximum difference between the machine's and the store's clock before the alarm `clock_skewed`. */
const SKEW_ALARM = 2 * SECOND;

/**
 * Maximum change of the store's clock while a process runs, unless the machine's clock moved along with it; after a larger one, nothing is
 * decided.
 */
const STEP_MAX = DAY;

interface SampleOptions {
  readonly readTime: () => Promise<number>;
  readonly monotonic: () => number;
  readonly deadlines: Deadlines;
  /** An answer's uncertainty is half its round trip; slower answers are discarded. */
  readonly roundTripMaxMs: number;
}

/** Reads the store's time once. Null if the answer took too long; throws if the call fails or returns no time. */
async function takeSample({
  readTime,
  monotonic,
  deadlines,
  roundTripMaxMs,
}: SampleOptions): Promise<TimeSample | null> {
  const sentAt = monotonic();
  const answer = await deadlines.within(readAsync(readTime), roundTripMaxMs);
  const roundTrip = monotonic() - sentAt;
  if (answer.kind === 'late' || roundTrip > roundTripMaxMs) return null;
  if (!Number.isFinite(answer.value)) throw new Error(`The store returned an invalid time: ${answer.value}.`);
  const at = sentAt + roundTrip / 2;
  return { offset: answer.value - at, roundTrip, at };
}

/** Async, so that a synchronous throw of `readTime` becomes a rejection. */
async function readAsync(readTime: () => Promise<number>): Promise<number> {
  return readTime();
}

/** Thrown while the time is unknown; requests and workers treat it as an outage of the store. */
export class ClockUntrusted extends Error {
  readonly outage = true;

  constructor() {
    super(
      'The time of the store is unknown: it has not answered since the start, its answers contradict each other, or its clock was changed by more than can be corrected. No request or task is processed until this is fixed.',
    );
    this.name = 'ClockUntrusted';
  }
}

/** Reports a large skew once, and again after it has changed by as much or was small in between. */
function skewReport(telemetry: Telemetry, alarmMs: number): (skew: number) => void {
  let reported = 0;
  return (skew) => {
    if (Math.abs(skew) <= alarmMs) reported = 0;
    if (Math.abs(skew - reported) <= alarmMs) return;
    reported = skew;
    telemetry.alarm('clock_skewed', { store_ahead_ms: Math.round(skew) });
  };
}

/** A clock that follows the store's, so that processes on machines with different clocks agree on due times and expiry. */
export interface StoreClock extends Clock {
  /** Takes the first samples and then one per minute. Await it before the first request; it never throws. */
  open(): Promise<void>;
  /** Samples the store's time once, and again if the answer contradicts earlier ones. Never throws. */
  sample(): Promise<void>;
  /** False while the store's time is unknown. Nothing may be decided then, and `now` throws. */
  isTrusted(): boolean;
  /** Stops sampling; the clock keeps its last correction. */
  close(): void;
}

/** Where skew is reported, and the clocks and timers used. */
export interface StoreClockOptions {
  /** Writes to stderr by default, like `createGate`. */
  readonly telemetry?: Telemetry;
  /** The machine's clock. */
  readonly readWall?: () => Instant;
  /** Timers and the machine's monotonic clock. */
  readonly timers?: Timers;
  readonly deadlines?: Deadlines;
}

const SAMPLE_EVERY = MINUTE;
/** Interval while the time is unknown. */
const SAMPLE_AGAIN = SECOND;
const FIRST_SAMPLES = 3;

/** Maximum round trip. Without any sample yet, an imprecise one is better than none. */
const ROUND_TRIP_MAX_MS = { known: 500, unknown: 5_000 } as const;

/**
 * The store's time in both modes, and the machine's as wall clock. `readTime` returns the store's time in epoch milliseconds. The first
 * answer is accepted however far it is from the machine's clock; if the store becomes unreachable later, the last correction stays.
 */
export function storeClock(readTime: () => Promise<number>, options: StoreClockOptions = {}): StoreClock {
  const {
    telemetry = stderrTelemetry(),
    readWall = Date.now,
    timers = systemTimers,
    deadlines = systemDeadlines(),
  } = options;
  const monotonic = (): number => timers.now();
  const time = new StoreTime(monotonic, STEP_MAX);
  const report = skewReport(telemetry, SKEW_ALARM);
  let isAway = false;
  let isClosed = false;
  let timer: Timer | null = null;

  async function adopt(): Promise<void> {
    const roundTripMaxMs = time.isTrusted ? ROUND_TRIP_MAX_MS.known : ROUND_TRIP_MAX_MS.unknown;
    const sample = await takeSample({ readTime, monotonic, deadlines, roundTripMaxMs });
    if (sample === null) return;
    const machineOffset = readWall() - monotonic();
    report(sample.offset - machineOffset);
    time.take(sample, machineOffset);
  }

  async function sample(): Promise<void> {
    const wasTrusted = time.isTrusted;
    try {
      await adopt();
      if (time.isContradicted) await adopt();
      isAway = false;
    } catch (error) {
      // Reported once per outage; other users of the store report it too.
      if (!isAway && !isClosed) telemetry.failure(error, { place: 'store clock' });
      isAway = true;
    }
    if (wasTrusted && !time.isTrusted) telemetry.alarm('clock_untrusted', {});
  }

  function sampleLater(): void {
    if (isClosed) return;
    timer = timers.setTimeout(() => void sample().then(sampleLater), time.isTrusted ? SAMPLE_EVERY : SAMPLE_AGAIN);
    unref(timer);
  }

  return {
    now: () => {
      const now = time.now();
      if (now === null) throw new ClockUntrusted();
      return now;
    },
    wall: readWall,
    sample,
    isTrusted: () => time.isTrusted,
    async open() {
      for (let taken = 0; taken < FIRST_SAMPLES; taken += 1) await sample();
      if (!time.isTrusted) telemetry.alarm('clock_untrusted', {});
      sampleLater();
    },
    close() {
      isClosed = true;
      if (timer !== null) timers.clearTimeout(timer);
    },
  };
}
