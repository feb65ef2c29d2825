import type { PurchaseStep, RailPurchase } from '../purchase/purchase.js';
import type { Announcement } from '../session/session.js';
import type { RailPayment } from './rail-payment.js';
import { payInResource, payOutResource } from './rail-resource.js';

/**
 * Updates a payment over rails from its intent and transaction, and announces every status change with the complete resource, before other
 * announcements of the step. Idempotent.
 */
export function followIntent(step: PurchaseStep<RailPurchase>): PurchaseStep<RailPurchase> {
  const { payment: before } = step.purchase;
  const payment = followed(step.purchase);
  if (isSame(before, payment)) return step;
  const announcements =
    before.status === payment.status ? step.announcements : [changeOf(payment), ...step.announcements];
  return { ...step, purchase: { ...step.purchase, payment }, announcements };
}

function followed({ payment, intent, transaction }: RailPurchase): RailPayment {
  const { nextAction } = intent;
  return {
    ...payment,
    status: intent.status,
    source: transaction.source,
    destination: transaction.destination,
    // Instructions stay readable after they are no longer needed.
    instructions: nextAction?.type === 'bank_transfer' ? nextAction : payment.instructions,
    deposit: nextAction?.type === 'crypto_deposit' ? nextAction : payment.deposit,
    failure: intent.failure,
    updatedAt: Math.max(intent.updatedAt, payment.updatedAt),
    completedAt: intent.status === 'succeeded' ? transaction.completedAt : payment.completedAt,
  };
}

function isSame(before: RailPayment, next: RailPayment): boolean {
  return JSON.stringify({ ...next, updatedAt: before.updatedAt }) === JSON.stringify(before);
}

function changeOf(payment: RailPayment): Announcement {
  switch (payment.kind) {
    case 'pay_in':
      return { type: 'pay_in.updated', sequence: null, data: payInResource(payment) };
    case 'pay_out':
      return { type: 'pay_out.updated', sequence: null, data: payOutResource(payment) };
  }
}
