import type { PostgresOperator } from '@gateramp/adapters-store-postgres';
import { databaseCause, type DatabaseCause } from './database/database-cause.js';
import type { WorkerState } from './worker-control.js';

/** Whether this process should receive traffic, with the reasons. */
export interface Readiness {
  readonly object: 'readiness';
  /** `degraded` still serves; `unavailable` and `draining` do not. */
  readonly status: 'ready' | 'degraded' | 'unavailable' | 'draining';
  /** Why the status is not `ready`, the most serious reason first; null if it is. */
  readonly cause: `database_${DatabaseCause}` | 'clock_untrusted' | 'draining' | 'held' | 'redis_unavailable' | null;
  /** `down`: commits fail, or the probe fails or times out. */
  readonly database: 'ok' | 'down' | 'embedded';
  readonly redis: 'ok' | 'degraded' | 'unused';
  /** `untrusted` while the database's time is unknown: nothing is decided then, and requests are answered 503. */
  readonly clock: 'ok' | 'untrusted';
  /** Whether this process does due work; a drained worker is no reason to send it no requests. */
  readonly worker: WorkerState;
}

interface ReadinessParts {
  readonly isDraining: () => boolean;
  /** Null if the store is in memory. */
  readonly operator: Pick<PostgresOperator, 'probe'> | null;
  /** The last error while the commits of this process fail; null while they succeed. */
  readonly commitFailure: () => unknown;
  /** Whether the installation is on hold after a restore: reads are served, purchases are not. */
  readonly isHeld: () => boolean;
  /** Null without Redis. */
  readonly isRedisDegraded: (() => boolean) | null;
  readonly isClockTrusted: () => boolean;
  readonly workerState: () => WorkerState;
}

/** A slower database counts as down: requests would only queue for it. */
const ANSWER_MAX_MS = 1_000;

export async function readiness(parts: ReadinessParts): Promise<Readiness> {
  const { operator, commitFailure, isRedisDegraded, isClockTrusted, workerState } = parts;
  const failure = operator === null ? null : (commitFailure() ?? (await probeFailure(operator)));
  const redis = isRedisDegraded === null ? 'unused' : isRedisDegraded() ? 'degraded' : 'ok';
  const clock = isClockTrusted() ? 'ok' : 'untrusted';
  return {
    object: 'readiness',
    ...verdict(parts, { failure, redis, clock }),
    database: operator === null ? 'embedded' : failure === null ? 'ok' : 'down',
    redis,
    clock,
    worker: workerState(),
  };
}

function verdict(
  { isDraining, isHeld }: ReadinessParts,
  { failure, redis, clock }: Pick<Readiness, 'redis' | 'clock'> & { readonly failure: unknown },
): Pick<Readiness, 'status' | 'cause'> {
  if (isDraining()) return { status: 'draining', cause: 'draining' };
  if (failure !== null) return { status: 'unavailable', cause: `database_${databaseCause(failure)}` };
  if (clock === 'untrusted') return { status: 'unavailable', cause: 'clock_untrusted' };
  if (isHeld()) return { status: 'degraded', cause: 'held' };
  if (redis === 'degraded') return { status: 'degraded', cause: 'redis_unavailable' };
  return { status: 'ready', cause: null };
}

/** The error of the probe; null if it succeeds. */
async function probeFailure(operator: Pick<PostgresOperator, 'probe'>): Promise<unknown> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Error>((resolve) => {
    timer = setTimeout(() => resolve(new Error('The database did not answer in time.')), ANSWER_MAX_MS);
  });
  const probe = operator.probe().then(
    () => null,
    (error: unknown) => error,
  );
  const failure = await Promise.race([probe, late]);
  clearTimeout(timer);
  return failure;
}
