import { type Instant, isoTime } from '../instant.js';
import { toJsonText } from '../json.js';
import type { PaymentMethod } from '../intent/intent.js';
import type { Mode } from '../mode.js';
import { compare, isDecimal, multiply } from '../money.js';
import { requestMembers, type ResolvedPriceRequest } from './price-request.js';
import { type Quote, quoteMembers } from './quote.js';

/** A quote and its provider. */
export interface Offer {
  readonly provider: string;
  readonly quote: Quote;
  /** When the provider fetched the exchange rate. */
  readonly rateFetchedAt: Instant;
}

/**
 * Picks the best offer of each payment method: available offers first, then the best rate, then the host's order of providers. Rates are
 * compared only between offers that exchange the same two currencies.
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
 * Narrows the offers for a buyer whose saved method or component only one provider can charge: for its payment method, only the offers of
 * that provider remain. If it has no available offer, all offers remain. The order of the payment methods does not change.
 */
export function offersOfCharging(offers: readonly Offer[], charging: ChargingProvider): readonly Offer[] {
  const isOfMethod = ({ quote }: Offer): boolean => quote.paymentMethod === charging.paymentMethod;
  const own = offers.filter((offer) => isChargedBy(offer, charging));
  if (own.length === 0) return offers;
  const place = offers.findIndex(isOfMethod);
  return offers.flatMap((offer, index) => {
    if (!isOfMethod(offer)) return offer;
    return index === place ? own : [];
  });
}

export function isChargedBy({ provider, quote }: Offer, charging: ChargingProvider): boolean {
  return provider === charging.provider && quote.available && quote.paymentMethod === charging.paymentMethod;
}

/** The provider that alone can charge what the buyer pays with, and its payment method. */
export interface ChargingProvider {
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

/** Compares destination per source total, fees included, without division. */
function hasBetterRate(quote: Quote, known: Quote): boolean {
  const given = quote.destination.amount;
  const knownGiven = known.destination.amount;
  if (given === null || knownGiven === null || !isDecimal(given) || !isDecimal(knownGiven)) return false;
  return compare(multiply(given, known.sourceTotal), multiply(knownGiven, quote.sourceTotal)) > 0;
}

/** Bounds that are valid for all offers: the oldest rate and the earliest expiry. There must be at least one offer. */
export function spanOf(offers: readonly Offer[]): { readonly rateFetchedAt: Instant; readonly expiresAt: Instant } {
  return {
    rateFetchedAt: Math.min(...offers.map(({ rateFetchedAt }) => rateFetchedAt)),
    expiresAt: Math.min(...offers.map(({ quote }) => quote.expiresAt)),
  };
}

/** The price of each payment method for a request. Not stored. */
export interface QuotePreview {
  readonly mode: Mode;
  readonly request: ResolvedPriceRequest;
  readonly quotes: readonly Quote[];
  readonly rateFetchedAt: Instant;
  readonly expiresAt: Instant;
}

/** A quote preview as a wire resource. */
export function quotePreviewResource(preview: QuotePreview) {
  return toJsonText({
    object: 'quote_preview',
    mode: preview.mode,
    ...requestMembers(preview.request),
    rate_fetched_at: isoTime(preview.rateFetchedAt),
    expires_at: isoTime(preview.expiresAt),
    quotes: preview.quotes.map(quoteMembers),
  });
}
