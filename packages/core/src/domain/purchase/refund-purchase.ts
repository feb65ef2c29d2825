import type { Instant } from '../instant.js';
import { settleRefund, type RefundOutcome } from '../transaction/refund.js';
import { announceTransaction } from './apply-outcome.js';
import type { Purchase, PurchaseStep } from './purchase.js';

/** The purchase after what the provider said of a refund, announced once it has ended; null when that changes nothing. */
export function applyRefund(
  purchase: Purchase,
  refundId: string,
  outcome: RefundOutcome,
  now: Instant,
): PurchaseStep | null {
  const transaction = settleRefund(purchase.transaction, refundId, outcome, now);
  return transaction === purchase.transaction ? null : announceTransaction(purchase, transaction, []);
}
