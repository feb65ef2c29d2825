import type { PurchaseStep, RailPurchase } from '../purchase/purchase.js';
import type { Announcement } from '../session/session.js';
import type { RailPayment } from './rail-payment.js';
import { payInResource, payOutResource } from './rail-resource.js';

/**
 * A payment over rails follows its intent and transaction, and announces every change of its status with the whole of itself, before
 * whatever else the step announces. Done twice it does no more.
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
    // What was once shown stays to be read, also when it is no longer waited for.
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
