import { decimal, MINUTE, SECOND, type Failure, type Flow, type PaymentMethod } from '@gateramp/core/domain';
import type { StartOrder } from '@gateramp/core/ports';
import type { SandboxPlan } from '@gateramp/extensions/sandbox';
import { type BuyerStep, readCard, type CardVerdict } from './cards.js';
import { defaultMethod, findCorridor, isServedCountry, isServedMethod, type Corridor } from './corridors.js';
import { priceOf, type Price } from './price.js';
import type { ConsentedCard, KeptCard } from './cards.js';
import { readPayout, screenWallets } from './screening.js';

/**
 * The complete behavior of an operation, decided once from details that are then discarded: nothing in it distinguishes a card, account or
 * person from others with the same behavior.
 */
export interface OperationPlan {
  readonly flow: Flow;
  readonly paymentMethod: PaymentMethod;
  readonly price: Price;
  /** Where the authentication page redirects the buyer; null, or absent in rows of an older version, for nowhere. */
  readonly returnUrl?: string | null;
  /** The duration of the document review; absent in rows of an older version. */
  readonly reviewMs?: number;
  /** The card to save once it has paid; absent without the buyer's consent. */
  readonly saves?: ConsentedCard;
  /** The steps before money moves, in order. */
  readonly steps: readonly Step[];
  /** From the moment money moves; null if settlement waits for a trigger. */
  readonly settleAfterMs: number | null;
  /** The failure with which it ends; null if it succeeds. */
  readonly failure: Failure | null;
  /** What happens to the payment some time after it succeeded. */
  readonly returned: 'refunded' | 'charged_back' | null;
}

export type Step =
  | { readonly kind: 'ask'; readonly action: ActionName }
  | { readonly kind: 'refuse'; readonly failure: Failure };

export type ActionName = 'kyc' | 'documents' | BuyerStep | 'crypto_deposit' | 'bank_transfer';

/** Milliseconds until money settles, by method; at most 60,000. */
export interface SettleDelays {
  readonly card: number;
  readonly bank_transfer: number;
  readonly crypto: number;
}

/** Milliseconds from the start of money moving to its settlement, by method. */
export const SETTLE_DELAYS: SettleDelays = { card: 5 * SECOND, bank_transfer: 30 * SECOND, crypto: 20 * SECOND };

/** The maximum of all delays: the sandbox settles within a minute. */
export const SETTLE_WITHIN_MS = MINUTE;

/** Amounts in this range, including its ends, require the buyer's identity first. */
export const KYC_AMOUNTS = { from: '14.00', to: '14.99' } as const;

/** Amounts in this range require pictures of a document. From `reviewedFrom` on their review takes `REVIEW_MS`, below that none. */
export const DOCUMENT_AMOUNTS = { from: '17.00', reviewedFrom: '17.50', to: '17.99' } as const;

/** The duration of a review. */
export const REVIEW_MS = 30 * SECOND;

/** The delay depends on what is sent: an off-ramp waits for crypto, whatever its payout method. */
export function settleAfter(flow: Flow, method: PaymentMethod, delays: SettleDelays): number {
  return flow === 'on_ramp' ? delays[method] : delays.crypto;
}

/** The plan of an order, or the reason why it fails at once. A forced plan overrides amount, card and account, never the wallets. */
export function planOf(
  order: StartOrder,
  forced: SandboxPlan | null,
  delays: SettleDelays,
  saved: KeptCard | null = null,
): OperationPlan | Failure {
  const { intent } = order;
  const corridor = findCorridor(intent);
  if ('code' in corridor) return outsideCorridor(corridor.code, corridor.message);
  const paymentMethod = intent.paymentMethod ?? defaultMethod(intent.flow);
  if (!isServedMethod(intent.flow, paymentMethod)) return unserved(`${paymentMethod} does not serve ${intent.flow}.`);
  if (!isServedCountry(intent.countryCode)) return unserved('The sandbox serves DE and US only.');
  const blocked = screenWallets(intent, corridor);
  if (blocked !== null) return blocked;
  const base = {
    flow: intent.flow,
    paymentMethod,
    price: priceOf(corridor, intent.amount),
    returnUrl: order.returnUrl ?? null,
    settleAfterMs: settleAfter(intent.flow, paymentMethod, delays),
    reviewMs: reviewOf(order),
  };
  if (forced !== null) return withForced({ ...base, steps: [], failure: null, returned: null }, forced);
  return planByDetails(base, order, corridor, saved);
}

type PlanBase = Pick<OperationPlan, 'flow' | 'paymentMethod' | 'price' | 'returnUrl' | 'settleAfterMs' | 'reviewMs'>;

/** The plan that follows from amount, card and account. Unusable details fail before the buyer is asked for anything. */
function planByDetails(
  base: PlanBase,
  order: StartOrder,
  corridor: Corridor,
  saved: KeptCard | null,
): OperationPlan | Failure {
  const identity = identitySteps(order);
  if (corridor.flow === 'on_ramp') {
    // Over rails, only a test helper settles the money.
    if (order.rails !== null)
      return { ...base, settleAfterMs: null, steps: [ask('bank_transfer')], failure: null, returned: null };
    if (base.paymentMethod === 'bank_transfer')
      return { ...base, steps: [...identity, ask('bank_transfer')], failure: null, returned: null };
    return withCard(base, identity, readCard(order.paymentDetails, saved, order.now));
  }
  const payout = corridor.flow === 'off_ramp' ? readPayout(order.payoutDetails) : 'pays';
  if (payout === 'unusable')
    return payoutRejected('Payout details need an account holder, and an IBAN or an ACH account.');
  const failure = payout === 'rejects' ? payoutRejected('The bank rejected the payout; the crypto goes back.') : null;
  return { ...base, steps: [...identity, ask('crypto_deposit')], failure, returned: null };
}

function withCard(base: PlanBase, identity: readonly Step[], card: CardVerdict): OperationPlan | Failure {
  if (card.kind === 'pays') {
    const steps = card.asks === null ? identity : [...identity, ask(card.asks)];
    const saves = card.saves === null ? {} : { saves: card.saves };
    return { ...base, ...saves, steps, failure: null, returned: card.returned };
  }
  if (identity.length === 0) return card.failure;
  return { ...base, steps: [...identity, { kind: 'refuse', failure: card.failure }], failure: null, returned: null };
}

function identitySteps({ kycPreVerified, rails, intent: { amount } }: StartOrder): readonly Step[] {
  if (kycPreVerified) return [];
  if (isWithin(amount, KYC_AMOUNTS)) return [ask('kyc')];
  // Rails have no checkout for uploads.
  if (rails === null && isWithin(amount, DOCUMENT_AMOUNTS)) return [ask('documents')];
  return [];
}

function isWithin(amount: string, { from, to }: { readonly from: string; readonly to: string }): boolean {
  return decimal.compare(amount, from) >= 0 && decimal.compare(amount, to) <= 0;
}

/** The duration of an order's document review. */
function reviewOf({ intent: { amount } }: StartOrder): number {
  return decimal.compare(amount, DOCUMENT_AMOUNTS.reviewedFrom) >= 0 ? REVIEW_MS : 0;
}

/** The plan with a test's overrides. A deposit or transfer is still requested, because the money has to come from somewhere. */
export function withForced(plan: OperationPlan, forced: SandboxPlan): OperationPlan {
  const deposit = incomingMoney(plan);
  const well = { ...plan, steps: deposit, failure: null, returned: null };
  switch (forced) {
    case 'succeed':
      return well;
    case 'decline':
      return { ...well, steps: [{ kind: 'refuse', failure: declinedFor(plan.flow) }], failure: declinedFor(plan.flow) };
    case 'kyc_required':
      return { ...well, steps: [ask('kyc'), ...deposit] };
    case 'park':
      return { ...well, settleAfterMs: null };
    case 'settlement_error':
      return { ...well, failure: SETTLEMENT_ERROR };
  }
}

/** The step that requests money which the buyer sends, rather than money taken from a card. */
function incomingMoney({ flow, paymentMethod }: OperationPlan): readonly Step[] {
  if (flow !== 'on_ramp') return [ask('crypto_deposit')];
  return paymentMethod === 'bank_transfer' ? [ask('bank_transfer')] : [];
}

export const SETTLEMENT_ERROR: Failure = {
  code: 'settlement_error',
  stage: 'conversion',
  message: 'The payment could not be settled; what was taken goes back.',
  retryable: true,
};

function declinedFor(flow: Flow): Failure {
  return {
    code: 'payment_declined',
    stage: flow === 'on_ramp' ? 'payment' : 'deposit',
    message: 'The payment was declined.',
    retryable: true,
  };
}

function ask(action: ActionName): Step {
  return { kind: 'ask', action };
}

function payoutRejected(message: string): Failure {
  return { code: 'payout_rejected', stage: 'payout', message, retryable: true };
}

function outsideCorridor(code: string, message: string): Failure {
  const isLimit = code === 'amount_below_minimum' || code === 'amount_above_maximum';
  return { code: isLimit ? 'limit_exceeded' : 'error', stage: 'screening', message, retryable: false };
}

function unserved(message: string): Failure {
  return { code: 'error', stage: 'screening', message, retryable: false };
}
