import { decimal, type Instant } from '@gateramp/core/domain';
import type { MarketView } from './market-view.js';
import { feesOf, type Price, priceOf, type TokenPrices } from './price.js';
import type { Route, RouteRefusal } from './route.js';

/** A route with its price. */
export interface PricedRoute {
  readonly route: Route;
  readonly price: Price;
  /** When the exchange set the price, by the clock of the mode. */
  readonly at: Instant;
  /** The largest amount that the method accepts and that can be delivered now, in the route's currency; null without a bound. */
  readonly maxAmount: string | null;
}

/** The amount to price, and the time of the mode. */
interface PriceRequest {
  readonly amount: string;
  readonly now: Instant;
}

/** Why a route has no price now. `maxAmount` is set if a smaller amount would have one. */
type Unpriced = RouteRefusal & { readonly maxAmount?: string };

/**
 * Prices the first of the alternatives that can be used now for the amount; the routes of an alternative differ in their payment method
 * alone. A token that cannot be delivered closes no alternative without it.
 */
export async function priceRoutes(
  view: MarketView,
  alternatives: readonly (readonly Route[])[],
  request: PriceRequest,
): Promise<readonly PricedRoute[] | RouteRefusal> {
  const all = await Promise.all(alternatives.map((routes) => priceAlternative(view, routes, request)));
  const priced = all.find((one) => !('code' in one));
  if (priced !== undefined && !('code' in priced)) return priced;
  const { code, message } = mostUseful(all.flatMap((one) => ('code' in one ? [one] : [])));
  return { code, message };
}

async function priceAlternative(
  view: MarketView,
  routes: readonly Route[],
  request: PriceRequest,
): Promise<readonly PricedRoute[] | Unpriced> {
  const all = await Promise.all(routes.map((route) => priceRoute(view, route, request)));
  const priced = all.flatMap((one) => ('code' in one ? [] : [one]));
  return priced.length > 0 ? priced : mostUseful(all.flatMap((one) => ('code' in one ? [one] : [])));
}

/** An amount can be corrected, and the largest one has the best chance. Otherwise, what most alternatives lack. */
function mostUseful(unpriced: readonly Unpriced[]): Unpriced {
  const [largest] = unpriced
    .filter(({ maxAmount }) => maxAmount !== undefined)
    .toSorted((a, b) => decimal.compare(b.maxAmount ?? '0', a.maxAmount ?? '0'));
  const countOf = ({ message }: Unpriced) => unpriced.filter((one) => one.message === message).length;
  const found =
    largest ??
    unpriced.find(({ code }) => code === 'amount_below_minimum') ??
    unpriced.toSorted((a, b) => countOf(b) - countOf(a))[0];
  if (found === undefined) throw new Error('There is neither a route nor a refusal.');
  return found;
}

async function priceRoute(
  view: MarketView,
  route: Route,
  { amount, now }: PriceRequest,
): Promise<PricedRoute | Unpriced> {
  const { source, target, currency } = route;
  if (source !== null && !(await view.canUse(source.network, { asset: source.asset, as: 'deposit' })))
    return unavailable(`${source.asset} on ${source.network} cannot be accepted at the moment`);
  if (target !== null && !(await view.canUse(target.network, { asset: target.asset, as: 'send' })))
    return unavailable(`${target.asset} on ${target.network} cannot be delivered at the moment`);
  const [bid, ask] = await Promise.all(
    [source, target].map(async (side) => (side === null ? null : view.price({ asset: side.asset, currency }, now))),
  );
  for (const [side, found] of [
    [source, bid],
    [target, ask],
  ] as const)
    if (found?.kind === 'unavailable')
      return unavailable(`There is no price of ${side?.asset ?? ''} in ${currency} at the moment`);
  const prices: TokenPrices = {
    bid: bid?.kind === 'price' ? bid.bid : null,
    ask: ask?.kind === 'price' ? ask.ask : null,
  };
  const deliverable = await maxAmountOf(view, route, prices);
  if (deliverable !== null && isBelowMinimum(route, deliverable))
    return unavailable(`${target?.asset ?? ''} on ${target?.network ?? ''} cannot be delivered at the moment`);
  const maxAmount = lesserOf(route.fiat?.maxAmount ?? null, deliverable);
  if (maxAmount !== null && decimal.compare(amount, maxAmount) > 0)
    return {
      code: 'amount_above_maximum',
      message: `The largest amount is ${maxAmount} ${currency}${maxAmount === deliverable ? ' at the moment' : ''}.`,
      maxAmount,
    };
  const price = priceOf(route, amount, prices);
  if (price === 'fees_exceed_amount')
    return { code: 'amount_below_minimum', message: 'The amount is smaller than its fees.' };
  const dates = [bid, ask].flatMap((one) => (one?.kind === 'price' ? [one.at] : []));
  return { route, price, at: Math.min(now, ...dates), maxAmount };
}

/** Whether no amount that the method accepts is within the bound. */
export function isBelowMinimum({ fiat }: Route, maxAmount: string): boolean {
  return !decimal.isPositive(maxAmount) || (fiat !== null && decimal.compare(maxAmount, fiat.minAmount) < 0);
}

/** The lower of two bounds; null is none. */
export function lesserOf(one: string | null, other: string | null): string | null {
  if (one === null || other === null) return one ?? other;
  return decimal.compare(one, other) <= 0 ? one : other;
}

function unavailable(problem: string): Unpriced {
  return { code: 'service_unavailable', message: `${problem}; try again later, or choose another asset.` };
}

/** Steps by which an estimate is lowered until its tokens can be delivered. Fees are rounded down, so few are enough. */
const STEPS_MAX = 20;

/** The largest amount in the route's currency whose tokens can be delivered now, rounded down; null without a bound. */
export async function maxAmountOf(view: MarketView, route: Route, prices: TokenPrices): Promise<string | null> {
  const { target, fiat, currency } = route;
  if (target === null || prices.ask === null) return null;
  const held = await view.deliverable(target.network, target.asset);
  if (held === null) return null;
  const digits = decimal.currencyDecimals(currency);
  const fixed = feesOf(route, target, '0').reduce((sum, fee) => decimal.add(sum, fee.amount), '0');
  const gross = decimal.add(decimal.multiply(held, prices.ask), fixed);
  const share = String(10_000 - (fiat?.feeBps ?? 0));
  const unit = decimal.divideDown('1', `1${'0'.repeat(digits)}`, digits);
  let amount = decimal.toFixedDown(decimal.divideDown(decimal.multiply(gross, '10000'), share, digits), digits);
  for (let step = 0; step < STEPS_MAX && decimal.isPositive(amount); step += 1) {
    const price = priceOf(route, amount, prices);
    if (price === 'fees_exceed_amount') break;
    if (decimal.compare(price.destination.amount, held) <= 0) return amount;
    amount = decimal.toFixedDown(decimal.subtract(amount, unit), digits);
  }
  return decimal.toFixedDown('0', digits);
}
