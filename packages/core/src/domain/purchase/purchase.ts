import { isoTime, type Instant } from '../instant.js';
import { isLive, type Failure, type Intent } from '../intent/intent.js';
import { announce, whileOpen, type Announcement, type Session } from '../session/session.js';
import { atStage, presentStage, stagesOf, type Transaction } from '../transaction/transaction.js';
import type { Policy } from '../policy.js';
import type { Attempt } from '../session/terms.js';
import type { PaymentMethod } from '../intent/intent.js';

/** A session with one of its intents and that intent's transaction: what a provider's news changes. */
export interface Purchase {
  readonly session: Session;
  readonly intent: Intent;
  readonly transaction: Transaction;
}

/** The next purchase, what it announces, and what an operator must hear of. */
export interface PurchaseStep {
  readonly purchase: Purchase;
  readonly announcements: readonly Announcement[];
  readonly alarms: readonly PurchaseAlarm[];
}

/** What about a purchase an operator must hear of. */
export type PurchaseAlarm = 'settled_after_close' | 'charged_back' | 'second_settlement';

/** What an intent is made of; ids are made beforehand. */
export interface NewIntent {
  readonly id: string;
  readonly operationId: string;
  readonly txRefid: string;
  readonly taskId: string;
  readonly provider: string;
  readonly attempt: Attempt;
  readonly sourceToken: string | null;
  readonly sourceNetwork: string | null;
  readonly refundAddress: string | null;
  readonly paymentMethod: PaymentMethod | null;
  readonly countryCode: string | null;
  readonly quoteId: string | null;
}

/** The session's next intent and its first step; the session must be open and have no live one. */
export function beginPurchase(session: Session, input: NewIntent, now: Instant, policy: Policy): Purchase {
  if (session.status !== 'open' || session.intentId !== null) throw new Error('The session cannot begin an intent.');
  const { attempt } = input;
  const intent: Intent = {
    id: input.id,
    sessionId: session.id,
    partnerId: session.partnerId,
    mode: session.mode,
    version: 1,
    flow: attempt.flow,
    status: 'created',
    amount: attempt.amount,
    currency: attempt.currency,
    sourceToken: input.sourceToken,
    sourceNetwork: input.sourceNetwork,
    targetToken: attempt.targetToken,
    targetNetwork: attempt.targetNetwork,
    walletAddress: attempt.walletAddress,
    refundAddress: input.refundAddress,
    paymentMethod: input.paymentMethod,
    countryCode: input.countryCode,
    quoteId: input.quoteId,
    provider: input.provider,
    operationId: input.operationId,
    stepTaskId: input.taskId,
    nextAction: null,
    failure: null,
    attempt: session.attempts + 1,
    txRefid: input.txRefid,
    createdAt: now,
    updatedAt: now,
    expiresAt: null,
  };
  const begun: Purchase = {
    session: { ...session, intentId: intent.id, attempts: intent.attempt },
    intent,
    transaction: newTransaction(session, intent, now),
  };
  return holdWhileMoving(begun, now, policy);
}

/** Another step at the provider is under way. */
export function beginStep(purchase: Purchase, taskId: string, now: Instant, policy: Policy): Purchase {
  const intent: Intent = { ...purchase.intent, stepTaskId: taskId, updatedAt: now };
  return holdWhileMoving({ ...purchase, intent }, now, policy);
}

/** The step is over, whatever came of it. News from elsewhere never ends one: the step may still move money. */
export function endStep(purchase: Purchase, taskId: string, now: Instant, policy: Policy): Purchase {
  if (purchase.intent.stepTaskId !== taskId) return purchase;
  return holdWhileMoving({ ...purchase, intent: { ...purchase.intent, stepTaskId: null } }, now, policy);
}

/**
 * A session is held from the commit of a provider step until its outcome is known, and while its intent is processing
 * (`docs/spec-notes.md`, the deliberate deviation). The version of the session's row carries it: whoever decided to close
 * the session before the step was committed finds the row changed.
 */
export function holdWhileMoving(purchase: Purchase, now: Instant, policy: Policy): Purchase {
  const { session, intent } = purchase;
  if (session.intentId !== intent.id) return purchase;
  const isHeld = policy.expiry === 'hold_while_processing' && mayBeMoving(intent);
  const heldSince = isHeld ? (session.heldSince ?? now) : null;
  return heldSince === session.heldSince ? purchase : { ...purchase, session: { ...session, heldSince } };
}

/** A step is under way whose outcome nobody knows, or the provider has said that money moves. */
export function mayBeMoving(intent: Intent): boolean {
  return intent.status === 'processing' || (isLive(intent) && intent.stepTaskId !== null);
}

function newTransaction(session: Session, intent: Intent, now: Instant): Transaction {
  const fiat = { amount: intent.amount, currency: intent.currency, network: null };
  const bought = { amount: null, currency: intent.targetToken, network: intent.targetNetwork };
  const sold = { amount: null, currency: intent.sourceToken, network: intent.sourceNetwork };
  return {
    refid: intent.txRefid,
    sessionId: session.id,
    intentId: intent.id,
    partnerId: session.partnerId,
    mode: session.mode,
    version: 1,
    flow: intent.flow,
    status: 'pending',
    source: intent.flow === 'on_ramp' ? fiat : sold,
    destination: intent.flow === 'off_ramp' ? fiat : bought,
    exchangeRate: null,
    fees: [],
    feeTotal: null,
    paymentMethod: intent.paymentMethod,
    countryCode: intent.countryCode,
    walletAddress: intent.walletAddress,
    txHash: null,
    userReference: session.userReference,
    metadata: session.metadata,
    stages: stagesOf(intent.flow).map((type) => ({ type, status: 'pending', failureCode: null, updatedAt: now })),
    failure: null,
    settledAfterClose: false,
    createdAt: now,
    updatedAt: now,
    completedAt: null,
  };
}

/** The intent ends without money having moved, because its buyer, its session or its clock ended it. */
export function endIntent(purchase: Purchase, now: Instant): Purchase {
  const { intent, transaction } = purchase;
  if (!isLive(intent)) return purchase;
  const session = releaseIntent(purchase.session, intent);
  return {
    session,
    intent: { ...intent, status: 'cancelled', stepTaskId: null, nextAction: null, expiresAt: null, updatedAt: now },
    // Nobody said which stage ended it, so it ends where it stood and claims nothing beyond.
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

/** The attempt failed: the session stays as it is, if open free for another (spec: States). */
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
  const told = whileOpen(releaseIntent(purchase.session, intent), (session) =>
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
  return {
    purchase: {
      session: told.session,
      intent: failed,
      transaction: failTransaction(purchase.transaction, failure, now),
    },
    announcements: told.announcements,
    alarms: [],
  };
}

/** The transaction of an intent that has failed, the stage that failed marked so. */
export function failTransaction(transaction: Transaction, failure: Failure, now: Instant): Transaction {
  const stage = transaction.stages.some((record) => record.type === failure.stage)
    ? failure.stage
    : (presentStage(transaction.stages) ?? failure.stage);
  return {
    ...transaction,
    status: 'failed',
    failure,
    stages: atStage(transaction.stages, stage, 'failed', failure.code, now),
    updatedAt: now,
  };
}

/** A session lets go of its live intent; another one's end does not touch it. */
function releaseIntent(session: Session, intent: Intent): Session {
  if (session.intentId !== intent.id) return session;
  return { ...session, intentId: null, heldSince: null };
}

/** Whether the intent's required action has lapsed; at `expiresAt` itself it may still be done, and a step under way is waited for. */
export function hasLapsed(intent: Intent, now: Instant): boolean {
  return (
    intent.status === 'requires_action' &&
    intent.stepTaskId === null &&
    intent.expiresAt !== null &&
    now > intent.expiresAt
  );
}
