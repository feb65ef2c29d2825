import { randomUUID } from 'node:crypto';
import { decimal, type Instant, type Quote } from '@gateramp/core/domain';
import type { QuoteAnswer, QuoteCheck, QuoteRequest } from '@gateramp/core/ports';
import type { JsonValue, LegsStore } from './ports/legs-store.js';
import { marketView } from './market-view.js';
import type { Price } from './price.js';
import { findRoutes, type MarketLegs, type Route } from './route.js';
import { type PricedRoute, priceRoutes } from './route-prices.js';

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

/** Creates one quote per payment method. Quotes are stored, so that the buyer pays the price that was shown. */
export async function quote(legs: MarketLegs, store: LegsStore, request: QuoteRequest): Promise<QuoteAnswer> {
  const alternatives = findRoutes(legs, request);
  if ('code' in alternatives) return { kind: 'refused', ...alternatives };
  const served = await priceRoutes(marketView(legs), alternatives, request);
  if ('code' in served) return { kind: 'refused', ...served };
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
    quotes: stored.map((one) => quoteOf(one.id, one, expiresAt)),
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

function quoteOf(id: string, { route, price, maxAmount }: PricedRoute, expiresAt: Instant): Quote {
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
    limits: limitsOf(route, maxAmount),
    estimatedSettlementSeconds: settlementSeconds(route),
    expiresAt,
  };
}

/** The limits of a swap, which has no fiat side with limits. */
export const NO_LIMIT = { minAmount: '0.01', maxAmount: '1000000000.00' } as const;

function limitsOf({ fiat, currency }: Route, maxAmount: string | null): Quote['limits'] {
  const limits = fiat ?? NO_LIMIT;
  return { minAmount: limits.minAmount, maxAmount: maxAmount ?? limits.maxAmount, currency };
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
