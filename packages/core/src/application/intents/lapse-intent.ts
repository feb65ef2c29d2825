import type { Instant } from '../../domain/instant.js';
import { lapseFailure, type Intent } from '../../domain/intent/intent.js';
import { scopeOf } from '../../domain/mode.js';
import { failIntent, hasLapsed } from '../../domain/purchase/end-intent.js';
import type { Purchase, PurchaseStep } from '../../domain/purchase/purchase.js';
import { followIntent } from '../../domain/rails/follow-intent.js';
import { newTask } from '../../domain/task/task.js';
import { emptyChange, type Change } from '../../ports/change.js';
import { apply, unchanged } from '../commit/apply.js';
import { loadAudience, type Audience } from '../commit/audience.js';
import { purchaseEvents } from '../commit/event-writes.js';
import { purchaseWrites } from '../commit/row-writes.js';
import type { Engine } from '../engine.js';
import { loadPurchase } from './load-purchase.js';

/** A required action lapses on the first read after its time, or by its task, whichever is first. */
export async function lapseIfDue(engine: Engine, intent: Intent): Promise<Purchase> {
  const scope = scopeOf(intent);
  const { outcome, value } = await apply(engine, {
    load: async () => {
      const purchase = await loadPurchase(engine, scope, intent.id);
      const now = engine.clock.now(scope.mode);
      return { purchase, now, audience: hasLapsed(purchase.intent, now) ? await loadAudience(engine, scope) : null };
    },
    decide: ({ purchase, now, audience }) =>
      audience === null ? unchanged(purchase) : { change: lapse(engine, purchase, audience, now), value: purchase },
  });
  return outcome === 'unchanged' ? value : loadPurchase(engine, scope, intent.id);
}

function lapse(engine: Engine, before: Purchase, audience: Audience, now: Instant): Change {
  const { intent } = before;
  const scope = scopeOf(intent);
  const { purchase, announcements } = failed(before, now);
  const id = engine.ids.object(now);
  return {
    ...emptyChange(scope, now),
    ...purchaseWrites(before, purchase),
    ...purchaseEvents(engine, audience, purchase, announcements, now),
    tasks: [newTask({ id, kind: 'provider_cancel', ...scope, subjectId: intent.id, dueAt: now }, now)],
  };
}

function failed(before: Purchase, now: Instant): PurchaseStep {
  const failure = lapseFailure(before.intent.nextAction);
  return before.session === null ? followIntent(failIntent(before, failure, now)) : failIntent(before, failure, now);
}
