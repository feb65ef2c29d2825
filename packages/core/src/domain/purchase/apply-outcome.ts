import type { Instant } from '../instant.js';
import { depositAddressField } from '../intent/attempt-fields.js';
import { nextActionMembers } from '../intent/intent-resource.js';
import {
  type Failure,
  type IdentityCheck,
  type Intent,
  isInReview,
  isLive,
  kycRequirement,
  type NextAction,
  type Stage,
} from '../intent/intent.js';
import { toJsonText } from '../json.js';
import { isRedirectUrl } from '../origin/origin.js';
import type { Policy } from '../policy.js';
import { followIntent } from '../rails/follow-intent.js';
import { announce, announceData, type Announcement, complete, isTerminal } from '../session/session.js';
import { disputesOf, type RefundOutcome, settleRefund, withBankActions } from '../transaction/refund.js';
import { transactionResource } from '../transaction/transaction-resource.js';
import { atStage, rank, type StageRecord, type Transaction } from '../transaction/transaction.js';
import { holdWhileMoving } from './begin-purchase.js';
import { endIntent, failIntent } from './end-intent.js';
import { bankActionsOf, isPartial, withDetails } from './outcome.js';
import type { Outcome, SettlementDetails, UpdateSource } from './outcome.js';
import { ownerOf, type Purchase, type PurchaseStep, transitionSession } from './purchase.js';

/** What a provider reports. */
interface ReportedOutcome {
  readonly outcome: Outcome;
  readonly details: SettlementDetails;
}

interface UpdateContext extends UpdateSource {
  readonly now: Instant;
  readonly policy: Policy;
}

/**
 * Applies a provider update to the current purchase. Updates may be late, out of order or repeated: they are accepted by rank, so nothing
 * is lost and nothing happens twice. Returns null when nothing changes.
 */
export function applyOutcome<Whole extends Purchase>(
  purchase: Whole,
  update: ReportedOutcome,
  context: UpdateContext,
): PurchaseStep<Whole> | null;
export function applyOutcome(
  purchase: Purchase,
  { outcome, details }: ReportedOutcome,
  context: UpdateContext,
): PurchaseStep | null {
  const { now, policy } = context;
  const recorded = withBankActions(purchase.transaction, bankActionsOf(outcome, details), now);
  const known = { ...purchase, transaction: withDetails(recorded, details) };
  const moved = isLive(purchase.intent) ? applyToLive(known, outcome, context) : applyToEnded(known, outcome, now);
  const step = recorded === purchase.transaction ? moved : announceBankActions(purchase, recorded, moved);
  if (step === null) return null;
  const held = holdWhileMoving(step.purchase, now, policy);
  const whole = held.session === null ? followIntent({ ...step, purchase: held }) : { ...step, purchase: held };
  return isRepetition(purchase, whole) ? null : whole;
}

/** Polled providers repeat the same report; a later time alone is not a change. */
function isRepetition(before: Purchase, step: PurchaseStep): boolean {
  if (step.announcements.length > 0) return false;
  const { intent, transaction } = step.purchase;
  const timeless = [
    ownerOf(step.purchase),
    { ...intent, updatedAt: before.intent.updatedAt },
    { ...transaction, updatedAt: before.transaction.updatedAt },
  ];
  return JSON.stringify(timeless) === JSON.stringify([ownerOf(before), before.intent, before.transaction]);
}

/** Announces what the buyer's bank has done, unless the step already announces the transaction. A new chargeback raises an alarm once. */
function announceBankActions(before: Purchase, recorded: Transaction, moved: PurchaseStep | null): PurchaseStep {
  const step = moved ?? withoutEvents({ ...before, transaction: recorded });
  const known = disputesOf(before.transaction).map(({ id }) => id);
  const isTaken = disputesOf(recorded).some(({ id, status }) => status !== 'won' && !known.includes(id));
  const isAlarmed = before.transaction.status === 'charged_back' || step.alarms.includes('charged_back');
  const alarms: PurchaseStep['alarms'] = isTaken && !isAlarmed ? [...step.alarms, 'charged_back'] : step.alarms;
  if (step.announcements.some(({ type }) => type === 'transaction.updated')) return { ...step, alarms };
  const announced = announceTransaction(step.purchase, step.purchase.transaction, alarms);
  return { ...announced, announcements: [...step.announcements, ...announced.announcements] };
}

/** Context of an update of a live intent. */
function applyToLive(purchase: Purchase, outcome: Outcome, context: UpdateContext): PurchaseStep | null {
  const { now } = context;
  switch (outcome.kind) {
    case 'requires_action':
      // A late report must not ask again for what the buyer has done. The provider itself may: after a crash, or for a further action.
      if (purchase.intent.status === 'processing' && context.isCurrent !== true) return null;
      if (!canDo(purchase, outcome.nextAction)) return failIntent(purchase, unsupportedAction(outcome.nextAction), now);
      if (depositsAtOwnAddress(purchase, outcome.nextAction)) return failIntent(purchase, DEPOSIT_AT_OWN_ADDRESS, now);
      return requireAction(purchase, outcome, context);
    case 'processing':
      return process(purchase, outcome.stage, now);
    case 'succeeded':
      // Another intent's late success may have closed the session while this one was live.
      return purchase.session !== null && isTerminal(purchase.session)
        ? settleLate(purchase, now)
        : succeed(purchase, now);
    case 'failed':
      return failIntent(purchase, outcome.failure, now);
    case 'cancelled':
      return withoutEvents(endIntent(purchase, now));
    case 'refunded':
    case 'charged_back':
      return isPartial(outcome, purchase.transaction) ? null : returned(purchase, outcome.kind, now);
    case 'dispute_won':
    case 'refund_returned':
      return null;
  }
}

function requireAction(
  purchase: Purchase,
  { nextAction: requested, reasons = [] }: Extract<Outcome, { kind: 'requires_action' }>,
  { now, policy, isConfirmed = false }: UpdateContext,
): PurchaseStep {
  const nextAction = withinSession(purchase, requested);
  // Repeating the same action must not extend its deadline, or a polled action would never expire.
  const repeated = isSameAction(purchase.intent.nextAction, nextAction, isConfirmed);
  const expiresAt = (repeated ? purchase.intent.expiresAt : null) ?? lapseAt(purchase, nextAction, now, policy);
  const intent: Intent = {
    ...purchase.intent,
    status: 'requires_action',
    nextAction: repeated && nextAction.type !== 'payment_authentication' ? purchase.intent.nextAction : nextAction,
    expiresAt,
    updatedAt: now,
  };
  const stage = stageOfAction(nextAction);
  const transaction = {
    ...purchase.transaction,
    stages: atStage(purchase.transaction.stages, stage, 'processing', null, now),
    updatedAt: now,
  };
  const next: Purchase = { ...withDepositAddress(purchase, nextAction), intent, transaction };
  if (nextAction.type !== 'kyc' || purchase.intent.nextAction?.type === 'kyc') return withoutEvents(next);
  return transitionSession(next, (session) =>
    announceData(session, 'kyc.required', kycRequirement(session, intent, nextAction.level, reasons)),
  );
}

/** A closed session accepts no money, so bank transfer instructions expire no later than the session. */
function withinSession({ session, intent }: Purchase, action: NextAction): NextAction {
  if (action.type === 'kyc' && action.documents?.inReview === true) return underReview(intent.nextAction, action);
  if (session === null || action.type !== 'bank_transfer') return action;
  return { ...action, expiresAt: Math.min(action.expiresAt, session.expiresAt) };
}

/** During a review the uploaded documents stay recorded; a new request of the provider starts with none. */
function underReview(present: NextAction | null, action: IdentityCheck): IdentityCheck {
  if (action.documents === undefined || present?.type !== 'kyc') return action;
  const received = present.documents?.received ?? [];
  return { ...action, documents: { ...action.documents, received } };
}

/**
 * The deadline of an action. The provider sets it for bank transfers and, over rails, deposits; the policy sets all others. For the
 * provider's pages and components the earlier of the two applies.
 */
function lapseAt({ session }: Purchase, action: NextAction, now: Instant, policy: Policy): Instant {
  if (action.type === 'redirect' || action.type === 'provider_component')
    return Math.min(action.expiresAt, now + policy.intentActionLifetime);
  // During a review nothing is required of the buyer and no money moves, so the session's expiry is the limit.
  if (session !== null && isInReview(action)) return session.expiresAt;
  const isProvidersToSay = action.type === 'bank_transfer' || (session === null && action.type === 'crypto_deposit');
  return isProvidersToSay ? action.expiresAt : now + policy.intentActionLifetime;
}

function isSameAction(present: NextAction | null, next: NextAction, isConfirmed: boolean): boolean {
  const text = (action: NextAction | null) => toJsonText(nextActionMembers(comparable(action, isConfirmed)));
  return text(present) === text(next);
}

/**
 * Removes the parts that do not identify an action: the component's secret, whose encrypted form differs each time, the time of the next
 * one-time code, and the received documents, unless the provider's answer to those documents is to request them again.
 */
function comparable(action: NextAction | null, isConfirmed: boolean): NextAction | null {
  if (action?.type === 'kyc' && action.documents !== undefined && !isConfirmed)
    return { ...action, documents: { ...action.documents, received: [] } };
  if (action?.type === 'payment_authentication') return { ...action, resendAt: 0 };
  return action?.type === 'provider_component' ? { ...action, clientSecret: '' } : action;
}

/** Whether the action is possible. Over rails there is no checkout, so only money can be awaited; unsafe redirect URLs are refused. */
function canDo({ session }: Purchase, action: NextAction): boolean {
  if (action.type === 'redirect' && !isRedirectUrl(action.url)) return false;
  return session !== null || action.type === 'bank_transfer' || action.type === 'crypto_deposit';
}

function unsupportedAction(action: NextAction): Failure {
  return {
    code: action.type === 'kyc' ? 'kyc_rejected' : 'error',
    stage: stageOfAction(action),
    message: 'The provider requires an action that is not possible here; nothing was charged.',
    retryable: false,
  };
}

/** Whether the deposit address is one that the buyer gave as their own: a payout or refund there would go back to the provider. */
function depositsAtOwnAddress({ intent }: Purchase, action: NextAction): boolean {
  if (action.type !== 'crypto_deposit') return false;
  const own = { wallet_address: intent.walletAddress, refund_address: intent.refundAddress };
  return depositAddressField([action.address], own) !== null;
}

/** Records the deposit address in the session, so that a later attempt cannot give it as the buyer's own. */
function withDepositAddress(purchase: Purchase, action: NextAction): Purchase {
  if (purchase.session === null || action.type !== 'crypto_deposit') return purchase;
  const { session } = purchase;
  const known = session.depositAddresses ?? [];
  if (known.includes(action.address)) return purchase;
  return { ...purchase, session: { ...session, depositAddresses: [...known, action.address] } };
}

const DEPOSIT_AT_OWN_ADDRESS: Failure = {
  code: 'wallet_address_invalid',
  stage: 'deposit',
  message: 'This is the address to send the deposit to. Enter an address of your own wallet.',
  retryable: true,
};

function stageOfAction(action: NextAction): Stage {
  switch (action.type) {
    case 'kyc':
      return 'kyc';
    case 'payment_authentication':
    case 'bank_transfer':
    case 'redirect':
    case 'provider_component':
      return 'payment';
    case 'crypto_deposit':
      return 'deposit';
  }
}

function process(purchase: Purchase, stage: Stage, now: Instant): PurchaseStep {
  const { intent } = purchase;
  const transaction: Transaction = {
    ...purchase.transaction,
    status: 'processing',
    stages: atStage(purchase.transaction.stages, stage, 'processing', null, now),
    updatedAt: now,
  };
  const next: Intent = { ...intent, status: 'processing', nextAction: null, expiresAt: null, updatedAt: now };
  const moving: Purchase = { ...purchase, intent: next, transaction };
  return hasMoved(purchase) ? withoutEvents(moving) : announceProcessing(moving);
}

/** Whether processing was announced, also if the buyer was asked for a further action since. */
function hasMoved({ intent, transaction }: Purchase): boolean {
  return intent.status === 'processing' || transaction.status === 'processing';
}

/** Money may move from here on; announced once. */
function announceProcessing(purchase: Purchase): PurchaseStep {
  return transitionSession(purchase, (open) =>
    announce(open, 'gate_session.processing', { intent_id: purchase.intent.id }),
  );
}

/** Announces `processing` before `completed` even when the provider settles immediately. */
function succeed(purchase: Purchase, now: Instant): PurchaseStep {
  const { intent } = purchase;
  const entered = hasMoved(purchase) ? withoutEvents(purchase) : announceProcessing(purchase);
  const settled = settledPurchase(entered.purchase, now);
  const announced = transitionSession(settled, (session) => complete(session, intent.txRefid));
  return { ...announced, announcements: [...entered.announcements, ...announced.announcements] };
}

function settledPurchase(purchase: Purchase, now: Instant): Purchase {
  return {
    ...purchase,
    intent: succeededIntent(purchase.intent, now),
    transaction: completed(purchase.transaction, now),
  };
}

/** The money arrived and was returned before success was announced, so the attempt failed. */
function returned(purchase: Purchase, kind: 'refunded' | 'charged_back', now: Instant): PurchaseStep {
  const failed = failIntent(
    purchase,
    {
      code: 'settlement_error',
      stage: 'payment',
      message: 'The payment was returned before it settled.',
      retryable: kind === 'refunded',
    },
    now,
  );
  const transaction: Transaction = { ...failed.purchase.transaction, status: kind, updatedAt: now };
  const announced = announceTransaction(failed.purchase, transaction, kind === 'charged_back' ? ['charged_back'] : []);
  return { ...announced, announcements: [...failed.announcements, ...announced.announcements] };
}

/** The intent has already ended; only an update with a higher rank applies. */
function applyToEnded(purchase: Purchase, outcome: Outcome, now: Instant): PurchaseStep | null {
  const { transaction } = purchase;
  switch (outcome.kind) {
    case 'requires_action':
    case 'processing':
    case 'cancelled':
    case 'failed':
    case 'dispute_won':
    case 'refund_returned':
      return null;
    case 'succeeded':
      return rank('completed') > rank(transaction.status) ? settleLate(purchase, now) : null;
    case 'refunded':
    case 'charged_back': {
      if (rank(outcome.kind) <= rank(transaction.status) || isPartial(outcome, purchase.transaction)) return null;
      const next: Transaction = { ...transaction, status: outcome.kind, updatedAt: now };
      return announceTransaction(purchase, next, outcome.kind === 'charged_back' ? ['charged_back'] : []);
    }
  }
}

/**
 * Money settled for an intent or session that had ended. An open session completes, because the buyer has paid for it. A closed session, or
 * a payment over rails whose end was announced, stays closed: the transaction records the settlement, and an alarm is raised.
 */
function settleLate(purchase: Purchase, now: Instant): PurchaseStep {
  const { session, intent } = purchase;
  if (session?.status === 'open')
    return transitionSession(settledPurchase(purchase, now), (open) => complete(open, intent.txRefid));
  const transaction = { ...completed(purchase.transaction, now), settledAfterClose: true };
  const ended = isLive(intent) ? { ...purchase, intent: succeededIntent(intent, now) } : purchase;
  return announceTransaction(ended, transaction, [
    session?.status === 'completed' ? 'second_settlement' : 'settled_after_close',
  ]);
}

/** Updates the transaction and announces `transaction.updated`. */
function announceTransaction(
  purchase: Purchase,
  transaction: Transaction,
  alarms: PurchaseStep['alarms'],
): PurchaseStep {
  const data = transactionResource(transaction);
  if (purchase.session === null) {
    const announcement: Announcement = { type: 'transaction.updated', sequence: null, data };
    return { purchase: { ...purchase, transaction }, announcements: [announcement], alarms };
  }
  const announced = announceData(purchase.session, 'transaction.updated', data);
  return {
    purchase: { ...purchase, session: announced.session, transaction },
    announcements: announced.announcements,
    alarms,
  };
}

function succeededIntent(intent: Intent, now: Instant): Intent {
  return {
    ...intent,
    status: 'succeeded',
    failure: null,
    nextAction: null,
    stepTaskId: null,
    expiresAt: null,
    updatedAt: now,
  };
}

function completed(transaction: Transaction, now: Instant): Transaction {
  return {
    ...transaction,
    status: 'completed',
    failure: null,
    stages: transaction.stages.map((stage) => completedStage(stage, now)),
    updatedAt: now,
    completedAt: now,
  };
}

function completedStage(stage: StageRecord, now: Instant): StageRecord {
  return stage.status === 'completed'
    ? stage
    : { type: stage.type, status: 'completed', failureCode: null, updatedAt: now };
}

function withoutEvents(purchase: Purchase): PurchaseStep {
  return { purchase, announcements: [], alarms: [] };
}

/** Applies the provider's report of a refund, and announces it once the refund has ended; null when nothing changes. */
export function applyRefund(
  purchase: Purchase,
  refundId: string,
  outcome: RefundOutcome,
  now: Instant,
): PurchaseStep | null {
  const transaction = settleRefund(purchase.transaction, refundId, outcome, now);
  return transaction === purchase.transaction ? null : announceTransaction(purchase, transaction, []);
}
