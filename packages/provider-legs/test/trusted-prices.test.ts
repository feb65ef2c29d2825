import { expect, test } from 'vitest';
import {
  confirmPrice,
  fixedPrices,
  fixedSpread,
  listPrices,
  memoryLegsStore,
  type LegsStore,
  type PriceSource,
} from '@gateramp/provider-legs';
import { alarmedExchange } from '../src/alarmed-exchange.js';
import { START } from './world.js';

const PAIR = { asset: 'USDC', currency: 'EUR' } as const;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** A process with sources whose prices a test sets; null for a source that does not answer. */
function market(prices: (string | null)[], { store = memoryLegsStore(), ...options }: MarketOptions = {}) {
  const made = { now: START, prices, store, alarms: [] as unknown[], ageMs: 0 };
  const sources = prices.map((_, index): PriceSource => {
    const source = async () => {
      const price = made.prices[index] ?? null;
      return price === null ? null : { price, at: made.now - made.ageMs };
    };
    const origin = options.origins?.[index];
    return origin === undefined ? source : Object.assign(source, { origin });
  });
  const alarm = (name: string, fields: object) => void made.alarms.push([name, fields]);
  const leg = alarmedExchange(
    fixedSpread({
      pairs: [PAIR],
      sources,
      spreadBps: 0,
      clock: () => made.now,
      trust: { store, alarm },
      ...(options.quorum === undefined ? {} : { quorum: options.quorum }),
    }),
    alarm,
  );
  const price = async () => {
    const result = await leg.price(PAIR, made.now);
    return result.kind === 'price' ? Number(result.ask) : null;
  };
  return Object.assign(made, { leg, price });
}

interface MarketOptions {
  readonly store?: LegsStore;
  readonly quorum?: number;
  readonly origins?: readonly string[];
}

test.each(['0.092', '9.2', '0.00000001', '1.02'])(
  'a price of %s after 0.92 is refused with one alarm, and 0.92 is used again',
  async (wrong) => {
    const m = market(['0.92']);
    expect(await m.price()).toBe(0.92);
    m.prices = [wrong];
    for (let time = 0; time < 3; time += 1) expect(await m.price()).toBeNull();
    expect(await m.leg.unavailable(PAIR)).toContain('has jumped');
    expect(m.alarms).toEqual([['price_jump', { pair: 'USDC/EUR', price: wrong, trusted_price: '0.92' }]]);
    m.prices = ['0.93'];
    expect(await m.price()).toBe(0.93);
    expect((await listPrices(m.store))[0]).toMatchObject({ refused: null });
    m.prices = [wrong];
    await m.price();
    expect(m.alarms).toHaveLength(2);
  },
);

test.each([
  '0',
  '-0.92',
  'NaN',
  'Infinity',
  '9.2e-1',
  '0x1',
  ' 0.92',
  '0,92',
  '',
  '9'.repeat(40),
  `0.${'9'.repeat(40)}`,
])('the price "%s" is not used', async (wrong) => {
  const m = market(['0.92']);
  await m.price();
  m.prices = [wrong];
  expect(await m.price()).toBeNull();
  expect(await market([wrong]).price()).toBeNull();
});

test('another process, and one after a restart, do not take the wrong price for their first one', async () => {
  const m = market(['0.92']);
  await m.price();
  const restarted = market(['0.092'], { store: m.store });
  expect(await restarted.price()).toBeNull();
  const other = market(['0.092'], { store: m.store });
  expect(await other.price()).toBeNull();
  // Each process raises the alarm once: the one that refused the price first may have died before it could.
  for (const { alarms } of [restarted, other]) expect(alarms).toHaveLength(1);
  expect(await other.price()).toBeNull();
  expect(other.alarms).toHaveLength(1);
});

test('of two processes that start at once with different prices, one is refused', async () => {
  const store = memoryLegsStore();
  const answers = await Promise.all([market(['0.92'], { store }).price(), market(['9.2'], { store }).price()]);
  expect(answers.filter((price) => price !== null)).toHaveLength(1);
});

test('a second source that agrees confirms a jump', async () => {
  const m = market(['0.92', null], { quorum: 1 });
  expect(await m.price()).toBe(0.92);
  m.prices = ['0.70', null];
  expect(await m.price()).toBeNull();
  m.prices = ['0.70', '0.70'];
  expect(await m.price()).toBe(0.7);
  m.prices = ['0.70', null];
  expect(await m.price()).toBe(0.7);
});

test('two sources of one origin confirm nothing and are no quorum', async () => {
  const origins = ['prices.example', 'prices.example'];
  const m = market(['0.92', '0.92'], { origins });
  await m.price();
  m.prices = ['0.70', '0.70'];
  expect(await m.price()).toBeNull();
  expect(() => market(['0.92', '0.92'], { origins, quorum: 2 })).toThrow('quorum');
});

test('an operator confirms a jump, and another price than the confirmed one is not trusted by it', async () => {
  const m = market(['0.92']);
  await m.price();
  m.prices = ['0.70'];
  await m.price();
  const order = { price: '0.70', now: m.now };
  expect(await confirmPrice(m.store, 'USDC/EUR', { ...order, price: '0.07' })).toEqual({ kind: 'changed' });
  expect(await confirmPrice(m.store, 'USDC/USD', order)).toEqual({ kind: 'not_found' });
  expect(await confirmPrice(m.store, 'USDC/EUR', order)).toMatchObject({ kind: 'confirmed' });
  expect(await confirmPrice(m.store, 'USDC/EUR', order)).toEqual({ kind: 'not_refused' });
  expect(await m.price()).toBe(0.7);
  m.prices = ['0.07'];
  expect(await m.price()).toBeNull();
});

test('small moves within the age of a price add up to no more than one jump', async () => {
  const m = market(['1.00']);
  await m.price();
  for (const price of ['1.05', '1.09']) {
    m.now += 1_000;
    m.prices = [price];
    expect(await m.price()).toBe(Number(price));
  }
  m.now += 1_000;
  m.prices = ['1.13'];
  expect(await m.price()).toBeNull();
});

test('a market that moves slowly is followed as far as it goes', async () => {
  const m = market(['1.00']);
  for (let value = 100; value < 400; value = Math.floor(value * 1.04)) {
    m.prices = [(value / 100).toFixed(2)];
    expect(await m.price()).toBe(value / 100);
    m.now += 31_000;
  }
});

test('after hours without a price a true move opens the pair by itself, and a price that is wrong by a factor does not', async () => {
  const m = market(['0.92']);
  await m.price();
  m.prices = ['0.72'];
  m.now += 30 * MINUTE_MS;
  expect(await m.price()).toBeNull();
  m.now += 2 * HOUR_MS;
  expect(await m.price()).toBe(0.72);
  m.prices = ['0.072'];
  m.now += 1_000 * HOUR_MS;
  expect(await m.price()).toBeNull();
  m.prices = ['7.2'];
  expect(await m.price()).toBeNull();
});

test('prices of the file need no confirmation, also after an edit', async () => {
  const store = memoryLegsStore();
  const leg = (price: string) =>
    fixedSpread({ pairs: [PAIR], sources: [fixedPrices({ 'USDC/EUR': price })], spreadBps: 0, trust: { store } });
  expect((await leg('0.92').price(PAIR, START)).kind).toBe('price');
  expect((await leg('0.50').price(PAIR, START)).kind).toBe('price');
});

test('a source that repeats an old date is not used, and does not move the trusted price', async () => {
  const m = market(['0.92']);
  await m.price();
  m.ageMs = 2 * MINUTE_MS;
  expect(await m.price()).toBeNull();
  expect(m.alarms).toMatchObject([['price_unavailable', { pair: 'USDC/EUR' }]]);
});

test.each([
  [['0.92', '0.921', '9.2'], 2, 0.92],
  [['0.92', null, '0.92'], 2, 0.92],
  [['0.92', null, null], 2, null],
  [['0.92', '0.95', '9.2'], 2, null],
  [['0.92', '0.92', '9.2', '9.2'], 2, null],
  [['0.92', '0.92', '0.92', '9.2'], 3, 0.92],
  [['0.92', '9.2'], 1, null],
])('of the sources %j a quorum of %i gives %s', async (prices, quorum, expected) => {
  expect(await market([...prices], { quorum }).price()).toBe(expected);
});
