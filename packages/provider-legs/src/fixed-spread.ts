import { decimal, type Instant } from '@gateramp/core/domain';
import type { ExchangeLeg, ExchangePair } from './ports/legs.js';

/** A price from one source. */
export interface SourcePrice {
  readonly price: string;
  /** When the price was valid, by `clock`; null for a fixed price. */
  readonly at: Instant | null;
}

/** Fetches the price of one unit of the asset from one source. Throws or returns null while there is no price. */
export type PriceSource = (pair: ExchangePair) => Promise<SourcePrice | null>;

/** The pairs, price sources, spread and checks of `fixedSpread`. */
export interface FixedSpreadOptions {
  readonly pairs: readonly ExchangePair[];
  /** All sources must agree; the median price is used. */
  readonly sources: readonly PriceSource[];
  /** The distance from bid to ask in basis points of the price, half on each side. */
  readonly spreadBps: number;
  /** A price that is older, or dated further in the future, is not used. 60 s by default. */
  readonly maxAgeMs?: number;
  /** No price is used when the sources differ by more than this, relative to the lowest price. 100 by default. */
  readonly maxDisagreementBps?: number;
  /** The clock that the dates of the sources follow, independent of test clocks. The system clock by default. */
  readonly clock?: () => Instant;
}

/** A price with its age, or why there is no price. */
type AgedPrice =
  | { readonly kind: 'price'; readonly bid: string; readonly ask: string; readonly ageMs: number }
  | { readonly kind: 'unavailable'; readonly reason: string };

/**
 * Buys and sells from the house's own stock at a market price and a fixed spread. The house already holds both sides, so `execute` has
 * nothing to do; hedging on a market is another implementation of the same port.
 */
export function fixedSpread(options: FixedSpreadOptions): ExchangeLeg {
  const { pairs, sources, spreadBps, maxAgeMs = 60_000, maxDisagreementBps = 100, clock = Date.now } = options;
  if (sources.length === 0) throw new Error('fixedSpread needs at least one price source.');
  if (!Number.isInteger(spreadBps) || spreadBps < 0 || spreadBps >= 10_000)
    throw new Error('spreadBps must be a whole number from 0 to 9999.');

  async function priceNow(pair: ExchangePair): Promise<AgedPrice> {
    const settled = await Promise.allSettled(sources.map((source) => source(pair)));
    const fresh = settled.flatMap((one) => {
      if (one.status === 'rejected' || one.value === null) return [];
      const { price, at } = one.value;
      const ageMs = at === null ? 0 : clock() - at;
      // An unreadable date is NaN, for which this comparison is false.
      return decimalText(price) && Math.abs(ageMs) <= maxAgeMs ? [{ price, ageMs }] : [];
    });
    if (fresh.length < sources.length)
      return unavailable(`A price of ${pair.asset} in ${pair.currency} is missing or stale.`);
    const sorted = fresh.toSorted((a, b) => decimal.compare(a.price, b.price));
    const lowest = sorted[0];
    const highest = sorted.at(-1);
    const middle = sorted[Math.floor((sorted.length - 1) / 2)];
    if (lowest === undefined || highest === undefined || middle === undefined) return unavailable('There is no price.');
    if (differsBy(lowest.price, highest.price, maxDisagreementBps))
      return unavailable(`Price sources of ${pair.asset} in ${pair.currency} disagree.`);
    return {
      kind: 'price',
      bid: share(middle.price, 20_000 - spreadBps),
      ask: share(middle.price, 20_000 + spreadBps),
      ageMs: Math.max(0, ...fresh.map(({ ageMs }) => ageMs)),
    };
  }

  return {
    name: 'fixed_spread',
    pairs,
    async unavailable(pair) {
      const current = await priceNow(pair);
      return current.kind === 'price' ? null : current.reason;
    },
    async price(pair, now) {
      const current = await priceNow(pair);
      if (current.kind === 'unavailable') return current;
      const { bid, ask, ageMs } = current;
      return { kind: 'price', bid, ask, at: now - ageMs };
    },
    execute: async () => ({ kind: 'executed' }),
  };
}

/** A source with fixed prices by `ASSET/CURRENCY`, for tests and demos. */
export function fixedPrices(prices: Readonly<Record<string, string>>): PriceSource {
  return async ({ asset, currency }) => {
    const price = prices[`${asset}/${currency}`];
    return price === undefined ? null : { price, at: null };
  };
}

const decimalText = (text: string) => /^\d+(\.\d+)?$/.test(text) && decimal.isPositive(text);

function differsBy(lowest: string, highest: string, bps: number): boolean {
  return (
    decimal.compare(
      decimal.multiply(decimal.subtract(highest, lowest), '10000'),
      decimal.multiply(lowest, String(bps)),
    ) > 0
  );
}

/** A share of the price in parts of 20,000, so that half a basis point is exact. */
function share(price: string, parts: number): string {
  return decimal.divideSignificant(decimal.multiply(price, String(parts)), '20000', 18);
}

function unavailable(reason: string): AgedPrice {
  return { kind: 'unavailable', reason };
}
