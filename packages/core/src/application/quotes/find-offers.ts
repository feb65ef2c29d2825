import { err, type Result } from 'neverthrow';
import type { Intent, PaymentMethod } from '../../domain/intent/intent.js';
import { isEntitled } from '../../domain/partner/partner.js';
import type { Offer } from '../../domain/quote/offers.js';
import {
  marketOf,
  type PriceRequest,
  resolvedRequest,
  type ResolvedPriceRequest,
} from '../../domain/quote/price-request.js';
import { type Refusal, refuse } from '../../domain/refusal.js';
import type { MarketRefusalCode, Provider } from '../../ports/provider.js';
import type { MarketCaller } from '../capabilities/retrieve-capabilities.js';
import type { Engine } from '../engine.js';
import { findRoute, priceRoute, readTaggedId } from '../providers/route-provider.js';

export type PriceRefusal = Refusal<'swap_not_enabled' | MarketRefusalCode>;

/** A quote request and its offers: one per payment method, at least one. */
interface Priced {
  readonly request: ResolvedPriceRequest;
  readonly offers: readonly Offer[];
}

/** Prices a request at every provider that serves it, for one or all payment methods. */
export async function findOffers(
  engine: Engine,
  caller: MarketCaller,
  request: PriceRequest,
  paymentMethod: PaymentMethod | null,
): Promise<Result<Priced, PriceRefusal>> {
  if (request.side === 'swap' && !isEntitled(caller.partner, 'swap'))
    return refuse('swap_not_enabled', 'Swap is not enabled for this partner.');
  const { amount, countryCode } = request;
  const terms = { ...marketOf(request), amount, countryCode, paymentMethod };
  const route = await findRoute(engine, caller, terms, 'asset_network_mismatch');
  if (route.isErr()) return err(route.error);
  const offers = await priceRoute(engine, caller, route.value);
  return offers.map((found) => ({ request: resolvedRequest(request, route.value.terms), offers: found }));
}

/** The provider of a quote and the provider's own id. An id without a tag comes from the previous version, which supported one provider. */
export function readQuoteId(
  engine: Engine,
  shown: string,
): { readonly provider: Provider; readonly id: string } | null {
  const tagged = readTaggedId(engine, shown);
  if (tagged !== null) return tagged;
  const [first] = engine.providers;
  return first === undefined ? null : { provider: first, id: shown };
}

/** The intent with the provider's own quote id. */
export function intentForProvider(engine: Engine, intent: Intent): Intent {
  if (intent.quoteId === null || intent.sessionId === null) return intent;
  return { ...intent, quoteId: readQuoteId(engine, intent.quoteId)?.id ?? intent.quoteId };
}
