import { err, type Result } from 'neverthrow';
import type { PaymentMethod } from '../../domain/intent/intent.js';
import { isEntitled } from '../../domain/partner/partner.js';
import type { Offer } from '../../domain/quote/offers.js';
import { marketOf, servedAsk, type QuoteAsk, type ServedAsk } from '../../domain/quote/quote-ask.js';
import { refuse, type Refusal } from '../../domain/refusal.js';
import type { MarketFault } from '../../ports/provider.js';
import type { MarketCaller } from '../capabilities/read-capabilities.js';
import type { Engine } from '../engine.js';
import { findRoute, priceRoute } from '../providers/route-provider.js';

export type PriceRefusal = Refusal<'swap_not_enabled' | MarketFault>;

/** An ask and what providers offer for it: one offer a payment method, and at least one. */
export interface Priced {
  readonly ask: ServedAsk;
  readonly offers: readonly Offer[];
}

/** Prices an ask at every provider that serves it; for all payment methods when none is named. */
export async function priceAsk(
  engine: Engine,
  caller: MarketCaller,
  asked: QuoteAsk,
  paymentMethod: PaymentMethod | null,
): Promise<Result<Priced, PriceRefusal>> {
  if (asked.side === 'swap' && !isEntitled(caller.partner, 'swap'))
    return refuse('swap_not_enabled', 'Swap is not enabled for this partner.');
  const { amount, countryCode } = asked;
  const terms = { ...marketOf(asked), amount, countryCode, paymentMethod };
  const route = await findRoute(engine, caller, terms, 'asset_network_mismatch');
  if (route.isErr()) return err(route.error);
  const offers = await priceRoute(engine, caller, route.value);
  return offers.map((found) => ({ ask: servedAsk(asked, route.value.terms), offers: found }));
}
