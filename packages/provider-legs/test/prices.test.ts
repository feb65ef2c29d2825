import { expect, test } from 'vitest';
import { fixedSpread, type LegsProvider, type SourcePrice } from '@gateramp/provider-legs';
import { QUOTE_REQUEST, buy, chargeBack, providerOf, START, world } from './world.js';

const SCOPE = { partnerId: 'partner1', mode: 'test' } as const;
const HOUR_MS = 3_600_000;
const REQUEST = { ...QUOTE_REQUEST, scope: SCOPE, now: START } as const;

/** A provider whose prices and process clock a test sets. */
function market() {
  const w = world();
  const made = {
    processNow: START,
    prices: {
      'USDC/EUR': { price: '0.92', at: START },
      'ETH/EUR': { price: '3000', at: START },
    } as Readonly<Record<string, SourcePrice>>,
    alarms: w.alarms,
    provider: null as unknown as LegsProvider,
  };
  const exchange = fixedSpread({
    pairs: [
      { asset: 'USDC', currency: 'EUR' },
      { asset: 'ETH', currency: 'EUR' },
    ],
    sources: [async ({ asset, currency }) => made.prices[`${asset}/${currency}`] ?? null],
    spreadBps: 50,
    clock: () => made.processNow,
  });
  return Object.assign(made, { provider: providerOf({ ...w, exchange }, (name) => w.alarms.push(name)) });
}

test('while prices are stale nothing is listed and quotes fail, and both recover with the next price', async () => {
  const m = market();
  expect((await m.provider.capabilities(SCOPE)).flows).toEqual(['on_ramp', 'off_ramp', 'swap']);
  m.processNow += 61_000;
  const away = await m.provider.capabilities(SCOPE);
  expect(away.assets.map(({ code, networks, flows }) => [code, networks, flows])).toEqual([
    ['USDC', [], []],
    ['ETH', [], []],
  ]);
  expect(away).toMatchObject({ flows: [], isPartial: true });
  expect(away.currencies).toMatchObject([{ code: 'EUR', flows: [] }]);
  expect(await m.provider.quote(REQUEST)).toMatchObject({ kind: 'refused', code: 'service_unavailable' });
  expect(m.alarms).toEqual(['price_unavailable', 'price_unavailable']);
  m.prices = { 'USDC/EUR': { price: '0.93', at: m.processNow }, 'ETH/EUR': { price: '3000', at: m.processNow } };
  const back = await m.provider.capabilities(SCOPE);
  expect(back).toMatchObject({ flows: ['on_ramp', 'off_ramp', 'swap'] });
  expect(back.isPartial).toBeUndefined();
});

test('a token without a price is left out alone, and a swap needs two that have one', async () => {
  const m = market();
  m.prices = { 'USDC/EUR': { price: '0.92', at: START } };
  const served = await m.provider.capabilities(SCOPE);
  expect(served).toMatchObject({ flows: ['on_ramp', 'off_ramp'], isPartial: true });
  expect(served.assets.map(({ code, flows }) => [code, flows])).toEqual([
    ['USDC', ['on_ramp', 'off_ramp']],
    ['ETH', []],
  ]);
});

test('the age of a price counts in the time of the process, whatever the clock of the mode says', async () => {
  const m = market();
  m.processNow += 10_000;
  const now = START + 5 * HOUR_MS;
  expect(await m.provider.quote({ ...REQUEST, now })).toMatchObject({ kind: 'quotes', rateFetchedAt: now - 10_000 });
});

test.each([
  ['dated ahead of the clock', { price: '0.92', at: START + HOUR_MS }],
  ['without a readable date', { price: '0.92', at: Number.NaN }],
  ['of zero', { price: '0', at: START }],
  ['that is no number', { price: '1e3', at: START }],
])('a price %s is not believed', async (_, price) => {
  const m = market();
  m.prices = { 'USDC/EUR': price };
  expect((await m.provider.capabilities(SCOPE)).flows).toEqual([]);
});

test('what a callback leads to is dated in the time of the mode, not in wall time', async () => {
  const w = world();
  await w.provider.start(buy(w.now));
  await w.pass(5);
  const now = w.now + 5 * HOUR_MS;
  await chargeBack(w.provider, now);
  expect((await w.store.entries('op1')).at(-1)?.at).toBe(now);
});

test('a price that is lost while no quote is requested raises its alarm once by the worker', async () => {
  const m = market();
  m.processNow += 61_000;
  for (let start = 0; start < 2; start += 1) await m.provider.startWorker({ now: () => START }).stop();
  expect(m.alarms).toEqual(['price_unavailable', 'price_unavailable']);
});
