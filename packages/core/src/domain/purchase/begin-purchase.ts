import type { Instant } from '../instant.js';
import { type Intent, isLive, type PaymentMethod } from '../intent/intent.js';
import type { JsonText } from '../json.js';
import type { Scope } from '../mode.js';
import type { Policy } from '../policy.js';
import type { Session } from '../session/session.js';
import type { PaymentAttempt } from '../session/terms.js';
import { NOTHING_ON_CHAIN, stagesOf, type Transaction } from '../transaction/transaction.js';
import type { Purchase, SessionPurchase } from './purchase.js';

/**
 * Holds a session from the commit of a provider step until its outcome is known, and while its intent is processing (`docs/spec-notes.md`,
 * the deliberate deviation). The hold changes the version of the session's row, so a concurrent change that decided to close the session
 * before the step was committed fails on the version.
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

/** Whether a step of unknown outcome is pending, or the provider has reported that money moves. */
export function mayBeMoving(intent: Intent): boolean {
  return intent.status === 'processing' || (isLive(intent) && intent.stepTaskId !== null);
}

/** Records that a further provider step is pending. */
export function beginStep<Whole extends Purchase>(purchase: Whole, taskId: string, now: Instant, policy: Policy): Whole;
export function beginStep(purchase: Purchase, taskId: string, now: Instant, policy: Policy): Purchase {
  const intent: Intent = { ...purchase.intent, stepTaskId: taskId, updatedAt: now };
  return holdWhileMoving({ ...purchase, intent }, now, policy);
}

/** Ends the step, whatever its outcome. Updates from elsewhere never end a step, because it may still move money. */
export function endStep<Whole extends Purchase>(purchase: Whole, taskId: string, now: Instant, policy: Policy): Whole;
export function endStep(purchase: Purchase, taskId: string, now: Instant, policy: Policy): Purchase {
  if (purchase.intent.stepTaskId !== taskId) return purchase;
  return holdWhileMoving({ ...purchase, intent: { ...purchase.intent, stepTaskId: null } }, now, policy);
}

/** The fields of a new intent; ids are generated beforehand. */
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

/** Begins the session's next intent and its first step. The session must be open and have no live intent. */
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

/**
 * The provider's idempotency key for the next attempt of a session. Derived from the session, so that an attempt repeated after a restore
 * of the database lost it has the same key, and the provider returns its earlier result instead of selling twice.
 */
export function nextOperationId({ id, attempts, restoredBy }: Session): string {
  const operationId = `op_${id}_${attempts + 1}`;
  return restoredBy === undefined ? operationId : restoredOperationId(operationId, restoredBy);
}

/** The key of an operation that a return to a checkpoint has restored. */
export function restoredOperationId(operationId: string, restoredBy: string): string {
  return `${operationId.replace(/_r[0-9a-f]{24}$/, '')}_r${restoredBy}`;
}

/** The session or payment that an intent belongs to. */
interface IntentOwner extends Scope {
  readonly sessionId: string | null;
  /** Including this one. */
  readonly attempts: number;
}

/** A new intent whose first step is pending. */
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

/** The partner's references on a purchase. */
interface PurchaseNotes {
  readonly userReference: string | null;
  readonly metadata: JsonText;
}

/** The transaction of a new intent; no money has moved. */
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
    ...NOTHING_ON_CHAIN,
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
