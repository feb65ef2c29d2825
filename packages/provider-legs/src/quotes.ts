import { randomUUID } from 'node:crypto';
import { decimal, type Instant, type Quote } from '@gateramp/core/domain';
import type { QuoteAnswer, QuoteCheck, QuoteRequest } from '@gateramp/core/ports';
import type { JsonValue, LegsStore } from './ports/legs-store.js';
import type { ChainUse } from './ports/legs.js';
import { type Price, priceOf, type TokenPrices } from './price.js';
import { findRoutes, type MarketLegs, type Route } from './route.js';

/** How long a quoted price is valid. */
export const QUOTE_LIFETIME_MS = 60_000;
/** How long an expired quote is kept: an attempt may start some time after its quote was checked. */
const KEPT_AFTER_MS = 60 * 60_000;

const QUOTE = 'quote';

/** A quoted price, with the request that it applies to. */
interface StoredQuote {
  readonly partnerId: string;
  readonly mode: string;
  readonly flow: string;
  readonly amount: string;
  readonly countryCode: string | null;
  readonly route: Route;
  readonly price: Price;
  readonly expiresAt: Instant;
}

/** Thrown while the chain or the price source is unavailable. Callers treat it as an outage. */
export class LegUnavailable extends Error {
  override readonly name = 'LegUnavailable';
  readonly outage = true;
}

/** Creates one quote per payment method. Quotes are stored, so that the buyer pays the price that was shown. */
export async function quote(legs: MarketLegs, store: LegsStore, request: QuoteRequest): Promise<QuoteAnswer> {
  const routes = findRoutes(legs, request);
  if ('code' in routes) return { kind: 'refused', ...routes };
  const priced = await Promise.all(
    routes.map(async (route) => ({ route, ...(await priceRoute(legs, route, request)) })),
  );
  const served = priced.flatMap(({ route, price, at }) =>
    price === 'fees_exceed_amount' ? [] : [{ route, price, at }],
  );
  if (served.length === 0)
    return { kind: 'refused', code: 'amount_below_minimum', message: 'The amount is smaller than its fees.' };
  const expiresAt = request.now + QUOTE_LIFETIME_MS;
  const stored = served.map((one) => ({ ...one, id: `quote_${randomUUID().replaceAll('-', '')}` }));
  await store.commit({
    documents: stored.map(({ id, route, price }) => ({
      kind: QUOTE,
      id,
      version: 1,
      status: 'open',
      dueAt: expiresAt + KEPT_AFTER_MS,
      body: quoteBody(request, route, price, expiresAt),
    })),
    entries: [],
  });
  return {
    kind: 'quotes',
    rateFetchedAt: Math.min(...stored.map(({ at }) => at)),
    expiresAt,
    quotes: stored.map(({ id, route, price }) => quoteOf(id, route, price, expiresAt)),
  };
}

/** Checks that the quote is still valid and was made for this request. */
export async function checkQuote(store: LegsStore, id: string, request: QuoteRequest): Promise<QuoteCheck> {
  const stored = await loadQuote(store, id);
  if (stored === null || !isFor(stored, request)) return NOT_FOUND;
  if (request.now > stored.expiresAt)
    return { kind: 'refused', code: 'quote_expired', message: 'This quote has expired; create a new one.' };
  return { kind: 'valid', fixed: { ...termsOf(stored.route), countryCode: stored.countryCode } };
}

/** The terms that a route fixes. */
export function termsOf({ source, target, method }: Route) {
  return {
    sourceToken: source?.asset ?? null,
    sourceNetwork: source?.network ?? null,
    targetToken: target?.asset ?? null,
    targetNetwork: target?.network ?? null,
    paymentMethod: method,
  };
}

/** The stored quote; null for a quote of another provider, or one that was deleted after it expired. */
export async function loadQuote(store: LegsStore, id: string): Promise<StoredQuote | null> {
  const document = await store.load(QUOTE, id);
  return document === null ? null : (document.body as unknown as StoredQuote);
}

/** Deletes quotes past their retention time. */
export function removeOldQuotes(store: LegsStore, now: Instant): Promise<number> {
  return store.removeDue({ kind: QUOTE, now, limit: 1000 });
}

/** The current price of a route. Throws `LegUnavailable` while the chain or the price source is unavailable. */
export async function priceRoute(
  legs: MarketLegs,
  route: Route,
  { amount, now }: Pick<QuoteRequest, 'amount' | 'now'>,
): Promise<{ readonly price: Price | 'fees_exceed_amount'; readonly at: Instant }> {
  const { source, target } = route;
  if (source !== null) await requireAvailable(legs, source.network, { asset: source.asset, as: 'deposit' });
  if (target !== null) await requireAvailable(legs, target.network, { asset: target.asset, as: 'send' });
  const bid = source === null ? null : await priceOfAsset(legs, source.asset, route.currency, now);
  const ask = target === null ? null : await priceOfAsset(legs, target.asset, route.currency, now);
  const prices: TokenPrices = { bid: bid?.bid ?? null, ask: ask?.ask ?? null };
  return { price: priceOf(route, amount, prices), at: Math.min(bid?.at ?? now, ask?.at ?? now) };
}

async function requireAvailable({ chain }: MarketLegs, network: string, use: ChainUse): Promise<void> {
  const reason = await chain.unavailable(network, use);
  if (reason !== null) throw new LegUnavailable(`${network} is unavailable: ${reason}`);
}

async function priceOfAsset({ exchange }: MarketLegs, asset: string, currency: string, now: Instant) {
  const result = await exchange.price({ asset, currency }, now);
  if (result.kind === 'unavailable') throw new LegUnavailable(result.reason);
  return result;
}

function quoteBody(
  { scope, flow, amount, countryCode }: QuoteRequest,
  route: Route,
  price: Price,
  expiresAt: Instant,
): JsonValue {
  const quoted: StoredQuote = {
    partnerId: scope.partnerId,
    mode: scope.mode,
    flow,
    amount,
    countryCode,
    route,
    price,
    expiresAt,
  };
  return JSON.parse(JSON.stringify(quoted)) as JsonValue;
}

function isFor(stored: StoredQuote, { scope, flow, amount, currency }: QuoteRequest): boolean {
  return (
    stored.partnerId === scope.partnerId &&
    stored.mode === scope.mode &&
    stored.flow === flow &&
    stored.route.currency === currency.toUpperCase() &&
    decimal.equals(stored.amount, amount)
  );
}

function quoteOf(id: string, route: Route, price: Price, expiresAt: Instant): Quote {
  const { source, destination, exchangeRate, sourceSubtotal, fees, feeTotal } = price;
  return {
    id,
    paymentMethod: route.method,
    available: true,
    unavailableReason: null,
    source,
    destination,
    exchangeRate,
    sourceSubtotal,
    sourceTotal: source.amount,
    fees,
    feeTotal,
    limits: limitsOf(route),
    estimatedSettlementSeconds: settlementSeconds(route),
    expiresAt,
  };
}

/** The limits of a swap, which has no fiat side with limits. */
const NO_LIMIT = { minAmount: '0.01', maxAmount: '1000000000.00' } as const;

function limitsOf({ fiat, currency }: Route): Quote['limits'] {
  const { minAmount, maxAmount } = fiat ?? NO_LIMIT;
  return { minAmount, maxAmount, currency };
}

const CHAIN_SECONDS = 60;

function settlementSeconds({ fiat }: Route): number {
  return (fiat?.settlesWithinSeconds ?? 0) + CHAIN_SECONDS;
}

const NOT_FOUND: QuoteCheck = {
  kind: 'refused',
  code: 'quote_not_found',
  message: 'No such quote for this amount; create one and pass its id unchanged.',
};
