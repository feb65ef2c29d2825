import { scopeOf, type Scope } from '../../domain/mode.js';
import type { Intent } from '../../domain/intent/intent.js';
import type { Purchase } from '../../domain/purchase/purchase.js';
import type { Task } from '../../domain/task/task.js';
import { refundsOf } from '../../domain/transaction/refund.js';
import type { Refund, Transaction } from '../../domain/transaction/transaction.js';
import type { Provider, RefundingProvider, RefundOrder } from '../../ports/provider.js';
import type { Engine } from '../engine.js';
import { loadPurchase } from '../intents/load-purchase.js';
import { providerNamed } from '../providers/route-provider.js';
import { raiseAlarmIfDue } from '../tasks/task-alarm.js';
import { notReached } from '../providers/not-reached.js';
import { commitRefund } from './commit-refund.js';

/**
 * Runs the step of a refund that is pending, or whose first call was lost. It is looked up first. One that the provider has never seen is
 * sent: it holds no secret, and the provider is idempotent on its id, so a lost call that still arrives moves nothing more. A call that was
 * not sent ends nothing here, since an earlier one may still arrive: it is tried again.
 */
export async function continueRefund(engine: Engine, task: Task): Promise<void> {
  const purchase = await loadPurchase(engine, scopeOf(task), task.subjectId);
  const refund = refundsOf(purchase.transaction).find(({ taskId }) => taskId === task.id);
  if (refund === undefined) throw new Error('A stored refund is missing.');
  const provider = refundingProvider(engine, purchase.intent);
  const order = refundOrder(engine, purchase, refund);
  const outcome = (await provider.lookupRefund(order)) ?? (await provider.refund(order));
  if (outcome.kind === 'not_sent') throw notReached(outcome);
  if (outcome.kind === 'pending') raiseAlarmIfDue(engine, task, order.now);
  await commitRefund(engine, task, refund.id, outcome);
}

/** The provider of a stored refund, which could refund when that was accepted. */
function refundingProvider(engine: Engine, { provider: name }: Intent): RefundingProvider {
  const provider = providerNamed(engine, name);
  if (!canRefund(provider)) throw new Error(`The provider "${name}" has pending refunds and can no longer refund.`);
  return provider;
}

export function canRefund(provider: Provider): provider is RefundingProvider {
  return provider.refund !== undefined && provider.lookupRefund !== undefined;
}

/** What the provider is asked to do, the same however often. */
export function refundOrder(
  engine: Engine,
  { intent, transaction }: Pick<Purchase, 'intent'> & { readonly transaction: Transaction },
  refund: Refund,
): RefundOrder {
  const { mode }: Scope = intent;
  const { currency } = transaction.source;
  if (currency === null) throw new Error('A refund has no currency.');
  return {
    operationId: intent.operationId,
    refundId: refund.id,
    mode,
    now: engine.clock.now(mode),
    amount: refund.amount,
    currency,
    reason: refund.reason,
  };
}
