/** An outage without reports for this long may be over. */
const OVER_AFTER_MS = 15_000;
const LOOK_AGAIN_MS = 1_000;

/** The maximum number of kinds. Messages are not part of a kind, as their number is unlimited. */
const KINDS_MAX = 50;

export type Fields = Readonly<Record<string, string | number | null>>;

interface OutageLog {
  /** Called when an outage begins, with the error and fields of the first failure. */
  readonly began: (error: unknown, fields: Fields) => void;
  readonly over: (fields: Fields) => void;
}

export interface OutageTimers {
  readonly now: () => number;
  readonly later: (run: () => void, delayMs: number) => void;
}

/** Whether what was away has worked since `lastAt`, the last failure. `outage` is the kind, as in the log line. */
export type HasRecovered = (outage: string, lastAt: number) => boolean;

interface Outage {
  readonly beganAt: number;
  lastAt: number;
  failures: number;
}

const TIMERS: OutageTimers = {
  now: () => performance.now(),
  later: (run, delayMs) => void setTimeout(run, delayMs).unref(),
};

/**
 * Logs one line when a port becomes unavailable and one when it is back, with the number of failures. While a database is down, every
 * request and every poll fails: a line for each would hide all others.
 */
export function outageLines(
  log: OutageLog,
  hasRecovered: HasRecovered = () => true,
  { now, later }: OutageTimers = TIMERS,
): OutageLog['began'] {
  const outages = new Map<string, Outage>();
  const check = (kind: string, outage: Outage): void => {
    const quietMs = now() - outage.lastAt;
    if (quietMs < OVER_AFTER_MS) return later(() => check(kind, outage), OVER_AFTER_MS - quietMs);
    if (!hasRecovered(kind, outage.lastAt)) return later(() => check(kind, outage), LOOK_AGAIN_MS);
    outages.delete(kind);
    log.over({ outage: kind, failures: outage.failures, lasted_ms: Math.round(outage.lastAt - outage.beganAt) });
  };
  return (error, fields) => {
    const kind = kindOf(error, fields);
    const known = outages.get(kind);
    if (known !== undefined) {
      known.failures += 1;
      known.lastAt = now();
      return;
    }
    if (outages.size >= KINDS_MAX) return;
    const outage: Outage = { beganAt: now(), lastAt: now(), failures: 1 };
    outages.set(kind, outage);
    log.began(error, { outage: kind, ...fields });
    later(() => check(kind, outage), OVER_AFTER_MS);
  };
}

/** By the name of the provider, or by the name of the adapter's error. */
function kindOf(error: unknown, { provider }: Fields): string {
  if (typeof provider === 'string') return `provider ${provider}`;
  return error instanceof Error ? error.name : 'unknown';
}
