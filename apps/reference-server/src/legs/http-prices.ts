import { boundedText, type ExchangePair, type PriceSource, type SourcePrice } from '@gateramp/provider-legs';
import * as z from 'zod';

/** The minimum time between two requests; quotes within it share a price. */
const FRESH_MS = 1_000;
/** How long a failed source is not requested again, so that no caller waits for its timeout twice. */
const REST_MS = 5_000;
/** Of a price or date. No true one is longer. */
const PRICE_LENGTH_MAX = 40;
/** Shorter than the time limit of a provider's capabilities. */
const TIMEOUT_MS = 2_000;

const answer = z.record(z.string(), z.unknown());
const entry = z.object({ price: z.string().max(PRICE_LENGTH_MAX), at: z.iso.datetime().max(PRICE_LENGTH_MAX) });

type Prices = Readonly<Record<string, SourcePrice>>;

/**
 * Prices from a URL that responds with `{"USDC/EUR": {"price": "0.92", "at":
 * "2027-01-01T00:00:00Z"}}`; null for a pair that it does not list. Sources on one host and port have one origin.
 */
export function httpPrices(url: string, now: () => number = Date.now): PriceSource {
  let prices: Promise<Prices> | null = null;
  /** The time of the next fetch; `Infinity` while one is running. */
  let askAt = Infinity;

  const load = async (): Promise<Prices> => {
    try {
      const response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS), redirect: 'error' });
      if (!response.ok) throw new Error(`The price source answered ${response.status}.`);
      const read = answer.parse(JSON.parse(await boundedText(response)));
      askAt = now() + FRESH_MS;
      return Object.fromEntries(
        Object.entries(read).flatMap(([pair, value]) => {
          // A malformed price leaves out its own pair only.
          const { data } = entry.safeParse(value);
          return data === undefined ? [] : [[pair, { price: data.price, at: Date.parse(data.at) }] as const];
        }),
      );
    } catch (error) {
      askAt = now() + REST_MS;
      throw error;
    }
  };

  const priceOf = async ({ asset, currency }: ExchangePair) => {
    if (prices === null || now() >= askAt) {
      askAt = Infinity;
      prices = load();
    }
    return (await prices)[`${asset}/${currency}`] ?? null;
  };
  return Object.assign(priceOf, { origin: new URL(url).host });
}
