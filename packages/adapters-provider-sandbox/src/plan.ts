import { decimal, MINUTE, SECOND, type Failure, type Flow, type PaymentMethod } from '@gateramp/core/domain';
import type { SandboxPlan, StartOrder } from '@gateramp/core/ports';
import { type BuyerStep, readCard, type CardVerdict } from './cards.js';
import { defaultMethod, findCorridor, isServedCountry, isServedMethod, type Corridor } from './corridors.js';
import { priceOf, type Price } from './price.js';
import type { ConsentedCard, KeptCard } from './cards.js';
import { readPayout, screenWallets } from './screening.js';

/**
 * All that an operation shall do, decided once from details that are then forgotten: nothing here tells
 * a card, an account or a person apart from any other that behaves the same.
 */
export interface OperationPlan {
  readonly flow: Flow;
  readonly paymentMethod: PaymentMethod;
  readonly price: Price;
  /** Where the page that authenticates the buyer returns to; null, or absent in rows of an older version, for nowhere. */
  readonly returnUrl?: string | null;
  /** How long documents are reviewed; absent in rows of an older version. */
  readonly reviewMs?: number;
  /** The card to keep once it has paid; absent without the buyer's consent. */
  readonly saves?: ConsentedCard;
  /** What lies before money moves, in order. */
  readonly steps: readonly Step[];
  /** From the moment money moves; null: not before it is triggered. */
  readonly settleAfterMs: number | null;
  /** How it ends when not well. */
  readonly failure: Failure | null;
  /** What happens to it a while after it ended well. */
  readonly returned: 'refunded' | 'charged_back' | null;
}

export type Step =
  | { readonly kind: 'ask'; readonly action: ActionName }
  | { readonly kind: 'refuse'; readonly failure: Failure };

export type ActionName = 'kyc' | 'documents' | BuyerStep | 'crypto_deposit' | 'bank_transfer';

/** Milliseconds until money settles, by method; 60,000 at most. */
export interface SettleDelays {
  readonly card: number;
  readonly bank_transfer: number;
  readonly crypto: number;
}

/** Milliseconds from the start of money moving to its settlement, by method. */
export const SETTLE_DELAYS: SettleDelays = { card: 5 * SECOND, bank_transfer: 30 * SECOND, crypto: 20 * SECOND };

/** No delay may be longer: the sandbox settles within a minute. */
export const SETTLE_WITHIN_MS = MINUTE;

/** Amounts in this range, ends included, need the buyer's identity first. */
export const KYC_AMOUNTS = { from: '14.00', to: '14.99' } as const;

/** Amounts in this range need pictures of a document; from `reviewedFrom` on they are reviewed for `REVIEW_MS`, below that at once. */
export const DOCUMENT_AMOUNTS = { from: '17.00', reviewedFrom: '17.50', to: '17.99' } as const;

/** How long a review takes. */
export const REVIEW_MS = 30 * SECOND;

/** How long it takes is decided by what is sent: an off-ramp waits for crypto, however it pays out. */
export function settleAfter(flow: Flow, method: PaymentMethod, delays: SettleDelays): number {
  return flow === 'on_ramp' ? delays[method] : delays.crypto;
}

/** The plan of an order, or why it fails at once. A forced plan overrides amount, card and account, never the wallets. */
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
  return natural(base, order, corridor, saved);
}

type PlanBase = Pick<OperationPlan, 'flow' | 'paymentMethod' | 'price' | 'returnUrl' | 'settleAfterMs' | 'reviewMs'>;

/** What amount, card and account say. Details that cannot be used fail before the buyer is asked anything. */
function natural(
  base: PlanBase,
  order: StartOrder,
  corridor: Corridor,
  saved: KeptCard | null,
): OperationPlan | Failure {
  const identity = identitySteps(order);
  if (corridor.flow === 'on_ramp') {
    // Over rails only a test helper books the money.
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
  // Over rails there is no checkout to upload anything in.
  if (rails === null && isWithin(amount, DOCUMENT_AMOUNTS)) return [ask('documents')];
  return [];
}

function isWithin(amount: string, { from, to }: { readonly from: string; readonly to: string }): boolean {
  return decimal.compare(amount, from) >= 0 && decimal.compare(amount, to) <= 0;
}

/** How long the documents of an order are reviewed. */
function reviewOf({ intent: { amount } }: StartOrder): number {
  return decimal.compare(amount, DOCUMENT_AMOUNTS.reviewedFrom) >= 0 ? REVIEW_MS : 0;
}

/** The same plan changed as a test wants; a deposit or transfer is still asked for, because the money has to come from somewhere. */
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

/** The step that asks for money which the buyer sends, rather than money taken from a card. */
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
