import type { PostgresOperator } from '@gateramp/adapters-store-postgres';
import type { WorkerState } from './worker-control.js';

/** Whether this process should receive traffic, with the reasons. */
export interface Readiness {
  readonly object: 'readiness';
  /** `degraded` still serves; `unavailable` and `draining` do not. */
  readonly status: 'ready' | 'degraded' | 'unavailable' | 'draining';
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
  /** Whether the commits of this process fail. */
  readonly areCommitsFailing: () => boolean;
  /** Whether the installation is on hold after a restore: reads are served, purchases are not. */
  readonly isHeld: () => boolean;
  /** Null without Redis. */
  readonly isRedisDegraded: (() => boolean) | null;
  readonly isClockTrusted: () => boolean;
  readonly workerState: () => WorkerState;
}

/** A slower database counts as down: requests would only queue for it. */
const ANSWER_MAX_MS = 1_000;

export async function readiness({
  isDraining,
  operator,
  areCommitsFailing,
  isHeld,
  isRedisDegraded,
  isClockTrusted,
  workerState,
}: ReadinessParts): Promise<Readiness> {
  const database = operator === null ? 'embedded' : !areCommitsFailing() && (await serves(operator)) ? 'ok' : 'down';
  const redis = isRedisDegraded === null ? 'unused' : isRedisDegraded() ? 'degraded' : 'ok';
  const clock = isClockTrusted() ? 'ok' : 'untrusted';
  return {
    object: 'readiness',
    status: statusOf({ isDraining: isDraining(), isHeld: isHeld() }, { database, redis, clock }),
    database,
    redis,
    clock,
    worker: workerState(),
  };
}

function statusOf(
  { isDraining, isHeld }: { readonly isDraining: boolean; readonly isHeld: boolean },
  { database, redis, clock }: Pick<Readiness, 'database' | 'redis' | 'clock'>,
): Readiness['status'] {
  if (isDraining) return 'draining';
  if (database === 'down' || clock === 'untrusted') return 'unavailable';
  return redis === 'degraded' || isHeld ? 'degraded' : 'ready';
}

async function serves(operator: Pick<PostgresOperator, 'probe'>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), ANSWER_MAX_MS);
  });
  const probe = operator.probe().then(
    () => true,
    () => false,
  );
  const isServing = await Promise.race([probe, late]);
  clearTimeout(timer);
  return isServing;
}
