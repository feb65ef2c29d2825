import { err, ok, type Result } from 'neverthrow';
import { type MarketWish, unavailableFor, unavailableMessage } from '../../domain/capabilities/capabilities.js';
import type { Instant } from '../../domain/instant.js';
import type { PaymentMethod } from '../../domain/intent/intent.js';
import type { Scope } from '../../domain/mode.js';
import { currencyDecimals, fitsCurrency } from '../../domain/money.js';
import type { Partner } from '../../domain/partner/partner.js';
import { bestPerMethod, type Offer } from '../../domain/quote/offers.js';
import { fillOpenAssets, restrictQuotes } from '../../domain/quote/restrict-quotes.js';
import { addsUp } from '../../domain/quote/quote.js';
import {
  type MarketTerms,
  resolveAmong,
  resolveMarket,
  type UnlistedNetwork,
} from '../../domain/quote/price-request.js';
import { refuse, type Refusal } from '../../domain/refusal.js';
import type { MarketRefusalCode, Provider, QuoteAnswer, QuoteRequest } from '../../ports/provider.js';
import { readOfferings, type MarketCaller, type Offering } from '../capabilities/retrieve-capabilities.js';
import type { Engine } from '../engine.js';
import { callProviders, ProviderUnavailable } from './call-providers.js';

/** The terms of a quote or attempt. */
interface PriceTerms extends MarketTerms {
  readonly amount: string;
  /** Null prices all methods. */
  readonly paymentMethod: PaymentMethod | null;
  readonly countryCode: string | null;
}

/** The terms with resolved networks, and the providers that list them in the host's order; at least one. */
interface Route<Terms> {
  readonly terms: Terms;
  readonly offerings: readonly Offering[];
}

/** The single routing rule: previews, quotes and attempts go to the providers that list the market. */
export async function findRoute<Terms extends PriceTerms>(
  engine: Engine,
  caller: MarketCaller,
  requested: Terms,
  unlisted: UnlistedNetwork,
): Promise<Result<Route<Terms>, Refusal<MarketRefusalCode>>> {
  const unfit = amountRefusal(requested);
  if (unfit !== null) return err(unfit);
  const offerings = await readOfferings(engine, caller);
  if (offerings.length === 0)
    return refuse('corridor_not_supported', `No provider is configured for ${caller.scope.mode} mode.`);
  const resolved = resolveAmong(
    offerings.map(({ served }) => served),
    requested,
    unlisted,
  );
  if (resolved.isErr()) {
    const closed = unavailableFor(
      offerings.map(({ served }) => served),
      wishOf(requested),
    );
    if (closed !== null) return refuse('service_unavailable', unavailableMessage(closed));
    const isListed = ({ currencies }: Offering['served']) => currencies.some(({ code }) => code === requested.currency);
    const away = offerings.find(({ served }) => isUnsaid(served) && isListed(served));
    if (away !== undefined) throw new ProviderUnavailable(`${away.provider.name} serves a part of its market only.`);
    return err(resolved.error);
  }
  const serving = (terms: Terms) => offerings.filter(({ served }) => resolveMarket(served, terms).isOk());
  const [first] = serving(resolved.value);
  const terms =
    first === undefined ? resolved.value : fillOpenAssets(resolved.value, first.served, caller.partner.restrictions);
  return ok({ terms, offerings: serving(terms) });
}

/** Whether something is missing at the moment, and the provider does not say what. */
export function isUnsaid({ isPartial, unavailable: listed }: Offering['served']): boolean {
  return isPartial === true && listed === undefined;
}

function wishOf({ flow, currency, ...terms }: MarketTerms): MarketWish {
  return {
    flow,
    currency,
    source: { token: terms.sourceToken, network: terms.sourceNetwork },
    target: { token: terms.targetToken, network: terms.targetNetwork },
  };
}

/** Refuses an amount with too many decimals for its currency. Sessions can be created with such an amount. */
export function amountRefusal({ amount, currency }: PriceTerms): Refusal<'corridor_not_supported'> | null {
  if (fitsCurrency(amount, currency)) return null;
  const decimals = currencyDecimals(currency);
  return { code: 'corridor_not_supported', message: `An amount in ${currency} has at most ${decimals} decimals.` };
}

/** The best offer of each payment method on a route; at least one. */
export async function priceRoute(
  engine: Engine,
  caller: MarketCaller,
  route: Route<PriceTerms>,
): Promise<Result<readonly Offer[], Refusal<MarketRefusalCode>>> {
  return (await offersOnRoute(engine, caller, route)).map(bestPerMethod);
}

/** All offers on a route; at least one. */
export async function offersOnRoute(
  engine: Engine,
  { partner, scope }: MarketCaller,
  { terms, offerings }: Route<PriceTerms>,
): Promise<Result<readonly Offer[], Refusal<MarketRefusalCode>>> {
  const request = requestOf(terms, scope, engine.clock.now(scope));
  const providers = offerings.map(({ provider }) => provider);
  const answers = await callProviders(engine, providers, {
    mode: scope.mode,
    question: 'quote',
    call: async (provider) => ({
      provider,
      answer: restrictAnswer(checked(await provider.quote(request)), terms, partner),
    }),
  });
  const offers = answers.flatMap(({ provider, answer }) => offersOf(provider, answer));
  return offers.length > 0 ? ok(offers) : err(mostUseful(answers.map(({ answer }) => answer)));
}

/** Copied member by member: an attempt also contains addresses, which quotes do not need. */
function requestOf(terms: PriceTerms, scope: Scope, now: Instant): QuoteRequest {
  const { flow, amount, currency, sourceToken, sourceNetwork, targetToken, targetNetwork } = terms;
  const { paymentMethod, countryCode } = terms;
  return {
    scope,
    flow,
    amount,
    currency,
    sourceToken,
    sourceNetwork,
    targetToken,
    targetNetwork,
    paymentMethod,
    countryCode,
    now,
  };
}

/** A provider with inconsistent totals is skipped like one that failed. */
function checked(answer: QuoteAnswer): QuoteAnswer {
  if (answer.kind === 'quotes' && !answer.quotes.every(addsUp))
    throw new Error(
      'The totals of a quote are inconsistent: source_total = source_subtotal + fee_total, fee_total = Σ fees.',
    );
  return answer;
}

function restrictAnswer(answer: QuoteAnswer, terms: PriceTerms, { restrictions }: Partner): QuoteAnswer {
  if (answer.kind === 'refused') return answer;
  return restrictQuotes(answer.quotes, terms, restrictions).match<QuoteAnswer>(
    (quotes) => ({ ...answer, quotes }),
    ({ code, message }) => ({ kind: 'refused', code, message }),
  );
}

function offersOf({ name }: Provider, answer: QuoteAnswer): readonly Offer[] {
  if (answer.kind === 'refused') return [];
  return answer.quotes.map((quote) => ({ provider: name, quote, rateFetchedAt: answer.rateFetchedAt }));
}

function mostUseful(answers: readonly QuoteAnswer[]): Refusal<MarketRefusalCode> {
  const refusal = mostUsefulRefusal(answers.flatMap((answer) => (answer.kind === 'refused' ? [answer] : [])));
  if (refusal === undefined) return { code: 'corridor_not_supported', message: 'No payment method serves this pair.' };
  return { code: refusal.code, message: refusal.message };
}

/**
 * The most useful of several refusals: a provider that is unavailable might have served the request, an amount can be corrected, and a
 * market cannot.
 */
export function mostUsefulRefusal<Refused extends Refusal>(refusals: readonly Refused[]): Refused | undefined {
  return (
    refusals.find(({ code }) => code === 'service_unavailable') ??
    refusals.find(({ code }) => code !== 'corridor_not_supported') ??
    refusals[0]
  );
}

/** The provider of a stored intent. If it is missing, the configuration is wrong. */
export function providerNamed(engine: Engine, name: string): Provider {
  const provider = findProvider(engine, name);
  if (provider === null) throw new Error(`No provider named "${name}" is configured, yet stored intents use it.`);
  return provider;
}

/** The provider of this name; null if the gate has none. */
export function findProvider(engine: Engine, name: string): Provider | null {
  return engine.providers.find((provider) => provider.name === name) ?? null;
}

/**
 * A provider's id as shown to the checkout. It is tagged with a keyed digest of the provider's name, so that no id table is needed and
 * browsers do not learn which provider serves them.
 */
export function taggedId(engine: Engine, provider: string, id: string): string {
  return `${tagOf(engine, provider)}${SEPARATOR}${id}`;
}

/** The provider and its own id; null if the id has no known tag. */
export function readTaggedId(
  engine: Engine,
  shown: string,
): { readonly provider: Provider; readonly id: string } | null {
  const end = shown.indexOf(SEPARATOR);
  const tag = shown.slice(0, Math.max(end, 0));
  const provider = engine.providers.find(({ name }) => engine.crypto.equal(tag, tagOf(engine, name)));
  return provider === undefined ? null : { provider, id: shown.slice(end + SEPARATOR.length) };
}

const SEPARATOR = '.';

function tagOf({ crypto }: Engine, provider: string): string {
  return crypto.keyedHash('quote-provider', provider).slice(0, 12);
}
