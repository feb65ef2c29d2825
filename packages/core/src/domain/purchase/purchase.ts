import { isoTime, type Instant } from '../instant.js';
import { isLive, type Failure, type Intent, type PaymentMethod } from '../intent/intent.js';
import type { JsonText } from '../json/json-text.js';
import type { Scope } from '../mode.js';
import type { Policy } from '../policy.js';
import type { RailPayment } from '../rails/rail-payment.js';
import { announce, whileOpen, type Announcement, type Session, type Transition } from '../session/session.js';
import type { PaymentAttempt } from '../session/terms.js';
import { atStage, presentStage, stagesOf, type Transaction } from '../transaction/transaction.js';

/**
 * An intent with its transaction and whose it is: a session's, or a payment's over rails. It is what a provider update changes, and the
 * rules are the same whoever owns it; only what is announced differs.
 */
export type Purchase = SessionPurchase | RailPurchase;

/** A session with one of its intents and that one's transaction. */
export interface SessionPurchase {
  readonly session: Session;
  readonly intent: Intent;
  readonly transaction: Transaction;
}

/** A payment over rails with its intent and transaction. */
export interface RailPurchase {
  readonly session: null;
  readonly payment: RailPayment;
  readonly intent: Intent;
  readonly transaction: Transaction;
}

/** Whose the purchase is. */
export function ownerOf(purchase: Purchase): Session | RailPayment {
  return purchase.session ?? purchase.payment;
}

/** The next purchase, what it announces, and what an operator must hear of. */
export interface PurchaseStep<Whole extends Purchase = Purchase> {
  readonly purchase: Whole;
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
  readonly attempt: PaymentAttempt;
  readonly sourceToken: string | null;
  readonly sourceNetwork: string | null;
  readonly refundAddress: string | null;
  readonly paymentMethod: PaymentMethod | null;
  readonly countryCode: string | null;
  readonly quoteId: string | null;
}

/** The session's next intent and its first step; the session must be open and have no live one. */
export function beginPurchase(session: Session, input: NewIntent, now: Instant, policy: Policy): SessionPurchase {
  if (session.status !== 'open' || session.intentId !== null) throw new Error('The session cannot begin an intent.');
  const intent = newIntent({ ...session, sessionId: session.id, attempts: session.attempts + 1 }, input, now);
  const begun: SessionPurchase = {
    session: { ...session, intentId: intent.id, attempts: intent.attempt },
    intent,
    transaction: newTransaction(session, intent, now),
  };
  return holdWhileMoving(begun, now, policy);
}

/** Whose an intent is. */
export interface IntentOwner extends Scope {
  readonly sessionId: string | null;
  /** With this one. */
  readonly attempts: number;
}

/** An intent whose first step is under way. */
export function newIntent(owner: IntentOwner, input: NewIntent, now: Instant): Intent {
  const { attempt } = input;
  return {
    id: input.id,
    sessionId: owner.sessionId,
    partnerId: owner.partnerId,
    mode: owner.mode,
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
    attempt: owner.attempts,
    txRefid: input.txRefid,
    createdAt: now,
    updatedAt: now,
    expiresAt: null,
  };
}

/** Another step at the provider is under way. */
export function beginStep<Whole extends Purchase>(purchase: Whole, taskId: string, now: Instant, policy: Policy): Whole;
export function beginStep(purchase: Purchase, taskId: string, now: Instant, policy: Policy): Purchase {
  const intent: Intent = { ...purchase.intent, stepTaskId: taskId, updatedAt: now };
  return holdWhileMoving({ ...purchase, intent }, now, policy);
}

/** The step is over, whatever came of it. An update from elsewhere never ends one: the step may still move money. */
export function endStep<Whole extends Purchase>(purchase: Whole, taskId: string, now: Instant, policy: Policy): Whole;
export function endStep(purchase: Purchase, taskId: string, now: Instant, policy: Policy): Purchase {
  if (purchase.intent.stepTaskId !== taskId) return purchase;
  return holdWhileMoving({ ...purchase, intent: { ...purchase.intent, stepTaskId: null } }, now, policy);
}

/**
 * A session is held from the commit of a provider step until its outcome is known, and while its intent is processing
 * (`docs/spec-notes.md`, the deliberate deviation). The version of the session's row carries it: whoever decided to close
 * the session before the step was committed finds the row changed.
 */
export function holdWhileMoving<Whole extends Purchase>(purchase: Whole, now: Instant, policy: Policy): Whole;
export function holdWhileMoving(purchase: Purchase, now: Instant, policy: Policy): Purchase {
  const { intent } = purchase;
  const isHeld = policy.expiry === 'hold_while_processing' && mayBeMoving(intent);
  if (purchase.session === null) {
    const { payment } = purchase;
    const heldSince = isHeld ? (payment.heldSince ?? now) : null;
    return heldSince === payment.heldSince ? purchase : { ...purchase, payment: { ...payment, heldSince } };
  }
  const { session } = purchase;
  if (session.intentId !== intent.id) return purchase;
  const heldSince = isHeld ? (session.heldSince ?? now) : null;
  return heldSince === session.heldSince ? purchase : { ...purchase, session: { ...session, heldSince } };
}

/** A step is under way whose outcome nobody knows, or the provider has said that money moves. */
export function mayBeMoving(intent: Intent): boolean {
  return intent.status === 'processing' || (isLive(intent) && intent.stepTaskId !== null);
}

/** What the partner knows the purchase by. */
export interface PurchaseNotes {
  readonly userReference: string | null;
  readonly metadata: JsonText;
}

/** The record of an intent's money, of which nothing has moved. */
export function newTransaction(notes: PurchaseNotes, intent: Intent, now: Instant): Transaction {
  const fiat = { amount: intent.amount, currency: intent.currency, network: null };
  const bought = { amount: null, currency: intent.targetToken, network: intent.targetNetwork };
  const sold = { amount: null, currency: intent.sourceToken, network: intent.sourceNetwork };
  return {
    refid: intent.txRefid,
    sessionId: intent.sessionId,
    intentId: intent.id,
    partnerId: intent.partnerId,
    mode: intent.mode,
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
    userReference: notes.userReference,
    metadata: notes.metadata,
    stages: stagesOf(intent.flow).map((type) => ({ type, status: 'pending', failureCode: null, updatedAt: now })),
    failure: null,
    settledAfterClose: false,
    createdAt: now,
    updatedAt: now,
    completedAt: null,
  };
}

/** The intent ends without money having moved, because its buyer, its partner, its session or its clock ended it. */
export function endIntent<Whole extends Purchase>(purchase: Whole, now: Instant): Whole;
export function endIntent(purchase: Purchase, now: Instant): Purchase {
  const { intent, transaction } = purchase;
  if (!isLive(intent)) return purchase;
  return {
    ...releaseIntent(purchase),
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

/** The attempt failed: its session stays as it is, if open free for another (spec: States). */
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

/**
 * An open session announces what has become of its attempt. A payment over rails announces its own change,
 * once the step is whole (`followIntent`).
 */
export function transitionSession(purchase: Purchase, step: (session: Session) => Transition): PurchaseStep {
  if (purchase.session === null) return { purchase, announcements: [], alarms: [] };
  const announced = whileOpen(purchase.session, step);
  return { purchase: { ...purchase, session: announced.session }, announcements: announced.announcements, alarms: [] };
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
function releaseIntent(purchase: Purchase): Purchase {
  if (purchase.session === null) return { ...purchase, payment: { ...purchase.payment, heldSince: null } };
  const { session, intent } = purchase;
  if (session.intentId !== intent.id) return purchase;
  return { ...purchase, session: { ...session, intentId: null, heldSince: null } };
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
