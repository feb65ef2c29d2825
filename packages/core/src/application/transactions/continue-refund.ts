import { ok, type Result } from 'neverthrow';
import { type Instant, SECOND } from '../../domain/instant.js';
import type { Intent } from '../../domain/intent/intent.js';
import { storable } from '../../domain/json.js';
import { scopeOf } from '../../domain/mode.js';
import { applyRefund } from '../../domain/purchase/apply-outcome.js';
import type { Purchase } from '../../domain/purchase/purchase.js';
import { dueByAlarm, finishTask, postponeTask, type Task } from '../../domain/task.js';
import { type RefundOutcome, refundsOf } from '../../domain/transaction/refund.js';
import type { Refund, Transaction } from '../../domain/transaction/transaction.js';
import { type Change, emptyChange } from '../../ports/change.js';
import type { Provider, RefundingProvider, RefundOrder } from '../../ports/provider.js';
import { execute, type ExecuteResult } from '../commit/execute.js';
import { type Audience, type KeyRefusal, loadAudience, purchaseEvents, purchaseWrites } from '../commit/row-writes.js';
import type { Engine } from '../engine.js';
import type { Idempotent } from '../idempotency/idempotent.js';
import { loadPurchase } from '../intents/read-intents.js';
import { notReached } from '../providers/call-providers.js';
import { providerNamed } from '../providers/route-provider.js';
import { raiseAlarmIfDue } from '../sessions/close-session.js';

/** Minimum interval between look-ups of one refund. */
const CHECK_GAP_MIN = SECOND;

/**
 * Commits the provider's report of a refund and finishes its task, or postpones it while the refund is pending. `lost` if another process
 * has claimed the task since; that process's commit counts.
 */
export async function commitRefund(
  engine: Engine,
  task: Task,
  refundId: string,
  given: RefundOutcome,
  idempotent: Idempotent<Purchase> | null = null,
): Promise<Result<ExecuteResult<Purchase>, KeyRefusal>> {
  const scope = scopeOf(task);
  const outcome = storable(given);
  return execute<OutcomeContext, Purchase, never>(
    engine,
    {
      load: async () =>
        ok({
          before: await loadPurchase(engine, scope, task.subjectId),
          audience: await loadAudience(engine, scope),
        }),
      decide: ({ before, audience }) => {
        const now = engine.clock.now(scope);
        const { purchase, announcements } = applyRefund(before, refundId, outcome, now) ?? unchanged(before);
        const change: Change = {
          ...emptyChange(scope, now),
          ...purchaseWrites(before, purchase),
          ...purchaseEvents(engine, audience, purchase, announcements, now),
          finishes: [{ row: nextTask(task, outcome, now), leaseToken: leaseOf(task) }],
        };
        return ok({ change, value: purchase });
      },
    },
    idempotent,
  );
}

/** The state that the outcome is applied to. */
interface OutcomeContext {
  readonly before: Purchase;
  readonly audience: Audience;
}

function unchanged(purchase: Purchase) {
  return { purchase, announcements: [] };
}

/** A refund has one task, which stays pending until the refund ends. */
function nextTask(task: Task, outcome: RefundOutcome, now: Instant): Task {
  if (outcome.kind !== 'pending') return finishTask(task);
  const next = now + Math.max(outcome.checkAfterMs, CHECK_GAP_MIN);
  return postponeTask(task, dueByAlarm(task, now, next));
}

function leaseOf({ leaseToken }: Task): string {
  if (leaseToken === null) throw new Error('A task needs a lease to be run.');
  return leaseToken;
}

/**
 * Continues a refund that is pending, or whose first call was lost. The refund is looked up first. If the provider has never seen it, it is
 * sent: it contains no secret, and the provider is idempotent on its id, so a delayed earlier call moves no additional money. A call that
 * was not sent is retried and does not fail the refund, since an earlier one may still arrive.
 */
export async function continueRefund(engine: Engine, task: Task): Promise<void> {
  const purchase = await loadPurchase(engine, scopeOf(task), task.subjectId);
  const refund = refundsOf(purchase.transaction).find(({ taskId }) => taskId === task.id);
  if (refund === undefined) throw new Error('A stored refund is missing.');
  const provider = storedRefundProvider(engine, purchase.intent);
  const order = refundOrder(engine, purchase, refund);
  const outcome = (await provider.lookupRefund(order)) ?? (await provider.refund(order));
  if (outcome.kind === 'not_sent') throw notReached(outcome);
  if (outcome.kind === 'pending') raiseAlarmIfDue(engine, task, order.now);
  await commitRefund(engine, task, refund.id, outcome);
}

/** The provider of a stored refund, which supported refunds when it was accepted. */
function storedRefundProvider(engine: Engine, { provider: name }: Intent): RefundingProvider {
  const provider = providerNamed(engine, name);
  if (!canRefund(provider)) throw new Error(`The provider "${name}" has pending refunds and can no longer refund.`);
  return provider;
}

export function canRefund(provider: Provider): provider is RefundingProvider {
  return provider.refund !== undefined && provider.lookupRefund !== undefined;
}

/** The order for the provider, identical on every call apart from the time. */
export function refundOrder(
  engine: Engine,
  { intent, transaction }: Pick<Purchase, 'intent'> & { readonly transaction: Transaction },
  refund: Refund,
): RefundOrder {
  const { currency } = transaction.source;
  if (currency === null) throw new Error('A refund has no currency.');
  return {
    operationId: intent.operationId,
    refundId: refund.id,
    mode: intent.mode,
    now: engine.clock.now(intent),
    amount: refund.amount,
    currency,
    reason: refund.reason,
  };
}
