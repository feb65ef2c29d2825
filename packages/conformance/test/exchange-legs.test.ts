import { fixedSpread, type ExchangeLeg } from '@gateramp/provider-legs';
import { describe, expect, it } from 'vitest';
import { describeLaws, exchangeLegLaws, type ExchangeLegOnTrial } from '../src/index.js';
import { T0 } from '../src/builders.js';

const PAIR = { asset: 'USDC', currency: 'EUR' } as const;

/** The time by which the market dates its prices. */
const WALL = T0 - 1_000_000;

interface Market {
  readonly trades: string[];
  readonly prices: () => { readonly price: string; readonly at: number } | null;
}

type Change = (leg: ExchangeLeg, market: Market) => Partial<ExchangeLeg>;

/** An exchange that trades on a market for each order, at the prices of `fixedSpread`. */
function onMarket(change: Change = () => ({})) {
  return {
    async create(): Promise<ExchangeLegOnTrial> {
      let price: string | null = '0.92';
      let trouble: string | null = null;
      const prices = () => (price === null ? null : { price, at: trouble === 'stale' ? WALL - 3_600_000 : WALL });
      const market: Market = { trades: [], prices };
      const spread = fixedSpread({
        pairs: [PAIR],
        sources: [async ({ asset }) => (asset === PAIR.asset && trouble !== 'silent' ? prices() : null)],
        spreadBps: 50,
        clock: () => WALL,
      });
      const done = new Set<string>();
      const leg: ExchangeLeg = {
        ...spread,
        async execute({ callId }) {
          if (!done.has(callId)) market.trades.push(callId);
          done.add(callId);
          return { kind: 'executed' };
        },
      };
      return {
        leg: { ...leg, ...change(leg, market) },
        pair: PAIR,
        now: T0,
        setPrice: (next) => void (price = next),
        troubles: ['stale', 'silent'],
        cause: (next) => void (trouble = next),
        trades: async (callId) => market.trades.filter((one) => one === callId).length,
        close: async () => undefined,
      };
    },
  };
}

describeLaws(exchangeLegLaws, onMarket(), { describe, it });

const FAULTS: readonly (readonly [fault: string, change: Change, title: string])[] = [
  [
    'a bid above its ask',
    ({ price }) => ({
      price: async (...given) => {
        const result = await price(...given);
        return result.kind === 'price' ? { ...result, bid: result.ask, ask: result.bid } : result;
      },
    }),
    'prices its pair around the market: a positive bid, and an ask that is not below it',
  ],
  [
    'prices dated by the market',
    ({ price }) => ({
      price: async (...given) => {
        const result = await price(...given);
        return result.kind === 'price' ? { ...result, at: WALL } : result;
      },
    }),
    'dates a price by the clock of the mode, never in its future',
  ],
  [
    'the same price for every pair',
    ({ price, unavailable }) => ({
      price: (_, now) => price(PAIR, now),
      unavailable: () => unavailable(PAIR),
    }),
    'has no price for a pair that it does not list',
  ],
  [
    'capabilities that ignore the price',
    () => ({ unavailable: async () => null }),
    'is unavailable with a reason while there is no price, and offers the pair again afterwards',
  ],
  [
    'prices of any age',
    (_, { prices }) => {
      const free = fixedSpread({
        pairs: [PAIR],
        sources: [async ({ asset }) => (asset === PAIR.asset ? prices() : null)],
        spreadBps: 50,
        maxAgeMs: Number.MAX_SAFE_INTEGER,
        clock: () => WALL,
      });
      return { price: free.price, unavailable: free.unavailable };
    },
    'uses no price that is stale, missing or wrong, and offers the pair again afterwards',
  ],
  [
    'a trade for every call',
    (_, { trades }) => ({ execute: async ({ callId }) => (trades.push(callId), { kind: 'executed' }) }),
    'executes an order once, and answers a repeat the same',
  ],
  [
    'a trade for every call that starts before another has ended',
    (_, { trades }) => ({
      async execute({ callId }) {
        const isNew = !trades.includes(callId);
        await Promise.resolve();
        if (isNew) trades.push(callId);
        return { kind: 'executed' };
      },
    }),
    'executes once when many calls with the same id race, and each of different ids',
  ],
  [
    'orders that follow the market',
    ({ execute }, { prices }) => ({
      execute: async (order) =>
        prices()?.price === '0.92'
          ? execute(order)
          : { kind: 'failed', failure: { code: 'price_moved', message: 'Moved.', retryable: true } },
    }),
    'executes at the amounts of the order after the market has moved',
  ],
];

describe('the laws of exchange legs catch', () => {
  it.each(FAULTS)('an exchange with %s', async (_, change, title) => {
    const law = exchangeLegLaws.find((one) => one.title === title);
    await expect(law?.run(onMarket(change))).rejects.toThrow();
  });

  it('a fault for every law', () => {
    expect(exchangeLegLaws.map(({ title }) => title).toSorted()).toEqual(FAULTS.map(([, , title]) => title).toSorted());
  });
});
