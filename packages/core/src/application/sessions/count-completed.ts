import type { Instant } from '../../domain/instant.js';
import type { Scope } from '../../domain/mode.js';
import { completedSessionsCounter } from '../../domain/quota/quota.js';
import type { Engine } from '../engine.js';

/** How many sessions of the partner have completed in the quota's period that `at` belongs to. */
export async function countCompleted({ store }: Engine, scope: Scope, at: Instant): Promise<number> {
  const [completed] = await store.readCounters([completedSessionsCounter(scope, at)]);
  return Number(completed);
}
