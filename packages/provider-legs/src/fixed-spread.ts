import { decimal, type Instant } from '@gateramp/core/domain';
import type { ExchangeLeg, ExchangePair } from './ports/legs.js';
import { inTime } from './time-limits.js';
import { differsBy, priceJudge, type PriceTrust } from './trusted-prices.js';

/** A price from one source. */
export interface SourcePrice {
  readonly price: string;
  /** When the price was valid, by `clock`; null for a fixed price. */
  readonly at: Instant | null;
}

/** Fetches the price of one unit of the asset from one source. Throws or returns null while there is no price. */
export interface PriceSource {
  (pair: ExchangePair): Promise<SourcePrice | null>;
  /** Where the prices come from. Sources with one origin count as one, because they fail together; without it a source is independent. */
  readonly origin?: string;
}

/** The pairs, price sources, spread and checks of `fixedSpread`. */
export interface FixedSpreadOptions {
  readonly pairs: readonly ExchangePair[];
  /** The median of the prices that agree is used. */
  readonly sources: readonly PriceSource[];
  /** How many independent sources must agree; all by default. Others may be missing, stale or wrong. */
  readonly quorum?: number;
  /** The distance from bid to ask in basis points of the price, half on each side. */
  readonly spreadBps: number;
  /** A price that is older, or dated further in the future, is not used. 60 s by default. */
  readonly maxAgeMs?: number;
  /** Prices agree if they differ by at most this, relative to the lowest. 100 by default. */
  readonly maxDisagreementBps?: number;
  /** The clock that the dates of the sources follow, independent of test clocks. The system clock by default. */
  readonly clock?: () => Instant;
  /** Compares each price that has a date with the last trusted one; no comparison by default. */
  readonly trust?: PriceTrust;
}

/** Shorter than the time in which an exchange must answer a question for a quote, so that the other sources count without a late one. */
const SOURCE_MAX_MS = 2_250;

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
  const origins = new Set(sources.map(originOf));
  const { quorum = origins.size, trust } = options;
  if (sources.length === 0) throw new Error('fixedSpread needs at least one price source.');
  if (!Number.isInteger(quorum) || quorum < 1 || quorum > origins.size)
    throw new Error(`quorum must be from 1 to ${origins.size}, the number of independent sources.`);
  if (!Number.isInteger(spreadBps) || spreadBps < 0 || spreadBps >= 10_000)
    throw new Error('spreadBps must be a whole number from 0 to 9999.');
  const judge = trust === undefined ? null : priceJudge(trust, maxAgeMs);

  async function freshPrices(pair: ExchangePair): Promise<readonly FreshPrice[]> {
    const settled = await Promise.allSettled(
      sources.map(async (source) => inTime('The source', source(pair), SOURCE_MAX_MS)),
    );
    return settled.flatMap((one, index) => {
      if (one.status === 'rejected' || one.value === null) return [];
      const { price, at } = one.value;
      const ageMs = at === null ? 0 : clock() - at;
      // An unreadable date is NaN, for which this comparison is false.
      const isFresh = isPrice(price) && Math.abs(ageMs) <= maxAgeMs;
      const source = sources[index];
      return isFresh && source !== undefined
        ? [{ price, ageMs, isDated: at !== null, origin: originOf(source, index) }]
        : [];
    });
  }

  async function priceNow(pair: ExchangePair): Promise<AgedPrice> {
    const fresh = await freshPrices(pair);
    if (originsOf(fresh) < quorum)
      return unavailable(`A price of ${pair.asset} in ${pair.currency} is missing or stale.`);
    const agreed = agreeing(fresh, quorum, maxDisagreementBps);
    const middle = agreed[Math.floor((agreed.length - 1) / 2)];
    if (middle === undefined) return unavailable(`Price sources of ${pair.asset} in ${pair.currency} disagree.`);
    // A price without a date is configured by the operator, whose word needs no confirmation.
    const isJudged = judge !== null && agreed.every(({ isDated }) => isDated);
    const refused = isJudged ? await judge(pair, { price: middle.price, sources: originsOf(agreed) }, clock()) : null;
    if (refused !== null) return unavailable(refused);
    return {
      kind: 'price',
      bid: share(middle.price, 20_000 - spreadBps),
      ask: share(middle.price, 20_000 + spreadBps),
      ageMs: Math.max(0, ...agreed.map(({ ageMs }) => ageMs)),
    };
  }

  return {
    contract: 2,
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

interface FreshPrice {
  readonly price: string;
  readonly ageMs: number;
  readonly isDated: boolean;
  readonly origin: string;
}

/**
 * The largest group of prices that agree, in order; none if it is smaller than the quorum, or if the others could be a quorum too, so that
 * it is not clear which are right.
 */
function agreeing(fresh: readonly FreshPrice[], quorum: number, bps: number): readonly FreshPrice[] {
  const sorted = fresh.toSorted((a, b) => decimal.compare(a.price, b.price));
  const groups = sorted.map((lowest, index) =>
    sorted.slice(index).filter(({ price }) => !differsBy(lowest.price, price, bps)),
  );
  const [largest = []] = groups.toSorted((a, b) => originsOf(b) - originsOf(a));
  const others = sorted.filter((one) => !largest.includes(one));
  return originsOf(largest) < quorum || originsOf(others) >= quorum ? [] : largest;
}

function originsOf(prices: readonly FreshPrice[]): number {
  return new Set(prices.map(({ origin }) => origin)).size;
}

function originOf({ origin }: PriceSource, index: number): string {
  return origin ?? `source ${index}`;
}

/** A positive decimal number of a length that no price exceeds. */
const isPrice = (text: string) => /^\d{1,18}(\.\d{1,18})?$/.test(text) && decimal.isPositive(text);

/** A share of the price in parts of 20,000, so that half a basis point is exact. */
function share(price: string, parts: number): string {
  return decimal.divideSignificant(decimal.multiply(price, String(parts)), '20000', 18);
}

function unavailable(reason: string): AgedPrice {
  return { kind: 'unavailable', reason };
}
