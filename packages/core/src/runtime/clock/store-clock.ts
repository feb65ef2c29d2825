import { DAY, type Instant, MINUTE, SECOND } from '../../domain/instant.js';
import type { Clock, Deadlines, Telemetry } from '../../ports/edge.js';
import { systemTimers, type Timer, type Timers, unref } from '../scheduling/timers.js';
import { systemDeadlines } from '../system-deadlines.js';
import { stderrTelemetry } from '../telemetry/stderr-telemetry.js';
import { StoreTime, type TimeSample } from './store-time.js';

/** How far the machine's clock may be from the store's before an operator is alarmed (`clock_skewed`). */
const SKEW_ALARM = 2 * SECOND;

/**
 * The store's clock may be set by so much while a process runs, or by as much as the machine's moved with it; beyond
 * that nothing is decided.
 */
const STEP_MAX = DAY;

interface TimeQuestion {
  readonly ask: () => Promise<number>;
  readonly monotonic: () => number;
  readonly deadlines: Deadlines;
  /** An answer says what time it is to half its round trip; one that took longer says too little. */
  readonly roundTripMaxMs: number;
}

/** Asks once. Null when the answer took too long; throws when there is none, or no time. */
async function askTime({ ask, monotonic, deadlines, roundTripMaxMs }: TimeQuestion): Promise<TimeSample | null> {
  const asked = monotonic();
  const answer = await deadlines.within(asking(ask), roundTripMaxMs);
  const roundTrip = monotonic() - asked;
  if (answer.kind === 'late' || roundTrip > roundTripMaxMs) return null;
  if (!Number.isFinite(answer.value)) throw new Error(`The store returned an invalid time: ${answer.value}.`);
  const at = asked + roundTrip / 2;
  return { offset: answer.value - at, roundTrip, at };
}

/** Async, so that an `ask` that throws is one that rejects. */
async function asking(ask: () => Promise<number>): Promise<number> {
  return ask();
}

/** What a clock throws while it does not know the time: to requests and workers an outage like that of the store. */
export class ClockUntrusted extends Error {
  readonly outage = true;

  constructor() {
    super(
      'The time of the store is unknown: it has not answered since the start, its answers contradict each other, or its clock was changed by more than can be corrected. No request or task is processed until this is fixed.',
    );
    this.name = 'ClockUntrusted';
  }
}

/** Reports a large skew once, and again when it has changed by as much or has been small in between. */
function skewReport(telemetry: Telemetry, alarmMs: number): (skew: number) => void {
  let reported = 0;
  return (skew) => {
    if (Math.abs(skew) <= alarmMs) reported = 0;
    if (Math.abs(skew - reported) <= alarmMs) return;
    reported = skew;
    telemetry.alarm('clock_skewed', { store_ahead_ms: Math.round(skew) });
  };
}

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
