import { MINUTE, SECOND, type Instant } from '../../domain/instant.js';
import { DEFAULT_POLICY, type Policy } from '../../domain/policy.js';
import type { Clock, Deadlines, Telemetry } from '../../ports/edge.js';
import { systemTimers, unref, type Timer, type Timers } from '../scheduling/timers.js';
import { systemDeadlines } from '../system-deadlines.js';
import { stderrTelemetry } from '../telemetry/stderr-telemetry.js';
import { askTime } from './ask-time.js';
import { ClockUntrusted } from './clock-untrusted.js';
import { skewReport } from './skew-report.js';
import { StoreTime } from './store-time.js';

/** A clock that goes by the store's, so that processes on machines whose clocks differ agree on what is due and what has expired. */
export interface StoreClock extends Clock {
  /** Takes the first samples and goes on with one a minute. Await it before the first request; it never throws. */
  open(): Promise<void>;
  /** Asks the store once more, and again if the answer contradicts the others. Never throws. */
  sample(): Promise<void>;
  /** False while nothing may be decided, because what time it is at the store is not known: then `now` throws. */
  isTrusted(): boolean;
  /** Asks no more; the clock goes on with its last correction. */
  close(): void;
}

/** To whom it reports skew, how much is too much, and what it compares with. */
export interface StoreClockOptions {
  /** One that writes on stderr by default, as `createGate` has it. */
  readonly telemetry?: Telemetry;
  readonly policy?: Pick<Policy, 'clockSkewAlarm' | 'clockStepMax'>;
  /** The machine's clock. */
  readonly readWall?: () => Instant;
  /** What the machine counts whatever its clock is set to. */
  readonly timers?: Timers;
  readonly deadlines?: Deadlines;
}

const SAMPLE_EVERY = MINUTE;
/** While the time is not known. */
const SAMPLE_AGAIN = SECOND;
const FIRST_SAMPLES = 3;

/** While there is none, a poor answer is better than none. */
const ROUND_TRIP_MAX_MS = { known: 500, unknown: 5_000 } as const;

/**
 * The store's time in both modes, and the machine's as the wall. `ask` answers with the store's time in epoch
 * milliseconds. The first answer is taken as it is, however far the machine is from it; while the store is away
 * afterwards, the last correction stays.
 */
export function storeClock(ask: () => Promise<number>, options: StoreClockOptions = {}): StoreClock {
  const {
    telemetry = stderrTelemetry(),
    policy = DEFAULT_POLICY,
    readWall = Date.now,
    timers = systemTimers,
    deadlines = systemDeadlines(),
  } = options;
  const monotonic = (): number => timers.now();
  const time = new StoreTime(monotonic, policy.clockStepMax);
  const report = skewReport(telemetry, policy.clockSkewAlarm);
  let isAway = false;
  let isClosed = false;
  let timer: Timer | null = null;

  async function adopt(): Promise<void> {
    const roundTripMaxMs = time.isTrusted ? ROUND_TRIP_MAX_MS.known : ROUND_TRIP_MAX_MS.unknown;
    const sample = await askTime({ ask, monotonic, deadlines, roundTripMaxMs });
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
      // Once an outage; whatever else needs the store reports it too.
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
