import { type Instant, isoTime } from '../instant.js';
import { toJsonText } from '../json.js';
import type { PaymentMethod } from '../intent/intent.js';
import type { Mode } from '../mode.js';
import { compare, isDecimal, multiply } from '../money.js';
import { askMembers, type ServedAsk } from './quote-ask.js';
import { type Quote, quoteMembers } from './quote.js';

/** A quote and the provider that gave it. */
export interface Offer {
  readonly provider: string;
  readonly quote: Quote;
  /** When the provider took the rate that it used. */
  readonly rateFetchedAt: Instant;
}

/**
 * The best offer of each payment method: an available one before an unavailable one, then the one that gives most for what it takes, then
 * the first in the host's order. Offers are compared only where they exchange the same two things.
 */
export function bestPerMethod(offers: readonly Offer[]): readonly Offer[] {
  const best = new Map<string, Offer>();
  for (const offer of offers) {
    const known = best.get(offer.quote.paymentMethod);
    if (known === undefined || isBetter(offer.quote, known.quote)) best.set(offer.quote.paymentMethod, offer);
  }
  return [...best.values()];
}

/**
 * The offers among which a buyer who has a saved method chooses: for its payment method only those of the provider that keeps it, as no
 * other can charge it. Where that provider has none, the others' are left.
 */
export function offersWithSaved(offers: readonly Offer[], keeper: Keeper): readonly Offer[] {
  const isOfMethod = ({ quote }: Offer): boolean => quote.paymentMethod === keeper.paymentMethod;
  const isOwn = (offer: Offer): boolean => paysWithSaved(offer, keeper);
  return offers.some(isOwn) ? offers.filter((offer) => isOwn(offer) || !isOfMethod(offer)) : offers;
}

export function paysWithSaved({ provider, quote }: Offer, keeper: Keeper): boolean {
  return provider === keeper.provider && quote.available && quote.paymentMethod === keeper.paymentMethod;
}

/** Who keeps a saved method, and how that method pays. */
export interface Keeper {
  readonly provider: string;
  readonly paymentMethod: PaymentMethod;
}

function isBetter(quote: Quote, known: Quote): boolean {
  if (quote.available !== known.available) return quote.available;
  return quote.available && isSameMarket(quote, known) && hasBetterRate(quote, known);
}

function isSameMarket(one: Quote, other: Quote): boolean {
  return (['source', 'destination'] as const).every(
    (side) => one[side].currency === other[side].currency && one[side].network === other[side].network,
  );
}

/** Destination per source, fees included, compared without a division. */
function hasBetterRate(quote: Quote, known: Quote): boolean {
  const given = quote.destination.amount;
  const knownGiven = known.destination.amount;
  if (given === null || knownGiven === null || !isDecimal(given) || !isDecimal(knownGiven)) return false;
  return compare(multiply(given, known.sourceTotal), multiply(knownGiven, quote.sourceTotal)) > 0;
}

/** What can be said of all of them at once: the oldest rate and the first end. There is at least one. */
export function spanOf(offers: readonly Offer[]): { readonly rateFetchedAt: Instant; readonly expiresAt: Instant } {
  return {
    rateFetchedAt: Math.min(...offers.map(({ rateFetchedAt }) => rateFetchedAt)),
    expiresAt: Math.min(...offers.map(({ quote }) => quote.expiresAt)),
  };
}

/** What every payment method would give for an ask. It is kept nowhere. */
export interface QuotePreview {
  readonly mode: Mode;
  readonly ask: ServedAsk;
  readonly quotes: readonly Quote[];
  readonly rateFetchedAt: Instant;
  readonly expiresAt: Instant;
}

/** A preview as the wire shows it. */
export function quotePreviewResource(preview: QuotePreview) {
  return toJsonText({
    object: 'quote_preview',
    mode: preview.mode,
    ...askMembers(preview.ask),
    rate_fetched_at: isoTime(preview.rateFetchedAt),
    expires_at: isoTime(preview.expiresAt),
    quotes: preview.quotes.map(quoteMembers),
  });
}
