import { decimal, feeTotal, type Fee, type Side } from '@gateramp/core/domain';
import type { Route, RoutedAsset } from './route.js';

/** The price of an amount. Laws: source amount = sourceSubtotal + feeTotal; feeTotal = Σ fees. */
export interface Price {
  readonly source: Amount;
  readonly destination: Amount;
  /** Destination per source, with 18 significant digits. For display: amounts are computed from the exact prices. */
  readonly exchangeRate: string;
  readonly sourceSubtotal: string;
  /** In the currency that the buyer sends. */
  readonly fees: readonly Fee[];
  readonly feeTotal: string;
}

/** One side of a price, with its amount and currency known. */
export interface Amount extends Side {
  readonly amount: string;
  readonly currency: string;
}

/** Prices of one token in the route's currency: `bid` for tokens that the buyer sends, `ask` for tokens that the buyer receives. */
export interface TokenPrices {
  readonly bid: string | null;
  readonly ask: string | null;
}

const RATE_DIGITS = 18;

/** The price of `amount` in the route's currency. Fees are deducted on a buy or a swap, and added to the tokens of a sale. */
export function priceOf(route: Route, amount: string, prices: TokenPrices): Price | 'fees_exceed_amount' {
  const { source, target } = route;
  if (source === null) return buyPrice(route, present(target), amount, present(prices.ask));
  if (target === null) return sellPrice(route, source, amount, present(prices.bid));
  return swapPrice(route, source, target, amount, { bid: present(prices.bid), ask: present(prices.ask) });
}

function buyPrice(route: Route, target: RoutedAsset, amount: string, ask: string): Price | 'fees_exceed_amount' {
  const fees = feesOf(route, target, amount);
  const total = feeTotal(fees);
  const subtotal = decimal.subtract(amount, total);
  const bought = decimal.isPositive(subtotal) ? decimal.divideDown(subtotal, ask, target.decimals) : '0';
  if (!decimal.isPositive(bought)) return 'fees_exceed_amount';
  return {
    source: { amount, currency: route.currency, network: null },
    destination: tokens(target, bought),
    exchangeRate: decimal.divideSignificant('1', ask, RATE_DIGITS),
    sourceSubtotal: subtotal,
    fees,
    feeTotal: total,
  };
}

function sellPrice(route: Route, source: RoutedAsset, amount: string, bid: string): Price {
  const fees = inTokens(feesOf(route, source, amount), source, bid);
  const subtotal = atLeast(amount, source, bid);
  const total = feeTotal(fees);
  return {
    source: tokens(source, decimal.add(subtotal, total)),
    destination: { amount, currency: route.currency, network: null },
    exchangeRate: bid,
    sourceSubtotal: subtotal,
    fees,
    feeTotal: total,
  };
}

function swapPrice(
  route: Route,
  source: RoutedAsset,
  target: RoutedAsset,
  amount: string,
  { bid, ask }: { readonly bid: string; readonly ask: string },
): Price | 'fees_exceed_amount' {
  const fees = inTokens(feesOf(route, target, amount), source, bid);
  const total = feeTotal(fees);
  const sent = atLeast(amount, source, bid);
  const subtotal = decimal.subtract(sent, total);
  const bought = decimal.isPositive(subtotal)
    ? decimal.divideDown(decimal.multiply(subtotal, bid), ask, target.decimals)
    : '0';
  if (!decimal.isPositive(bought)) return 'fees_exceed_amount';
  return {
    source: tokens(source, sent),
    destination: tokens(target, bought),
    exchangeRate: crossRate(bid, ask),
    sourceSubtotal: subtotal,
    fees,
    feeTotal: total,
  };
}

/** Tokens received for each token sent. */
export function crossRate(bid: string, ask: string): string {
  return decimal.divideSignificant(bid, ask, RATE_DIGITS);
}

/** The fee of the payment method and the network fee of the token that moves last, in the route's currency. */
export function feesOf({ fiat, currency }: Route, onChain: RoutedAsset, amount: string): readonly Fee[] {
  const digits = decimal.currencyDecimals(currency);
  const service = fiat === null ? '0' : decimal.add(decimal.multiply(amount, bpsShare(fiat.feeBps)), fiat.feeFixed);
  const network = onChain.networkFee[currency] ?? '0';
  return [
    { type: 'service', amount: decimal.toFixedDown(service, digits), currency },
    { type: 'network', amount: decimal.toFixedDown(network, digits), currency },
  ];
}

const bpsShare = (bps: number) => decimal.divideDown(String(bps), '10000', 4);

function inTokens(fees: readonly Fee[], asset: RoutedAsset, bid: string): readonly Fee[] {
  return fees.map((fee) => ({ ...fee, amount: atLeast(fee.amount, asset, bid), currency: asset.asset }));
}

/** Converts money to tokens, rounded up: otherwise the buyer would send too little. */
function atLeast(money: string, { decimals }: RoutedAsset, bid: string): string {
  const down = decimal.divideDown(money, bid, decimals);
  if (decimal.compare(decimal.multiply(down, bid), money) >= 0) return down;
  return decimal.add(down, decimal.divideDown('1', `1${'0'.repeat(decimals)}`, decimals));
}

function tokens({ asset, network }: RoutedAsset, amount: string): Amount {
  return { amount, currency: asset, network };
}

/** Asserts that a route has the sides and prices that its flow needs. A missing one is a bug. */
function present<Value>(value: Value | null): Value {
  if (value === null) throw new Error('The route has a side without a token or a price.');
  return value;
}
