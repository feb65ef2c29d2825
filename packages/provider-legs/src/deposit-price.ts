import { decimal, type Instant } from '@gateramp/core/domain';
import type { Operation } from './operation.js';
import type { Deposit, ExchangePair } from './ports/legs.js';
import { LOOK_SOON, wait, type CallContext, type Progress } from './progress.js';
import { crossRate } from './price.js';
import type { DepositPrice } from './route.js';

/** Otherwise a seller could wait until the deadline, and send only if the price has fallen. */
const DEFAULT: DepositPrice = { heldMs: 10 * 60_000, requoteAfterBps: 50 };
const WHOLE_BPS = 10_000;

/** What the buyer is told about the price before they send the deposit. */
export function priceTerms({ legs, operation }: CallContext) {
  const { requoteAfterBps } = termsOf(legs);
  return { priceHeldUntil: heldUntil(legs, operation), priceToleranceBps: requoteAfterBps };
}

/**
 * Whether the deposits are exchanged at the price of the operation: if enough was in a block while the price was held, or if the price has
 * not moved too far against the house since. Without a trusted price the decision waits, and the exchange raises its alarm.
 */
export async function honoured(
  context: CallContext,
  deposits: readonly Deposit[],
): Promise<'honoured' | 'moved' | Progress> {
  const { legs, operation, price } = context;
  const until = heldUntil(legs, operation);
  const held = deposits.filter(({ at }) => at <= until).reduce((sum, { amount }) => decimal.add(sum, amount), '0');
  if (decimal.compare(held, price.source.amount) >= 0) return 'honoured';
  const rate = await currentRate(context);
  if (rate === null) return wait(context, LOOK_SOON);
  const least = decimal.multiply(price.exchangeRate, String(WHOLE_BPS - termsOf(legs).requoteAfterBps));
  return decimal.compare(decimal.multiply(rate, String(WHOLE_BPS)), least) < 0 ? 'moved' : 'honoured';
}

function heldUntil(legs: CallContext['legs'], { createdAt }: Operation): Instant {
  return createdAt + termsOf(legs).heldMs;
}

const termsOf = ({ depositPrice = DEFAULT }: CallContext['legs']): DepositPrice => depositPrice;

/** Destination per source at the prices of now, as in `Price.exchangeRate`; null without a trusted price. */
async function currentRate({ legs, operation, price, now }: CallContext): Promise<string | null> {
  const { source, destination } = price;
  const currency = currencyOf(operation, legs.exchange.pairs, source.currency, destination);
  if (currency === null) return null;
  const bid = await legs.exchange.price({ asset: source.currency, currency }, now);
  if (bid.kind === 'unavailable') return null;
  if (destination.network === null) return bid.bid;
  const ask = await legs.exchange.price({ asset: destination.currency, currency }, now);
  return ask.kind === 'unavailable' ? null : crossRate(bid.bid, ask.ask);
}

/** The currency in which the operation was priced. Operations of earlier versions do not name that of a swap. */
function currencyOf(
  { currency }: Operation,
  pairs: readonly ExchangePair[],
  source: string,
  destination: { readonly currency: string; readonly network: string | null },
): string | null {
  if (destination.network === null) return destination.currency;
  if (currency !== undefined) return currency;
  const has = (asset: string, of: string) => pairs.some((pair) => pair.asset === asset && pair.currency === of);
  return pairs.find((pair) => has(source, pair.currency) && has(destination.currency, pair.currency))?.currency ?? null;
}
