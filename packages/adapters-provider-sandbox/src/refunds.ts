import { decimal, MINUTE, type Instant, type RefundFailure, type RefundOutcome } from '@gateramp/core/domain';
import type { RefundOrder } from '@gateramp/core/ports';
import { answerOf } from './answer.js';
import { refundsOf, totalGoneBack, type SandboxRefund } from './effects.js';
import type { SandboxOperation } from './operation.js';

/** Refund amounts with a documented outcome; any other succeeds at once. */
export const SANDBOX_REFUNDS = { fails: '13.13', isSlow: '14.14', isNotSent: '15.15' } as const;

/** How long a slow refund stays pending. */
export const SLOW_REFUND_MS = MINUTE;

/** Adds a refund. It fails if all active refunds would exceed the payment. A known refund is unchanged. */
export function withRefund(operation: SandboxOperation, order: RefundOrder): SandboxOperation {
  if (findRefund(operation, order.refundId) !== null) return operation;
  const { refundId, amount, currency, now } = order;
  const isSlow = decimal.equals(amount, SANDBOX_REFUNDS.isSlow);
  const refund: SandboxRefund = {
    refundId,
    amount,
    currency,
    endsAt: isSlow ? now + SLOW_REFUND_MS : now,
    failure: failureOf(operation, order),
  };
  return { ...operation, refunds: [...refundsOf(operation), refund], updatedAt: Math.max(now, operation.updatedAt) };
}

/** The refund at `now`; null if it is not in this ledger. */
export function refundOutcome(operation: SandboxOperation, refundId: string, now: Instant): RefundOutcome | null {
  const refund = findRefund(operation, refundId);
  if (refund === null) return null;
  if (now < refund.endsAt) return { kind: 'pending', checkAfterMs: refund.endsAt - now };
  return refund.failure === null ? { kind: 'succeeded' } : { kind: 'failed', failure: refund.failure };
}

/** Whether the order never reaches the ledger, as if the connection to the provider was refused. */
export function isNotSent({ amount }: RefundOrder): boolean {
  return decimal.equals(amount, SANDBOX_REFUNDS.isNotSent);
}

/** A refusal of a refund by this ledger. */
export function notRefundable(message: string): RefundFailure {
  return { code: 'not_refundable', message };
}

function failureOf(operation: SandboxOperation, { amount, currency, now }: RefundOrder): RefundFailure | null {
  const { plan, state } = operation;
  const isSettled = answerOf(operation, now)?.outcome.kind === 'succeeded';
  if (plan?.flow !== 'on_ramp' || !isSettled) return notRefundable('Only a settled on-ramp payment can be refunded.');
  if (state.step === 'moving' && state.ending?.returned) return notRefundable('This payment is returned as a whole.');
  const { source } = plan.price;
  const left = decimal.subtract(source.amount ?? '0', totalGoneBack(operation));
  if (source.currency !== currency || decimal.compare(amount, left) > 0)
    return notRefundable('The refund is more than what is left of the payment.');
  if (decimal.equals(amount, SANDBOX_REFUNDS.fails))
    return { code: 'refund_declined', message: 'The bank declined the refund.' };
  return null;
}

function findRefund(operation: SandboxOperation, refundId: string): SandboxRefund | null {
  return refundsOf(operation).find((refund) => refund.refundId === refundId) ?? null;
}
