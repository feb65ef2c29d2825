import { expect, test } from 'vitest';
import { fakeChain, fakeFiat, memoryLegsStore, type ExchangeLeg } from '@gateramp/provider-legs';
import {
  answered,
  deposit,
  fakeExchange,
  fakeScreening,
  owedToCustomers,
  providerOf,
  sell,
  START,
  swap,
} from './world.js';

const MINUTE = 60_000;
/** Sales and swaps at prices that the test moves; null takes the price away. */
function market() {
  const store = memoryLegsStore();
  const chain = fakeChain();
  const prices: Record<string, string | null> = { USDC: '0.92', ETH: '3000' };
  const exchange: ExchangeLeg = {
    ...fakeExchange(),
    unavailable: async ({ asset }) => (prices[asset] === null ? 'No price.' : null),
    price: async ({ asset }, now) => {
      const price = prices[asset] ?? null;
      return price === null
        ? { kind: 'unavailable', reason: 'No price.' }
        : { kind: 'price', bid: price, ask: price, at: now };
    },
  };
  const alarms: string[] = [];
  const parts = { store, chain, exchange, screening: fakeScreening(), fiat: fakeFiat({ store }) };
  const provider = providerOf(parts, (name) => alarms.push(name));
  const at = { now: START };
  return {
    store,
    chain,
    prices,
    provider,
    alarms,
    at,
    async work(seconds: number) {
      for (let second = 0; second < seconds; second += 5) {
        at.now += 5_000;
        await provider.work('test', at.now);
      }
    },
    outcome: async () => (await provider.lookup({ operationId: 'op1', mode: 'test', now: at.now }))?.outcome,
  };
}

type Market = ReturnType<typeof market>;

/** Starts the order, and sends the requested deposit `minutes` later, after `change`. */
async function depositAfter(m: Market, order: typeof sell, minutes: number, change = () => {}): Promise<void> {
  const { outcome } = answered(await m.provider.start(order(m.at.now)));
  if (outcome.kind !== 'requires_action' || outcome.nextAction.type !== 'crypto_deposit')
    throw new Error('No deposit.');
  m.at.now += minutes * MINUTE;
  change();
  await deposit(m.chain, 'op1-deposit', { amount: outcome.nextAction.amount, at: m.at.now });
  await m.work(60);
}

const MOVED = {
  kind: 'failed',
  failure: {
    code: 'deposit_price_moved',
    stage: 'deposit',
    message: 'The price changed before the deposit arrived. It goes back less the network fee.',
    retryable: true,
  },
};

test('the deposit instructions say until when and how far the price is held', async () => {
  const m = market();
  const { outcome } = answered(await m.provider.start(sell(m.at.now)));
  expect(outcome).toMatchObject({ nextAction: { priceHeldUntil: START + 10 * MINUTE, priceToleranceBps: 50 } });
});

test('a deposit while the price is held is exchanged at it, however far the market has moved', async () => {
  for (const order of [sell, swap]) {
    const m = market();
    await depositAfter(m, order, 9, () => (m.prices['USDC'] = '0.828'));
    expect(await m.outcome()).toEqual({ kind: 'succeeded' });
  }
});

test('a later deposit is sent back if the price has fallen by more than the tolerance', async () => {
  for (const order of [sell, swap]) {
    const m = market();
    await depositAfter(m, order, 25, () => (m.prices['USDC'] = '0.828'));
    expect(await m.outcome()).toEqual(MOVED);
    const returned = [...m.chain.sends.values()];
    expect(returned).toMatchObject([{ callId: 'op1-return_0', asset: 'USDC' }]);
    expect(await owedToCustomers(m)).toEqual([]);
  }
});

test('a later deposit for a swap is sent back if what the buyer receives has become dearer', async () => {
  const m = market();
  await depositAfter(m, swap, 25, () => (m.prices['ETH'] = '3300'));
  expect(await m.outcome()).toEqual(MOVED);
});

test('a later deposit is exchanged if the price moved within the tolerance, or in favour of the house', async () => {
  for (const price of ['0.916', '0.92', '1.20']) {
    const m = market();
    await depositAfter(m, sell, 25, () => (m.prices['USDC'] = price));
    expect([price, await m.outcome()]).toEqual([price, { kind: 'succeeded' }]);
  }
});

test('a part that is sent after the price was held makes the whole deposit late', async () => {
  const m = market();
  await m.provider.start(sell(m.at.now));
  await deposit(m.chain, 'op1-deposit', { amount: '10', at: m.at.now });
  m.at.now += 25 * MINUTE;
  m.prices['USDC'] = '0.828';
  await deposit(m.chain, 'op1-deposit', { amount: '100.112239', at: m.at.now });
  await m.work(60);
  expect(await m.outcome()).toEqual(MOVED);
  // Both parts go back in one send, less the network fee.
  expect([...m.chain.sends.values()].map(({ amount }) => amount)).toEqual(['110.057891']);
});

test('a later deposit waits while there is no trusted price, with an alarm, and is decided when there is one', async () => {
  const m = market();
  await depositAfter(m, sell, 25, () => (m.prices['USDC'] = null));
  expect(await m.outcome()).toMatchObject({ kind: 'processing', stage: 'deposit' });
  expect(m.alarms).toEqual(['price_unavailable']);
  m.prices['USDC'] = '0.92';
  await m.work(60);
  expect(await m.outcome()).toEqual({ kind: 'succeeded' });
});
