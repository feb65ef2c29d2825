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

/**
 * The alternatives for the tokens that the request leaves open, the default first; each has a route for the requested method, or for every
 * method. Or the reason why there is no route. Amounts above the maximum are refused with the price, which knows what can be delivered.
 */
export function findRoutes(legs: MarketLegs, terms: RouteTerms): readonly (readonly Route[])[] | RouteRefusal {
  const currency = terms.currency.toUpperCase();
  const alternatives = findAssets(legs, terms, currency);
  if ('code' in alternatives) return alternatives;
  const methods = methodsOf(legs, terms.flow, currency).filter(
    ({ method }) => terms.paymentMethod === null || method === terms.paymentMethod,
  );
  if (methods.length === 0) return unsupported(`No payment method serves ${terms.flow} in ${currency}.`);
  const within = methods.filter(({ fiat }) => fiat === null || decimal.compare(terms.amount, fiat.minAmount) >= 0);
  if (within.length === 0) return belowMinimum(methods, currency);
  return alternatives.map((assets) => within.map((method) => ({ flow: terms.flow, currency, ...method, ...assets })));
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

function findAssets(legs: MarketLegs, terms: RouteTerms, currency: string): readonly Assets[] | RouteRefusal {
  const none = [null] as const;
  const sent = { token: terms.sourceToken, network: terms.sourceNetwork };
  const sources = terms.flow === 'on_ramp' ? none : findAsset(legs, currency, sent);
  if ('code' in sources) return sources;
  const received = { token: terms.targetToken, network: terms.targetNetwork };
  const targets = terms.flow === 'off_ramp' ? none : findAsset(legs, currency, received);
  if ('code' in targets) return targets;
  const isOpen = received.token === null && received.network === null;
  const all = sources.flatMap((source) =>
    targets.filter((target) => isExchange(source, target, isOpen)).map((target) => ({ source, target })),
  );
  if (all.length > 0) return all;
  const [source] = sources;
  return unsupported(
    isOpen
      ? `${source?.asset ?? 'This token'} can be swapped into no other token.`
      : `Swapping ${source?.asset ?? 'a token'} on ${source?.network ?? 'its network'} into itself changes nothing.`,
  );
}

/** A swap needs two tokens; if the buyer leaves the target open, one of another asset. */
function isExchange(source: RoutedAsset | null, target: RoutedAsset | null, isOpen: boolean): boolean {
  if (source === null || target === null) return true;
  return source.asset !== target.asset || (!isOpen && source.network !== target.network);
}

function findAsset(
  legs: MarketLegs,
  currency: string,
  requested: { readonly token: string | null; readonly network: string | null },
): readonly RoutedAsset[] | RouteRefusal {
  const token = requested.token?.toUpperCase() ?? null;
  const network = requested.network?.toLowerCase() ?? null;
  const ofToken = tradable(legs, currency).filter(({ asset }) => token === null || asset === token);
  const found = ofToken.filter((candidate) => network === null || candidate.network === network);
  if (found.length > 0) return found;
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

function belowMinimum(methods: readonly RoutedMethod[], currency: string): RouteRefusal {
  const min = methods.flatMap(({ fiat }) => (fiat === null ? [] : [fiat.minAmount])).reduce(lesser);
  return { code: 'amount_below_minimum', message: `The smallest amount is ${min} ${currency}.` };
}

const lesser = (a: string, b: string) => (decimal.compare(a, b) <= 0 ? a : b);

function unsupported(message: string): RouteRefusal {
  return { code: 'corridor_not_supported', message };
}
