const second = 1_000;
const minute = 60 * second;

/** What the full form promises. Times are milliseconds; `creates` and `purchases` are what clients must see acknowledged. */
export const FULL = {
  name: 'full',
  seed: 1,
  creates: 50_000,
  purchases: 10_000,
  shoppers: 2,
  processes: { api: 2, worker: 2 },
  /** Of deliveries refused by the receivers, and of those how many hang until the sender gives up. */
  receivers: { failing: 0.2, hanging: 0.02 },
  crash: { durationMs: 390 * second, kills: 25 },
  cuts: { durationMs: 100 * second, everyMs: [100, 500], commitEveryMs: [150, 600], postgresRestarts: 4 },
  redis: { durationMs: 150 * second, flushEveryMs: [2 * second, 4 * second], kills: 4, pauseMs: 30 * second },
  race: { keys: 500, requests: 20_000, processes: 4 },
  /** After the last fault; then nothing may have been due for longer than `overdueMs` without somebody's lease. */
  quietMs: 2 * minute,
  overdueMs: 67 * second,
  /** For purchases under way when the faults are over. */
  finishWithinMs: 5 * minute,
  /** A purchase that is under way at the end is fine as long as a task carries it on. */
  mayBeUnfinished: false,
};

/** Everything once, in under a minute. */
export const SHORT = {
  ...FULL,
  name: 'short',
  creates: 400,
  purchases: 60,
  shoppers: 1,
  processes: { api: 2, worker: 1 },
  receivers: { failing: 0.2, hanging: 0 },
  crash: { durationMs: 12 * second, kills: 2 },
  cuts: { durationMs: 6 * second, everyMs: [150, 400], commitEveryMs: [150, 400], postgresRestarts: 1 },
  redis: { durationMs: 8 * second, flushEveryMs: [1 * second, 2 * second], kills: 1, pauseMs: 3 * second },
  race: { keys: 25, requests: 1_000, processes: 4 },
  quietMs: 12 * second,
  overdueMs: 8 * second,
  finishWithinMs: 8 * second,
  mayBeUnfinished: true,
};

/** The full form at a part of its size: the same laws and waits, less of everything that happens. */
export function scaled(part) {
  const count = (whole) => Math.max(1, Math.round(whole * part));
  const time = (whole, least) => Math.max(least, Math.round(whole * part));
  return {
    ...FULL,
    name: `full × ${part}`,
    creates: count(FULL.creates),
    purchases: count(FULL.purchases),
    crash: { durationMs: time(FULL.crash.durationMs, 20 * second), kills: count(FULL.crash.kills) },
    cuts: { ...FULL.cuts, durationMs: time(FULL.cuts.durationMs, 20 * second), postgresRestarts: count(FULL.cuts.postgresRestarts) },
    redis: { ...FULL.redis, durationMs: time(FULL.redis.durationMs, 50 * second), kills: count(FULL.redis.kills) },
    race: { ...FULL.race, keys: count(FULL.race.keys), requests: count(FULL.race.requests) },
  };
}
