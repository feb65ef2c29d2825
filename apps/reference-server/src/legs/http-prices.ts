import { boundedText, type ExchangePair, type PriceSource, type SourcePrice } from '@gateramp/provider-legs';
import * as z from 'zod';

/** One request at a time, and no more often than this: quotes of one second share a price. */
const FRESH_MS = 1_000;
/** How long a failed source is not asked again, so that no request waits for its timeout twice. */
const REST_MS = 5_000;
/** Below the time limit of a provider's capabilities. */
const TIMEOUT_MS = 2_000;

const answer = z.record(z.string(), z.object({ price: z.string(), at: z.iso.datetime() }));

type Prices = Readonly<Record<string, SourcePrice>>;

/** Prices from a URL that answers `{"USDC/EUR": {"price": "0.92", "at": "2027-01-01T00:00:00Z"}}`; null for a pair it does not list. */
export function httpPrices(url: string, now: () => number = Date.now): PriceSource {
  let prices: Promise<Prices> | null = null;
  /** When to fetch again; `Infinity` while a fetch is under way. */
  let askAt = Infinity;

  const load = async (): Promise<Prices> => {
    try {
      const response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS), redirect: 'error' });
      if (!response.ok) throw new Error(`The price source answered ${response.status}.`);
      const read = answer.parse(JSON.parse(await boundedText(response)));
      askAt = now() + FRESH_MS;
      return Object.fromEntries(
        Object.entries(read).map(([pair, { price, at }]) => [pair, { price, at: Date.parse(at) }]),
      );
    } catch (error) {
      askAt = now() + REST_MS;
      throw error;
    }
  };

  return async ({ asset, currency }: ExchangePair) => {
    if (prices === null || now() >= askAt) {
      askAt = Infinity;
      prices = load();
    }
    return (await prices)[`${asset}/${currency}`] ?? null;
  };
}
