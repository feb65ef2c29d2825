import { decimal, feeTotal, type Fee, type Side } from '@gateramp/core/domain';
import type { Route, RoutedAsset } from './route.js';

/** What an amount costs and gives. Laws: sourceTotal = sourceSubtotal + feeTotal; feeTotal = Σ fees. */
export interface Price {
  readonly source: Amount;
  readonly destination: Amount;
  /** Destination per source, 18 significant digits. Amounts are computed from the exact prices, never from this. */
  readonly exchangeRate: string;
  readonly sourceSubtotal: string;
  /** In what the buyer sends. */
  readonly fees: readonly Fee[];
  readonly feeTotal: string;
}

/** A side of a price, everything known. */
export interface Amount extends Side {
  readonly amount: string;
  readonly currency: string;
}

/** What one token costs in the route's currency: `bid` for tokens we take, `ask` for tokens we give. */
export interface TokenPrices {
  readonly bid: string | null;
  readonly ask: string | null;
}

const RATE_DIGITS = 18;

/** The price of `amount` in the route's currency. Fees come off what is bought or swapped, and on top of what is sold. */
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
    exchangeRate: decimal.divideSignificant(bid, ask, RATE_DIGITS),
    sourceSubtotal: subtotal,
    fees,
    feeTotal: total,
  };
}

/** What the payment method takes, and what the network of the crypto that moves last costs; in the route's currency. */
function feesOf({ fiat, currency }: Route, onChain: RoutedAsset, amount: string): readonly Fee[] {
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

/** So many tokens are worth at least that much money: rounded up, or the buyer would send too little. */
function atLeast(money: string, { decimals }: RoutedAsset, bid: string): string {
  const down = decimal.divideDown(money, bid, decimals);
  if (decimal.compare(decimal.multiply(down, bid), money) >= 0) return down;
  return decimal.add(down, decimal.divideDown('1', `1${'0'.repeat(decimals)}`, decimals));
}

function tokens({ asset, network }: RoutedAsset, amount: string): Amount {
  return { amount, currency: asset, network };
}

/** A route has the sides and prices that its flow needs; one without is a bug. */
function present<Value>(value: Value | null): Value {
  if (value === null) throw new Error('The route has a side without a token or a price.');
  return value;
}
