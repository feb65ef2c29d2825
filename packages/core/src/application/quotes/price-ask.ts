import { err, ok, type Result } from 'neverthrow';
import type { PaymentMethod } from '../../domain/intent/intent.js';
import type { Scope } from '../../domain/mode.js';
import { isEntitled, type Partner } from '../../domain/partner/partner.js';
import { onePerMethod, type Offer } from '../../domain/quote/offers.js';
import type { QuoteAsk, ServedAsk } from '../../domain/quote/quote-ask.js';
import { addsUp } from '../../domain/quote/quote.js';
import { resolveAmong, resolveAsk } from '../../domain/quote/resolve-ask.js';
import { refuse, type Refusal } from '../../domain/refusal.js';
import type { MarketFault, Provider, QuoteAnswer, QuoteRequest } from '../../ports/provider.js';
import { readOfferings } from '../capabilities/read-capabilities.js';
import type { Engine } from '../engine.js';
import { askProviders } from '../providers/ask-providers.js';

export type PriceRefusal = Refusal<'swap_not_enabled' | MarketFault>;

/** Who asks for a price. */
export interface QuoteCaller {
  readonly partner: Partner;
  readonly scope: Scope;
}

/** An ask and what providers offer for it: one offer a payment method, and at least one. */
export interface Priced {
  readonly ask: ServedAsk;
  readonly offers: readonly Offer[];
}

/** Prices an ask at every provider that serves it; for all payment methods when none is named. */
export async function priceAsk(
  engine: Engine,
  { partner, scope }: QuoteCaller,
  asked: QuoteAsk,
  paymentMethod: PaymentMethod | null,
): Promise<Result<Priced, PriceRefusal>> {
  if (asked.side === 'swap' && !isEntitled(partner, 'swap'))
    return refuse('swap_not_enabled', 'Swap is not enabled for this partner.');
  const offerings = await readOfferings(engine, scope);
  const resolved = resolveAmong(
    offerings.map(({ served }) => served),
    asked,
  );
  if (resolved.isErr()) return err(resolved.error);
  const ask = resolved.value;
  const serving = offerings.filter(({ served }) => resolveAsk(served, ask).isOk()).map(({ provider }) => provider);
  const request = requestOf(ask, paymentMethod, scope, engine.clock.now(scope.mode));
  const answers = await askProviders(engine, serving, async (provider) => ({
    provider,
    answer: checked(await provider.quote(request)),
  }));
  const offers = onePerMethod(answers.flatMap(({ provider, answer }) => offersOf(provider, answer)));
  return offers.length > 0 ? ok({ ask, offers }) : err(refusalOf(answers.map(({ answer }) => answer)));
}

function requestOf(
  ask: ServedAsk,
  paymentMethod: PaymentMethod | null,
  scope: Scope,
  now: QuoteRequest['now'],
): QuoteRequest {
  const { side: flow, amount, currency, asset, network, sourceAsset, sourceNetwork, countryCode } = ask;
  const isSold = flow === 'off_ramp';
  return {
    scope,
    flow,
    amount,
    currency,
    sourceToken: isSold ? asset : sourceAsset,
    sourceNetwork: isSold ? network : sourceNetwork,
    targetToken: isSold ? null : asset,
    targetNetwork: isSold ? null : network,
    paymentMethod,
    countryCode,
    now,
  };
}

/** A provider that cannot add is left out like one that is away. */
function checked(answer: QuoteAnswer): QuoteAnswer {
  if (answer.kind === 'quotes' && !answer.quotes.every(addsUp))
    throw new Error('The sums of a quote do not hold: source_total = source_subtotal + fee_total, fee_total = Σ fees.');
  return answer;
}

function offersOf({ name }: Provider, answer: QuoteAnswer): readonly Offer[] {
  if (answer.kind === 'refused') return [];
  return answer.quotes.map((quote) => ({ provider: name, quote, rateFetchedAt: answer.rateFetchedAt }));
}

/** Of several refusals the one that says most: an amount can be mended, a market cannot. */
function refusalOf(answers: readonly QuoteAnswer[]): Refusal<MarketFault> {
  const refusals = answers.flatMap((answer) => (answer.kind === 'refused' ? [answer] : []));
  const refusal = refusals.find(({ code }) => code !== 'corridor_not_supported') ?? refusals[0];
  return refusal ?? { code: 'corridor_not_supported', message: 'No payment method serves this pair.' };
}
