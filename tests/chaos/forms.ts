import type { PostgresKind } from '../services/postgres-binaries.js';

const second = 1_000;
const minute = 60 * second;

type Span = readonly [least: number, most: number];

/**
 * The size of a run, and its limits. Times are milliseconds; `creates` and `purchases` are the numbers that clients must see
 * acknowledged.
 */
export interface Form {
  readonly name: string;
  readonly seed: number;
  /** `stock` is the machine's own Postgres; null leaves the choice to the environment. */
  readonly postgres: PostgresKind | null;
  readonly creates: number;
  readonly purchases: number;
  readonly shoppers: number;
  /**
   * The maximum number of open purchases and creates of one shopper: on a slow machine, further ones wait
   * instead of slowing it down more.
   */
  readonly inFlightMax: number;
  /**
   * The minimum number of rails payments, pool trades and replays of dead webhooks of one
   * partner.
   */
  readonly office: {
    readonly payments: number;
    readonly trades: number;
    readonly replays: number;
    readonly failing: number;
  };
  readonly processes: { readonly api: number; readonly worker: number };
  /** The share of deliveries that receivers refuse, and the share of these that hang until the sender gives up. */
  readonly receivers: { readonly failing: number; readonly hanging: number };
  readonly crash: { readonly durationMs: number; readonly kills: number };
  readonly cuts: {
    readonly durationMs: number;
    readonly everyMs: Span;
    readonly commitEveryMs: Span;
    readonly postgresRestarts: number;
  };
  readonly redis: {
    readonly durationMs: number;
    readonly flushEveryMs: Span;
    readonly kills: number;
    readonly pauseMs: number;
  };
  readonly race: { readonly keys: number; readonly requests: number; readonly processes: number };
  /** The time after the last fault, when nothing may have been due for longer than `overdueMs` without a lease. */
  readonly quietMs: number;
  readonly overdueMs: number;
  /** The wait before this check, for work that is due and not yet claimed. */
  readonly catchUpMs: number;
  /** The limit for first attempts while Redis is down: workers poll the database every five seconds. */
  readonly startsWithinMs: number;
  /** Statements time out after twelve seconds and waits for a connection after five, so no request is refused later than this. */
  readonly answersWithinMs: number;
  /** The time for purchases that are running when the faults are over. */
  readonly finishWithinMs: number;
  /** A purchase that is running at the end is accepted if a task continues it. */
  readonly mayBeUnfinished: boolean;
  readonly hostile: HostileForm;
  readonly file: FileForm;
}

/** One server on one data file. */
export interface FileForm {
  readonly creates: number;
  readonly purchases: number;
  readonly kills: number;
  /** Kills that also lose unsynced writes. */
  readonly powerCuts: number;
  /** How long the server runs between two kills. */
  readonly servesMs: Span;
  /** The time over which shoppers spread their load; they continue until all faults are over. */
  readonly loadMs: number;
  /** The time for due work after the last fault. */
  readonly quietMs: number;
}

/** Hundreds of hostile receivers. */
export interface HostileForm {
  readonly receivers: number;
  readonly eventsEach: number;
  /**
   * Whether others use the machine at the same time. Receivers then do not yield to the server, since no processor time would be left for
   * them, creates that are shed are repeated, and laws allow for a machine that stands still for seconds.
   */
  readonly isMachineShared: boolean;
  readonly atOnce: number;
  readonly waves: number;
  /** `more` events go to receivers whose attempts end immediately, while the others keep their connections. */
  readonly creates: { readonly perSecond: number; readonly more: number; readonly morePerSecond: number };
  /** A wave waits for this long, less than the sender does. */
  readonly gathering: { readonly holdMs: number; readonly waitsMs: number };
  /** The engine's ten seconds, and a margin for the machine. */
  readonly attemptEndsWithinMs: number;
  /** `measured` is the minimum share of the expected events. */
  readonly healthy: { readonly perSecond: number; readonly p99BelowMs: number; readonly measured: number };
  /** The maximum number of open creates of one client: a slow machine gets fewer instead of refusing some. */
  readonly inFlightMax: number;
  /** Enough to bring the server's heap to the size of a busy server's. */
  readonly warmUp: { readonly creates: number; readonly perSecond: number; readonly restMs: number };
  readonly baselineMs: number;
  readonly postgres?: PostgresKind | null;
}

export const FULL: Form = {
  name: 'full',
  seed: 1,
  postgres: null,
  creates: 50_000,
  purchases: 10_000,
  shoppers: 2,
  inFlightMax: 200,
  office: { payments: 1_000, trades: 4_000, replays: 200, failing: 0.8 },
  processes: { api: 2, worker: 2 },
  receivers: { failing: 0.2, hanging: 0.02 },
  crash: { durationMs: 390 * second, kills: 25 },
  cuts: { durationMs: 100 * second, everyMs: [100, 500], commitEveryMs: [150, 600], postgresRestarts: 4 },
  redis: { durationMs: 150 * second, flushEveryMs: [2 * second, 4 * second], kills: 4, pauseMs: 30 * second },
  race: { keys: 500, requests: 20_000, processes: 4 },
  quietMs: 2 * minute,
  overdueMs: 67 * second,
  catchUpMs: 0,
  startsWithinMs: 7 * second,
  answersWithinMs: 18 * second,
  finishWithinMs: 5 * minute,
  mayBeUnfinished: false,
  hostile: {
    receivers: 500,
    eventsEach: 1,
    isMachineShared: false,
    atOnce: 500,
    waves: 2,
    creates: { perSecond: 160, more: 400, morePerSecond: 50 },
    gathering: { holdMs: 2 * second, waitsMs: 7 * second },
    attemptEndsWithinMs: 10_250,
    healthy: { perSecond: 100, p99BelowMs: 100, measured: 0.9 },
    inFlightMax: 500,
    warmUp: { creates: 5_000, perSecond: 400, restMs: 2 * second },
    baselineMs: 12 * second,
  },
  file: {
    creates: 20_000,
    purchases: 3_000,
    kills: 25,
    powerCuts: 75,
    servesMs: [200, 5 * second],
    loadMs: 300 * second,
    quietMs: 70 * second,
  },
};

/** Each fault once, in a few minutes. */
export const SHORT: Form = {
  ...FULL,
  name: 'short',
  creates: 400,
  purchases: 60,
  shoppers: 1,
  inFlightMax: 100,
  office: { payments: 30, trades: 60, replays: 5, failing: 0.8 },
  processes: { api: 2, worker: 1 },
  receivers: { failing: 0.2, hanging: 0 },
  crash: { durationMs: 12 * second, kills: 2 },
  cuts: { durationMs: 6 * second, everyMs: [150, 400], commitEveryMs: [150, 400], postgresRestarts: 1 },
  redis: { durationMs: 8 * second, flushEveryMs: [1 * second, 2 * second], kills: 1, pauseMs: 3 * second },
  race: { keys: 25, requests: 1_000, processes: 4 },
  quietMs: 12 * second,
  overdueMs: 8 * second,
  catchUpMs: 2 * minute,
  // Other tests have the cores at the same time.
  startsWithinMs: 30 * second,
  answersWithinMs: 45 * second,
  finishWithinMs: 8 * second,
  mayBeUnfinished: true,
  /**
   * Fewer receivers with more events each. Other tests use the cores at the same time, so waits may be longer, but shorter than
   * the wait for a place that a hostile receiver holds, and attempts may end late, but long before their receiver would end
   * them. Few creates are open at a time, so that none is shed on any machine.
   */
  hostile: {
    ...FULL.hostile,
    receivers: 60,
    eventsEach: 10,
    isMachineShared: true,
    atOnce: 440,
    waves: 1,
    gathering: { holdMs: 2 * second, waitsMs: 5.5 * second },
    creates: { perSecond: 120, more: 60, morePerSecond: 15 },
    attemptEndsWithinMs: 30 * second,
    healthy: { perSecond: 100, p99BelowMs: 8 * second, measured: 0.1 },
    inFlightMax: 20,
    warmUp: { creates: 300, perSecond: 150, restMs: 0.5 * second },
    baselineMs: 1.5 * second,
  },
  file: {
    creates: 800,
    purchases: 100,
    kills: 13,
    powerCuts: 12,
    servesMs: [200, 1_200],
    loadMs: 25 * second,
    quietMs: 2 * minute,
  },
};

/** The full form at a fraction of its size: the same laws and waits, fewer events. */
export function scaled(part: number): Form {
  const count = (whole: number): number => Math.max(1, Math.round(whole * part));
  const time = (whole: number, least: number): number => Math.max(least, Math.round(whole * part));
  return {
    ...FULL,
    name: `full × ${part}`,
    creates: count(FULL.creates),
    purchases: count(FULL.purchases),
    office: {
      ...FULL.office,
      payments: count(FULL.office.payments),
      trades: count(FULL.office.trades),
      replays: count(FULL.office.replays),
    },
    crash: { durationMs: time(FULL.crash.durationMs, 20 * second), kills: count(FULL.crash.kills) },
    cuts: {
      ...FULL.cuts,
      durationMs: time(FULL.cuts.durationMs, 20 * second),
      postgresRestarts: count(FULL.cuts.postgresRestarts),
    },
    redis: { ...FULL.redis, durationMs: time(FULL.redis.durationMs, 50 * second), kills: count(FULL.redis.kills) },
    race: { ...FULL.race, keys: count(FULL.race.keys), requests: count(FULL.race.requests) },
    file: {
      ...FULL.file,
      creates: count(FULL.file.creates),
      purchases: count(FULL.file.purchases),
      kills: count(FULL.file.kills),
      powerCuts: count(FULL.file.powerCuts),
      loadMs: time(FULL.file.loadMs, 20 * second),
    },
  };
}
