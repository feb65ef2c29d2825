import { ok, type Result } from 'neverthrow';
import type { Instant } from '../../domain/instant.js';
import { storable } from '../../domain/json/storable.js';
import { scopeOf } from '../../domain/mode.js';
import type { Purchase } from '../../domain/purchase/purchase.js';
import { applyRefund } from '../../domain/purchase/refund-purchase.js';
import { dueByAlarm, finishTask, postponeTask, type Task } from '../../domain/task/task.js';
import type { RefundOutcome } from '../../domain/transaction/refund.js';
import { emptyChange, type Change } from '../../ports/change.js';
import { loadAudience, type Audience } from '../commit/audience.js';
import { purchaseEvents } from '../commit/event-writes.js';
import { execute, type Executed } from '../commit/execute.js';
import { purchaseWrites } from '../commit/row-writes.js';
import type { KeyRefusal } from '../commit/stored-reply.js';
import type { Engine } from '../engine.js';
import type { Idempotent } from '../idempotency/idempotent.js';
import { loadPurchase } from '../intents/load-purchase.js';

/**
 * Commits what the provider said of a refund and finishes its task, or postpones it while the refund is pending. `lost` when another
 * process has claimed the task since: what that one commits counts.
 */
export async function commitRefund(
  engine: Engine,
  task: Task,
  refundId: string,
  given: RefundOutcome,
  idempotent: Idempotent<Purchase> | null = null,
): Promise<Result<Executed<Purchase>, KeyRefusal>> {
  const scope = scopeOf(task);
  const outcome = storable(given);
  return execute<Circumstances, Purchase, never>(
    engine,
    {
      load: async () =>
        ok({
          before: await loadPurchase(engine, scope, task.subjectId),
          audience: await loadAudience(engine, scope),
        }),
      decide: ({ before, audience }) => {
        const now = engine.clock.now(scope.mode);
        const { purchase, announcements } = applyRefund(before, refundId, outcome, now) ?? unchanged(before);
        const change: Change = {
          ...emptyChange(scope, now),
          ...purchaseWrites(before, purchase),
          ...purchaseEvents(engine, audience, purchase, announcements, now),
          finishes: [{ row: nextTask(engine, task, outcome, now), leaseToken: leaseOf(task) }],
        };
        return ok({ change, value: purchase });
      },
    },
    idempotent,
  );
}

/** What the outcome meets. */
interface Circumstances {
  readonly before: Purchase;
  readonly audience: Audience;
}

function unchanged(purchase: Purchase) {
  return { purchase, announcements: [] };
}

/** The one task of a refund lives as long as the refund is pending. */
function nextTask({ policy }: Engine, task: Task, outcome: RefundOutcome, now: Instant): Task {
  if (outcome.kind !== 'pending') return finishTask(task);
  const next = now + Math.max(outcome.checkAfterMs, policy.refundCheckGapMin);
  return postponeTask(task, dueByAlarm(task, now, next, policy));
}

function leaseOf({ leaseToken }: Task): string {
  if (leaseToken === null) throw new Error('A task needs a lease to be run.');
  return leaseToken;
}
