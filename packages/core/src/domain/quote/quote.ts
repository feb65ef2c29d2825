import { ok, type Result } from 'neverthrow';
import { type Instant, isoTime } from '../instant.js';
import type { PaymentMethod } from '../intent/intent.js';
import { type Rendered, toJsonText } from '../json.js';
import type { Scope } from '../mode.js';
import { add, equals, isDecimal } from '../money.js';
import { type Refusal, refuse } from '../refusal.js';
import { feeMembers, sideMembers } from '../transaction/receipt-resource.js';
import type { Fee, Side } from '../transaction/transaction.js';
import { askMembers, type ServedAsk } from './quote-ask.js';

/** What one payment method would give. Laws: sourceTotal = sourceSubtotal + feeTotal; feeTotal = Σ fees. */
export interface Quote {
  readonly id: string;
  readonly paymentMethod: PaymentMethod;
  readonly available: boolean;
  readonly unavailableReason: string | null;
  readonly source: Side;
  readonly destination: Side;
  readonly exchangeRate: string;
  readonly sourceSubtotal: string;
  readonly sourceTotal: string;
  readonly fees: readonly Fee[];
  readonly feeTotal: string;
  readonly limits: { readonly minAmount: string; readonly maxAmount: string; readonly currency: string };
  readonly estimatedSettlementSeconds: number;
  readonly expiresAt: Instant;
}

/** The exact sum of the fees' amounts, as decimal text. */
export function feeTotal(fees: readonly Fee[]): string {
  return fees.reduce((sum, fee) => add(sum, fee.amount), '0');
}

/** Whether its totals are consistent, whichever provider computed them: a quote that does not add up is never shown. */
export function addsUp(quote: Pick<Quote, 'sourceSubtotal' | 'sourceTotal' | 'fees' | 'feeTotal'>): boolean {
  const amounts = [quote.sourceSubtotal, quote.sourceTotal, quote.feeTotal, ...quote.fees.map(({ amount }) => amount)];
  return (
    amounts.every(isDecimal) &&
    equals(quote.feeTotal, feeTotal(quote.fees)) &&
    equals(quote.sourceTotal, add(quote.sourceSubtotal, quote.feeTotal))
  );
}

/** A quote in the words of the wire. */
export function quoteMembers(quote: Quote) {
  return {
    object: 'quote' as const,
    id: quote.id,
    payment_method: quote.paymentMethod,
    available: quote.available,
    unavailable_reason: quote.unavailableReason,
    source: sideMembers(quote.source),
    destination: sideMembers(quote.destination),
    exchange_rate: quote.exchangeRate,
    source_subtotal: quote.sourceSubtotal,
    source_total: quote.sourceTotal,
    fees: quote.fees.map(feeMembers),
    fee_total: quote.feeTotal,
    limits: {
      min_amount: quote.limits.minAmount,
      max_amount: quote.limits.maxAmount,
      currency: quote.limits.currency,
    },
    estimated_settlement_seconds: quote.estimatedSettlementSeconds,
    expires_at: isoTime(quote.expiresAt),
  };
}

/** Of an executable quote: `open` may be taken up once. */
export const QUOTE_STATUSES = ['open', 'used', 'expired'] as const;

/** One of `QUOTE_STATUSES`. */
type QuoteStatus = (typeof QUOTE_STATUSES)[number];

/**
 * A price that a pay-in or pay-out may take up, once, until it expires. The provider gave it; the id is ours, so that
 * it is good nowhere else.
 */
export interface ExecutableQuote extends Scope, Quote {
  readonly version: number;
  /** Who prices it, and so who will carry it out. */
  readonly provider: string;
  /** What the provider calls it. */
  readonly providerQuoteId: string;
  /** What it was asked for, its networks resolved. */
  readonly ask: ServedAsk;
  /** The pay-in or pay-out that took it up; null while it is to be had. */
  readonly usedBy: string | null;
  readonly createdAt: Instant;
}

/** What an executable quote is made of. */
interface NewQuote {
  readonly id: string;
  readonly scope: Scope;
  readonly provider: string;
  readonly quote: Quote;
  readonly ask: ServedAsk;
}

/** The provider's quote as we keep it: member by member, so that nothing else a provider's object holds is stored. */
export function fixQuote({ id, scope, provider, quote, ask }: NewQuote, now: Instant): ExecutableQuote {
  return {
    id,
    partnerId: scope.partnerId,
    mode: scope.mode,
    version: 1,
    provider,
    providerQuoteId: quote.id,
    ask,
    paymentMethod: quote.paymentMethod,
    available: quote.available,
    unavailableReason: quote.unavailableReason,
    source: quote.source,
    destination: quote.destination,
    exchangeRate: quote.exchangeRate,
    sourceSubtotal: quote.sourceSubtotal,
    sourceTotal: quote.sourceTotal,
    fees: quote.fees,
    feeTotal: quote.feeTotal,
    limits: quote.limits,
    estimatedSettlementSeconds: quote.estimatedSettlementSeconds,
    usedBy: null,
    createdAt: now,
    expiresAt: quote.expiresAt,
  };
}

/** At `expiresAt` itself it is still open. A used one stays used. */
export function quoteStatus(quote: ExecutableQuote, now: Instant): QuoteStatus {
  if (quote.usedBy !== null) return 'used';
  return now > quote.expiresAt ? 'expired' : 'open';
}

/** The quote as it is once a payment has taken it up; the version of its row lets only one do so. */
export function takeUpOnce(
  quote: ExecutableQuote,
  paymentId: string,
  now: Instant,
): Result<ExecutableQuote, Refusal<'quote_already_used' | 'quote_expired'>> {
  return whileOpenAt(quote, now).map((open) => ({ ...open, usedBy: paymentId }));
}

/** The quote, if it is still to be had. */
export function whileOpenAt(
  quote: ExecutableQuote,
  now: Instant,
): Result<ExecutableQuote, Refusal<'quote_already_used' | 'quote_expired'>> {
  switch (quoteStatus(quote, now)) {
    case 'used':
      return refuse('quote_already_used', 'This quote has already been used; create a new quote for each payment.');
    case 'expired':
      return refuse('quote_expired', 'This quote has expired; create a new one.');
    case 'open':
      return ok(quote);
  }
}

/** An executable quote on the wire. */
export type GateExecutableQuote = Rendered<typeof executableQuoteResource>;

/** Its state at `now`. */
export function executableQuoteResource(quote: ExecutableQuote, now: Instant) {
  return toJsonText({
    ...quoteMembers(quote),
    mode: quote.mode,
    ...askMembers(quote.ask),
    status: quoteStatus(quote, now),
    created_at: isoTime(quote.createdAt),
  });
}
