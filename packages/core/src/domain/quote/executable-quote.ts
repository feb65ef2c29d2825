import { ok, type Result } from 'neverthrow';
import { isoTime, type Instant } from '../instant.js';
import { toJsonText, type JsonText } from '../json/json-text.js';
import type { Mode, Scope } from '../mode.js';
import { refuse, type Refusal } from '../refusal.js';
import { quoteMembers, type GateQuote, type Quote } from './quote.js';
import { askMembers, type GateAsk, type ServedAsk } from './quote-ask.js';

/** Of an executable quote: `open` may be taken up once. */
export const QUOTE_STATUSES = ['open', 'used', 'expired'] as const;

/** One of `QUOTE_STATUSES`. */
export type QuoteStatus = (typeof QUOTE_STATUSES)[number];

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
export interface NewQuote {
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
export type GateExecutableQuote = GateQuote &
  GateAsk & { readonly mode: Mode; readonly status: QuoteStatus; readonly created_at: string };

/** Its state at `now`. */
export function executableQuoteResource(quote: ExecutableQuote, now: Instant): JsonText<GateExecutableQuote> {
  return toJsonText({
    ...quoteMembers(quote),
    mode: quote.mode,
    ...askMembers(quote.ask),
    status: quoteStatus(quote, now),
    created_at: isoTime(quote.createdAt),
  } satisfies GateExecutableQuote);
}
