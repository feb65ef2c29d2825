import type { Pool } from 'pg';
import { probeDatabase } from './database/probe.js';

/** Whether this process should be sent traffic, and why. */
export interface Readiness {
  readonly object: 'readiness';
  /** `degraded` still serves; `unavailable` and `draining` do not. */
  readonly status: 'ready' | 'degraded' | 'unavailable' | 'draining';
  readonly database: 'ok' | 'down' | 'embedded';
  readonly redis: 'ok' | 'degraded' | 'unused';
}

export interface ReadinessParts {
  readonly isDraining: () => boolean;
  /** Null where the store is in memory. */
  readonly opsPool: Pool | null;
  /** Null where Redis is not used. */
  readonly isRedisDegraded: (() => boolean) | null;
}

/** A database that takes longer is as good as away: requests would only queue for it. */
export const ANSWER_MAX_MS = 1_000;

export async function readiness({ isDraining, opsPool, isRedisDegraded }: ReadinessParts): Promise<Readiness> {
  const database = opsPool === null ? 'embedded' : (await answers(opsPool)) ? 'ok' : 'down';
  const redis = isRedisDegraded === null ? 'unused' : isRedisDegraded() ? 'degraded' : 'ok';
  return { object: 'readiness', status: statusOf(isDraining(), database, redis), database, redis };
}

function statusOf(isDraining: boolean, database: Readiness['database'], redis: Readiness['redis']): Readiness['status'] {
  if (isDraining) return 'draining';
  if (database === 'down') return 'unavailable';
  return redis === 'degraded' ? 'degraded' : 'ready';
}

async function answers(pool: Pool): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), ANSWER_MAX_MS);
  });
  const asked = probeDatabase(pool).then(
    () => true,
    () => false,
  );
  const isAnswered = await Promise.race([asked, late]);
  clearTimeout(timer);
  return isAnswered;
}
