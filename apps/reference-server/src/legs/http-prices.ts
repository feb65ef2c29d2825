import type { ExchangePair, PriceSource, SourcePrice } from '@gateramp/provider-legs';
import * as z from 'zod';

/** One request at a time, and no more often than this: quotes of one second share a price. */
const FRESH_MS = 1_000;
const TIMEOUT_MS = 5_000;

const answer = z.record(z.string(), z.object({ price: z.string(), at: z.iso.datetime() }));

/**
 * Prices from a URL that answers `{"USDC/EUR": {"price": "0.92", "at": "2027-01-01T00:00:00Z"}}`; null for a pair it does not list.
 * The age of a price counts in wall time, also where the clock of test mode has been advanced.
 */
export function httpPrices(url: string, fetched: typeof fetch = fetch, wall: () => number = Date.now): PriceSource {
  let last: { readonly at: number; readonly prices: Promise<Readonly<Record<string, SourcePrice>>> } | null = null;

  const load = async () => {
    const response = await fetched(url, { signal: AbortSignal.timeout(TIMEOUT_MS), redirect: 'error' });
    if (!response.ok) throw new Error(`The price source answered ${response.status}.`);
    const read = answer.parse(await response.json());
    return Object.fromEntries(
      Object.entries(read).map(([pair, { price, at }]) => [pair, { price, at: Date.parse(at) }]),
    );
  };

  return async ({ asset, currency }: ExchangePair, now) => {
    const at = wall();
    if (last === null || Math.abs(at - last.at) >= FRESH_MS) last = { at, prices: load() };
    const found = (await last.prices)[`${asset}/${currency}`];
    return found === undefined ? null : { price: found.price, at: now - (wall() - found.at) };
  };
}
