import type { IntentStatus, NextAction } from '../../../src/domain/intent/intent.js';
import { DEFAULT_POLICY, type Policy } from '../../../src/domain/policy.js';
import { applyOutcome } from '../../../src/domain/purchase/apply-outcome.js';
import { NO_DETAILS, type Outcome, type SettlementDetails } from '../../../src/domain/purchase/outcome.js';
import { endIntent } from '../../../src/domain/purchase/end-intent.js';
import { endStep } from '../../../src/domain/purchase/begin-purchase.js';
import type { SessionPurchase, PurchaseStep } from '../../../src/domain/purchase/purchase.js';
import type { SessionStatus } from '../../../src/domain/session/session.js';
import { NOW, purchase } from '../builders.js';

export const KYC = { type: 'kyc', level: 'basic', fields: ['first_name'] } as const satisfies NextAction;
export const OTP = {
  type: 'payment_authentication',
  challenge: 'otp',
  destination: '••42',
} as const satisfies NextAction;

export const OUTCOMES = {
  kyc: { kind: 'requires_action', nextAction: KYC, reasons: ['amount'] },
  otp: { kind: 'requires_action', nextAction: OTP },
  processing: { kind: 'processing', stage: 'payment' },
  succeeded: { kind: 'succeeded' },
  failed: {
    kind: 'failed',
    failure: { code: 'payment_declined', stage: 'payment', message: 'Declined.', retryable: true },
  },
  cancelled: { kind: 'cancelled' },
  refunded: { kind: 'refunded' },
  charged_back: { kind: 'charged_back' },
  charged_back_in_part: { kind: 'charged_back', dispute: { id: 'dp_1', amount: '10.00', status: 'open' } },
  dispute_won: { kind: 'dispute_won', dispute: { id: 'dp_1', amount: '10.00' } },
  refund_returned: { kind: 'refund_returned', refundId: 'unknown' },
} as const satisfies Record<string, Outcome>;

export type UpdateKind = keyof typeof OUTCOMES;

/** Actions of the buyer's bank, which leave every status as it is. */
export type BankKind = 'charged_back_in_part' | 'dispute_won' | 'refund_returned';

export const UPDATE_KINDS = Object.keys(OUTCOMES) as readonly UpdateKind[];

export const LATER = NOW + 60_000;

export function hear(
  from: SessionPurchase,
  update: UpdateKind,
  at = LATER,
  details: SettlementDetails = NO_DETAILS,
  policy: Policy = DEFAULT_POLICY,
): PurchaseStep<SessionPurchase> | null {
  return applyOutcome(from, { outcome: OUTCOMES[update], details }, { now: at, policy });
}

/** Applies the answers of consecutive steps; each answer ends its step. */
export function heard(from: SessionPurchase, ...all: readonly UpdateKind[]): SessionPurchase {
  return all.reduce((present, update) => answered(hear(present, update)?.purchase ?? present), from);
}

/** Ends the pending step. */
export function answered(purchase: SessionPurchase): SessionPurchase {
  return endStep(purchase, purchase.intent.stepTaskId ?? '', LATER, DEFAULT_POLICY);
}

/** A purchase whose intent reached `status` in the usual way while its session was open. */
export function withIntentAt(status: IntentStatus): SessionPurchase {
  switch (status) {
    case 'created':
      return purchase();
    case 'cancelled':
      return endIntent(purchase(), NOW);
    default:
      return heard(purchase(), status === 'requires_action' ? 'otp' : status);
  }
}

/** The session reached `status` independently: by another intent's late success, its expiry or its partner. */
export function withSessionAt(from: SessionPurchase, status: SessionStatus): SessionPurchase {
  if (from.session.status === status) return from;
  const session = {
    ...from.session,
    status,
    intentId: null,
    heldSince: null,
    txRefid: status === 'completed' ? 'gtx_other' : null,
  };
  return { ...from, session };
}

export function announced(step: PurchaseStep<SessionPurchase> | null): readonly string[] {
  return step === null ? [] : step.announcements.map(({ type }) => type);
}

export const PROCESSING = 'gate_session.processing';
export const COMPLETED = 'gate_session.completed';
export const FAILED = 'gate_session.failed';
export const UPDATED = 'transaction.updated';
