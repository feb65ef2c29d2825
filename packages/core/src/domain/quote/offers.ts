import type { Instant } from '../instant.js';
import type { Quote } from './quote.js';

/** A quote and who gave it. */
export interface Offer {
  readonly provider: string;
  readonly quote: Quote;
  /** When the provider took the rate that it used. */
  readonly rateFetchedAt: Instant;
}

/** One offer for each payment method: of the first that can serve it, in the host's order, or else of the first that lists it. */
export function onePerMethod(offers: readonly Offer[]): readonly Offer[] {
  const chosen = new Map<string, Offer>();
  for (const offer of offers) {
    const { paymentMethod, available } = offer.quote;
    const known = chosen.get(paymentMethod);
    if (known === undefined || (available && !known.quote.available)) chosen.set(paymentMethod, offer);
  }
  return [...chosen.values()];
}

/** What can be said of all of them at once: the oldest rate and the first end. There is at least one. */
export function spanOf(offers: readonly Offer[]): { readonly rateFetchedAt: Instant; readonly expiresAt: Instant } {
  return {
    rateFetchedAt: Math.min(...offers.map(({ rateFetchedAt }) => rateFetchedAt)),
    expiresAt: Math.min(...offers.map(({ quote }) => quote.expiresAt)),
  };
}
