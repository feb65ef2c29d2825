import { utcMonth } from '../../domain/instant.js';
import { scopeOf } from '../../domain/mode.js';
import { thresholdsReached } from '../../domain/quota/quota.js';
import { quotaData } from '../../domain/quota/quota-resource.js';
import type { Task } from '../../domain/task.js';
import { emptyChange } from '../../ports/change.js';
import { apply } from '../commit/apply.js';
import { loadAudience, partnerEvent } from '../commit/row-writes.js';
import type { Engine } from '../engine.js';
import { countCompleted } from '../sessions/read-sessions.js';

/**
 * Announces the quota thresholds that completions have reached. Each is a commit of its own, made once per partner, mode, month and
 * threshold even if tasks run concurrently.
 */
export async function checkQuota(engine: Engine, task: Task): Promise<void> {
  const scope = scopeOf(task);
  const partner = await engine.partners.findPartner(scope.partnerId);
  const limit = partner?.completedSessionsQuota ?? null;
  if (limit === null) return;
  // The month in which the completion was counted, which may have ended since.
  const period = task.createdAt;
  const used = await countCompleted(engine, scope, period);
  for (const threshold of thresholdsReached(limit, used)) {
    const data = quotaData(scope, threshold, { limit, used }, period);
    await apply(engine, {
      load: () => loadAudience(engine, scope),
      decide: (audience) => {
        const now = engine.clock.now(scope);
        const change = {
          ...emptyChange(scope, now),
          once: [`quota/${scope.partnerId}/${scope.mode}/${utcMonth(period).start}/${threshold}`],
          ...partnerEvent(engine, audience, scope, { type: `partner.quota.${threshold}`, data }, now),
        };
        return { change, value: null };
      },
    });
  }
}
