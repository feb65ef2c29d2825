import { isoTime, type Instant } from '../instant.js';
import { type Failure, type Intent, isLive } from '../intent/intent.js';
import { announce } from '../session/session.js';
import { atStage, presentStage, type Transaction, withReturned, withStage } from '../transaction/transaction.js';
import { transitionSession, type Purchase, type PurchaseStep } from './purchase.js';

/** Cancels an intent before money moves, on behalf of its buyer, partner or session, or because its deadline passed. */
export function endIntent<Whole extends Purchase>(purchase: Whole, now: Instant): Whole;
export function endIntent(purchase: Purchase, now: Instant): Purchase {
  const { intent, transaction } = purchase;
  if (!isLive(intent)) return purchase;
  return {
    ...releaseIntent(purchase),
    intent: { ...intent, status: 'cancelled', stepTaskId: null, nextAction: null, expiresAt: null, updatedAt: now },
    // It is unknown which stage ended it, so the current stage is marked failed.
    transaction: failTransaction(
      transaction,
      { ...CANCELLED, stage: presentStage(transaction.stages) ?? CANCELLED.stage },
      now,
    ),
  };
}

const CANCELLED: Failure = {
  code: 'payment_expired',
  stage: 'payment',
  message: 'The attempt was cancelled before money moved.',
  retryable: true,
};

/** Fails the attempt. An open session stays open for another attempt (spec: States). */
export function failIntent<Whole extends Purchase>(
  purchase: Whole,
  failure: Failure,
  now: Instant,
): PurchaseStep<Whole>;
export function failIntent(purchase: Purchase, failure: Failure, now: Instant): PurchaseStep {
  const { intent } = purchase;
  const failed: Intent = {
    ...intent,
    status: 'failed',
    failure,
    stepTaskId: null,
    nextAction: null,
    expiresAt: null,
    updatedAt: now,
  };
  const transaction = failTransaction(purchase.transaction, failure, now);
  return transitionSession({ ...releaseIntent(purchase), intent: failed, transaction }, (session) =>
    announce(session, 'gate_session.failed', {
      intent_id: intent.id,
      failure: {
        code: failure.code,
        stage: failure.stage,
        message: failure.message,
        retryable: failure.retryable,
        occurred_at: isoTime(now),
      },
      attempt: intent.attempt,
    }),
  );
}

/** The transaction of a failed intent, with the failed stage marked. */
function failTransaction(transaction: Transaction, failure: Failure, now: Instant): Transaction {
  const stages = withReturned(withStage(transaction.stages, failure.stage, now), now);
  const stage = stages.some((record) => record.type === failure.stage)
    ? failure.stage
    : (presentStage(stages) ?? failure.stage);
  return {
    ...transaction,
    status: 'failed',
    failure,
    stages: atStage(stages, stage, 'failed', failure.code, now),
    updatedAt: now,
  };
}

/** Detaches the intent from its session, unless the session already has another one. */
function releaseIntent(purchase: Purchase): Purchase {
  if (purchase.session === null) return { ...purchase, payment: { ...purchase.payment, heldSince: null } };
  const { session, intent } = purchase;
  if (session.intentId !== intent.id) return purchase;
  return { ...purchase, session: { ...session, intentId: null, heldSince: null } };
}

/** Whether the required action has expired. At `expiresAt` itself it can still be completed, and a pending step is awaited. */
export function hasLapsed(intent: Intent, now: Instant): boolean {
  return (
    intent.status === 'requires_action' &&
    intent.stepTaskId === null &&
    intent.expiresAt !== null &&
    now > intent.expiresAt
  );
}
