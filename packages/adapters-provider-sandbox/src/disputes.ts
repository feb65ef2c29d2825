import { type BankActions, decimal, type Instant, type ReportedDispute } from '@gateramp/core/domain';
import { disputesOf, refundsOf, totalGoneBack, type SandboxDispute } from './effects.js';
import type { SandboxOperation } from './operation.js';

/** A dispute as it is reported. `isRest`: it takes all that is left, which the end of the operation books. */
export interface DisputeEntry extends Pick<ReportedDispute, 'id' | 'amount'> {
  readonly isWon: boolean;
  readonly isRest: boolean;
}

/** Adds the dispute, or marks it as won. A dispute that was won stays so. */
export function withDispute(operation: SandboxOperation, entry: DisputeEntry, now: Instant): SandboxOperation {
  const { id, amount, isWon, isRest } = entry;
  const disputes = disputesOf(operation);
  const known = disputes.find((one) => one.id === id);
  if (known !== undefined && (known.wonAt !== null || !isWon)) return operation;
  const currency = operation.plan?.price.source.currency ?? '';
  const wonAt = isWon ? now : null;
  const changed: SandboxDispute =
    known === undefined ? { id, amount, currency, at: now, isRest, wonAt } : { ...known, wonAt };
  const next = known === undefined ? [...disputes, changed] : disputes.map((one) => (one === known ? changed : one));
  return { ...operation, disputes: next, updatedAt: now };
}

/** What the buyer's bank can still take back of a payment; null if that is nothing. */
export function amountLeft(operation: SandboxOperation): string | null {
  const { plan, state } = operation;
  if (plan?.flow !== 'on_ramp' || (state.step === 'moving' && state.ending?.returned)) return null;
  const left = decimal.subtract(plan.price.source.amount ?? '0', totalGoneBack(operation));
  return decimal.isPositive(left) ? left : null;
}

/** Whether a dispute of that amount takes all that is left of the payment. */
export function isFull(operation: SandboxOperation, amount: string): boolean {
  const left = amountLeft(operation);
  return left === null || decimal.compare(amount, left) >= 0;
}

/** Marks a completed refund as sent back by the buyer's bank. Has no effect on any other refund. */
export function withReturnedRefund(operation: SandboxOperation, refundId: string, now: Instant): SandboxOperation {
  const refund = refundsOf(operation).find((one) => one.refundId === refundId);
  if (refund === undefined || refund.failure !== null || now < refund.endsAt || (refund.returnedAt ?? null) !== null)
    return operation;
  const refunds = refundsOf(operation).map((one) => (one === refund ? { ...one, returnedAt: now } : one));
  return { ...operation, refunds, updatedAt: now };
}

/** What the buyer's bank has done, in the engine's terms. */
export function bankActionsOf(operation: SandboxOperation): BankActions {
  const disputes = disputesOf(operation).map(({ id, amount, wonAt }): ReportedDispute => ({
    id,
    amount,
    status: wonAt === null ? 'open' : 'won',
  }));
  const returnedRefunds = refundsOf(operation)
    .filter(({ returnedAt = null }) => returnedAt !== null)
    .map(({ refundId }) => refundId);
  return {
    ...(disputes.length === 0 ? {} : { disputes }),
    ...(returnedRefunds.length === 0 ? {} : { returnedRefunds }),
  };
}
