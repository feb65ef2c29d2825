import { ok, type Result } from 'neverthrow';
import { type Instant, isoTime } from '../instant.js';
import type { PaymentMethod } from '../intent/intent.js';
import { type Rendered, toJsonText } from '../json.js';
import type { Scope } from '../mode.js';
import { add, equals, isDecimal } from '../money.js';
import { type Refusal, refuse } from '../refusal.js';
import { feeMembers, sideMembers } from '../transaction/receipt-resource.js';
import type { Fee, Side } from '../transaction/transaction.js';
import { requestMembers, type ResolvedPriceRequest } from './price-request.js';

/** The price of one payment method. Laws: sourceTotal = sourceSubtotal + feeTotal; feeTotal = Σ fees. */
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

/** The exact sum of the fees, as a decimal string. */
export function feeTotal(fees: readonly Fee[]): string {
  return fees.reduce((sum, fee) => add(sum, fee.amount), '0');
}

/** Whether the totals are consistent. Quotes with inconsistent totals are never shown, whichever provider computed them. */
export function addsUp(quote: Pick<Quote, 'sourceSubtotal' | 'sourceTotal' | 'fees' | 'feeTotal'>): boolean {
  const amounts = [quote.sourceSubtotal, quote.sourceTotal, quote.feeTotal, ...quote.fees.map(({ amount }) => amount)];
  return (
    amounts.every(isDecimal) &&
    equals(quote.feeTotal, feeTotal(quote.fees)) &&
    equals(quote.sourceTotal, add(quote.sourceSubtotal, quote.feeTotal))
  );
}

/** A quote as wire members. */
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

/** Statuses of an executable quote; an `open` one can be used once. */
export const QUOTE_STATUSES = ['open', 'used', 'expired'] as const;

/** One of `QUOTE_STATUSES`. */
type QuoteStatus = (typeof QUOTE_STATUSES)[number];

/**
 * A price that one pay-in or pay-out can use until it expires. The id is generated here and not the provider's, so it works only in this
 * installation.
 */
export interface ExecutableQuote extends Scope, Quote {
  readonly version: number;
  /** The provider that quoted, which also executes the payment. */
  readonly provider: string;
  /** The provider's id of the quote. */
  readonly providerQuoteId: string;
  /** The request, with resolved networks, under its name in stored rows. */
  readonly ask: ResolvedPriceRequest;
  /** The pay-in or pay-out that used it; null while unused. */
  readonly usedBy: string | null;
  readonly createdAt: Instant;
}

/** The fields of a new executable quote. */
interface NewQuote {
  readonly id: string;
  readonly scope: Scope;
  readonly provider: string;
  readonly quote: Quote;
  readonly request: ResolvedPriceRequest;
}

/** Copies the provider's quote member by member, so that additional members of the provider's object are not stored. */
export function fixQuote({ id, scope, provider, quote, request }: NewQuote, now: Instant): ExecutableQuote {
  return {
    id,
    partnerId: scope.partnerId,
    mode: scope.mode,
    version: 1,
    provider,
    providerQuoteId: quote.id,
    ask: request,
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

/** The status at `now`. At `expiresAt` itself the quote is still open; a used quote stays used. */
export function quoteStatus(quote: ExecutableQuote, now: Instant): QuoteStatus {
  if (quote.usedBy !== null) return 'used';
  return now > quote.expiresAt ? 'expired' : 'open';
}

/** Marks the quote as used by a payment. The row version ensures that only one payment succeeds. */
export function markUsed(
  quote: ExecutableQuote,
  paymentId: string,
  now: Instant,
): Result<ExecutableQuote, Refusal<'quote_already_used' | 'quote_expired'>> {
  return usableQuote(quote, now).map((open) => ({ ...open, usedBy: paymentId }));
}

/** Returns the quote if it can still be used. */
export function usableQuote(
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

/** Renders the quote with its status at `now`. */
export function executableQuoteResource(quote: ExecutableQuote, now: Instant) {
  return toJsonText({
    ...quoteMembers(quote),
    mode: quote.mode,
    ...requestMembers(quote.ask),
    status: quoteStatus(quote, now),
    created_at: isoTime(quote.createdAt),
  });
}
