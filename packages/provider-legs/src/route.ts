import { decimal, type Flow, type PaymentMethod } from '@gateramp/core/domain';
import type { MarketRefusalCode, QuoteRequest } from '@gateramp/core/ports';
import type { ChainAsset, ChainLeg, ExchangeLeg, FiatLeg, FiatMethod } from './ports/legs.js';

/** The legs that determine what a provider offers. */
export interface MarketLegs {
  readonly fiat: FiatLeg;
  readonly exchange: ExchangeLeg;
  readonly chain: ChainLeg;
}

/** For how long, and how far, the price of a deposit is held. */
export interface DepositPrice {
  /** A deposit in a block until then after the start is exchanged at the price that the buyer was shown. */
  readonly heldMs: number;
  /** A later one is returned if the price has moved against the house by more than this, in basis points. */
  readonly requoteAfterBps: number;
}

/** A token on a network that the chain leg serves. */
export interface RoutedAsset {
  readonly asset: string;
  readonly network: string;
  readonly decimals: number;
  readonly networkFee: ChainAsset['networkFee'];
}

/** A way from one kind of money to another that the legs serve together. */
export interface Route {
  readonly flow: Flow;
  /** Upper case. */
  readonly currency: string;
  readonly method: PaymentMethod;
  /** The method of the fiat side; null for a swap, which has no fiat side. */
  readonly fiat: FiatMethod | null;
  /** What the buyer sends; null when that is fiat. */
  readonly source: RoutedAsset | null;
  /** What the buyer receives; null when that is fiat. */
  readonly target: RoutedAsset | null;
}

/** Why the legs do not serve a request. */
export interface RouteRefusal {
  readonly code: MarketRefusalCode;
  readonly message: string;
}

type RouteTerms = Omit<QuoteRequest, 'scope' | 'countryCode' | 'now'>;

/** The routes for the requested method or for all methods, the default first; or the reason why there is no route. */
export function findRoutes(legs: MarketLegs, terms: RouteTerms): readonly Route[] | RouteRefusal {
  const currency = terms.currency.toUpperCase();
  const assets = findAssets(legs, terms, currency);
  if ('code' in assets) return assets;
  const methods = methodsOf(legs, terms.flow, currency).filter(
    ({ method }) => terms.paymentMethod === null || method === terms.paymentMethod,
  );
  if (methods.length === 0) return unsupported(`No payment method serves ${terms.flow} in ${currency}.`);
  const within = methods.filter(({ fiat }) => fiat === null || isWithin(fiat, terms.amount));
  if (within.length === 0) return outside(methods, terms.amount, currency);
  return within.map((method) => ({ flow: terms.flow, currency, ...method, ...assets }));
}

interface RoutedMethod {
  readonly method: PaymentMethod;
  readonly fiat: FiatMethod | null;
}

/** The payment methods of a flow in a currency. A swap is paid in crypto. */
export function methodsOf({ fiat }: MarketLegs, flow: Flow, currency: string): readonly RoutedMethod[] {
  if (flow === 'swap') return [{ method: 'crypto', fiat: null }];
  const direction = flow === 'on_ramp' ? 'in' : 'out';
  return fiat.methods
    .filter((method) => method.direction === direction && method.currency === currency)
    .map((method) => ({ method: method.method, fiat: method }));
}

type Assets = Pick<Route, 'source' | 'target'>;

function findAssets(legs: MarketLegs, terms: RouteTerms, currency: string): Assets | RouteRefusal {
  const source =
    terms.flow === 'on_ramp'
      ? null
      : findAsset(legs, currency, { token: terms.sourceToken, network: terms.sourceNetwork });
  if (source !== null && 'code' in source) return source;
  const target = terms.flow === 'off_ramp' ? null : findTarget(legs, currency, terms, source);
  if (target !== null && 'code' in target) return target;
  if (source !== null && source.asset === target?.asset && source.network === target.network)
    return unsupported(`Swapping ${source.asset} on ${source.network} into itself changes nothing.`);
  return { source, target };
}

function findTarget(legs: MarketLegs, currency: string, terms: RouteTerms, source: RoutedAsset | null) {
  const requested = { token: terms.targetToken, network: terms.targetNetwork };
  if (requested.token !== null || requested.network !== null || source === null)
    return findAsset(legs, currency, requested);
  const other = tradable(legs, currency).find(({ asset }) => asset !== source.asset);
  return other ?? unsupported(`${source.asset} can be swapped into no other token.`);
}

function findAsset(
  legs: MarketLegs,
  currency: string,
  requested: { readonly token: string | null; readonly network: string | null },
): RoutedAsset | RouteRefusal {
  const token = requested.token?.toUpperCase() ?? null;
  const network = requested.network?.toLowerCase() ?? null;
  const ofToken = tradable(legs, currency).filter(({ asset }) => token === null || asset === token);
  const [found] = ofToken.filter((candidate) => network === null || candidate.network === network);
  if (found !== undefined) return found;
  if (ofToken.length === 0 || network === null || !legs.chain.networks.some((known) => known.network === network))
    return unsupported(`${token ?? 'Crypto'} on ${network ?? 'any network'} is not served in ${currency}.`);
  return {
    code: 'asset_network_mismatch',
    message: `${token ?? 'This token'} is not served on ${network}; use ${ofToken.map((known) => known.network).join(' or ')}.`,
  };
}

/** The tokens that the chain moves and the exchange trades against the currency, in the chain's order. */
export function tradable({ chain, exchange }: MarketLegs, currency: string): readonly RoutedAsset[] {
  return chain.networks.flatMap(({ network, assets }) =>
    assets
      .filter(({ asset }) => exchange.pairs.some((pair) => pair.asset === asset && pair.currency === currency))
      .map((asset) => ({ ...asset, network })),
  );
}

function isWithin({ minAmount, maxAmount }: FiatMethod, amount: string): boolean {
  return decimal.compare(amount, minAmount) >= 0 && decimal.compare(amount, maxAmount) <= 0;
}

function outside(methods: readonly RoutedMethod[], amount: string, currency: string): RouteRefusal {
  const limits = methods.flatMap(({ fiat }) => (fiat === null ? [] : [fiat]));
  const min = limits.map(({ minAmount }) => minAmount).reduce(lesser);
  if (decimal.compare(amount, min) < 0)
    return { code: 'amount_below_minimum', message: `The smallest amount is ${min} ${currency}.` };
  const max = limits.map(({ maxAmount }) => maxAmount).reduce((a, b) => (lesser(a, b) === a ? b : a));
  return { code: 'amount_above_maximum', message: `The largest amount is ${max} ${currency}.` };
}

const lesser = (a: string, b: string) => (decimal.compare(a, b) <= 0 ? a : b);

function unsupported(message: string): RouteRefusal {
  return { code: 'corridor_not_supported', message };
}
