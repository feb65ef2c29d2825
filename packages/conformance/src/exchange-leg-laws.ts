import assert from 'node:assert/strict';
import { decimal, MINUTE, type Instant } from '@gateramp/core/domain';
import type { ExchangeLeg, ExchangeOrder, ExchangePair, PriceResult } from '@gateramp/provider-legs';
import { lawsOnTrial, type Law } from './law.js';

/** An exchange leg, with control over its market. */
export interface ExchangeLegOnTrial {
  readonly leg: ExchangeLeg;
  /** A pair of the leg, whose price the trial controls. Its price is 0.92 at first. */
  readonly pair: ExchangePair;
  /** The time by the clock of the mode. It differs from the time by which the market dates its prices. */
  readonly now: Instant;
  /** Sets the market price of the pair; null removes it. */
  readonly setPrice: (price: string | null) => void;
  /** Ways in which a price can be missing or wrong, such as a stale date; none for a leg that makes its own prices. */
  readonly troubles: readonly string[];
  /** Starts one of the faults; null ends it. */
  readonly cause: (trouble: string | null) => void;
  /** The number of trades on the market for a call; null for a leg that sells its own stock. */
  readonly trades: ((callId: string) => Promise<number>) | null;
  /** Lets time pass for an order that is pending; absent for a leg whose orders never are. */
  readonly wait?: (ms: number) => Promise<void>;
  readonly close: () => Promise<void>;
}

/** How old a price may be that a buyer is quoted. */
const AGE_MAX = 5 * MINUTE;

/** Laws of exchanges: no price that is not trusted, and each order executed once, at its own amounts. */
export const exchangeLegLaws: readonly Law<{ create(): Promise<ExchangeLegOnTrial> }>[] =
  lawsOnTrial<ExchangeLegOnTrial>('the exchange leg', {
    async 'prices its pair around the market: a positive bid, and an ask that is not below it'(trial) {
      const { bid, ask } = await priced(trial);
      assert.ok(decimal.isPositive(bid), `the bid is ${bid}`);
      assert.ok(decimal.compare(bid, ask) <= 0, `bid ${bid} and ask ${ask}`);
      assert.ok(decimal.compare(bid, '0.92') <= 0 && decimal.compare(ask, '0.92') >= 0, `${bid} to ${ask}`);
      trial.setPrice('1.84');
      const moved = await priced(trial);
      assert.ok(decimal.compare(moved.bid, ask) > 0, 'the price does not follow the market');
    },

    async 'dates a price by the clock of the mode, never in its future'(trial) {
      const { at } = await priced(trial);
      assert.ok(at <= trial.now && at > trial.now - AGE_MAX, `at ${at}, and it is ${trial.now}`);
    },

    async 'has no price for a pair that it does not list'(trial) {
      const { leg, now } = trial;
      const other = { asset: 'NOT_LISTED', currency: trial.pair.currency };
      assert.ok(!leg.pairs.some(({ asset }) => asset === other.asset));
      assert.equal((await leg.price(other, now)).kind, 'unavailable');
      assert.notEqual(await leg.unavailable(other), null);
    },

    async 'is unavailable with a reason while there is no price, and offers the pair again afterwards'(trial) {
      await priced(trial);
      trial.setPrice(null);
      await unpriced(trial, 'without a price');
      trial.setPrice('0.92');
      await priced(trial);
    },

    async 'uses no price that is stale, missing or wrong, and offers the pair again afterwards'(trial) {
      for (const trouble of trial.troubles) {
        trial.cause(trouble);
        await unpriced(trial, trouble);
        trial.cause(null);
        await priced(trial);
      }
    },

    async 'executes an order once, and answers a repeat the same'(trial) {
      const order = orderOf(trial, 'op1-convert');
      await executed(trial, order);
      assert.deepEqual(await trial.leg.execute(order), { kind: 'executed' });
      await expectTrades(trial, order, 1);
    },

    async 'executes once when many calls with the same id race, and each of different ids'(trial) {
      const one = orderOf(trial, 'op1-convert');
      await Promise.all(Array.from({ length: 5 }, () => executed(trial, one)));
      const others = ['op2-convert', 'op3-convert'].map((callId) => orderOf(trial, callId));
      await Promise.all(others.map((order) => executed(trial, order)));
      for (const order of [one, ...others]) await expectTrades(trial, order, 1);
    },

    async 'executes at the amounts of the order after the market has moved'(trial) {
      const order = orderOf(trial, 'op1-convert');
      trial.setPrice('1.84');
      await executed(trial, order);
    },
  });

async function priced({ leg, pair, now }: ExchangeLegOnTrial): Promise<Extract<PriceResult, { kind: 'price' }>> {
  assert.equal(await leg.unavailable(pair), null);
  const result = await leg.price(pair, now);
  assert.ok(result.kind === 'price', JSON.stringify(result));
  return result;
}

async function unpriced({ leg, pair, now }: ExchangeLegOnTrial, why: string): Promise<void> {
  const result = await leg.price(pair, now);
  assert.equal(result.kind, 'unavailable', `it has a price ${why}`);
  assert.ok(result.kind === 'unavailable' && result.reason !== '');
  assert.ok((await leg.unavailable(pair)) !== null, `it is available ${why}`);
}

const CALLS_MAX = 100;

/** Repeats the call while it is pending, as the saga does. */
async function executed({ leg, wait }: ExchangeLegOnTrial, order: ExchangeOrder): Promise<void> {
  for (let call = 0; call < CALLS_MAX; call += 1) {
    const result = await leg.execute(order);
    if (result.kind !== 'pending') return assert.deepEqual(result, { kind: 'executed' });
    await wait?.(result.checkAfterMs);
  }
  assert.fail(`still pending after ${CALLS_MAX} calls`);
}

function orderOf({ pair, now }: ExchangeLegOnTrial, callId: string): ExchangeOrder {
  return {
    callId,
    mode: 'test',
    now,
    give: { amount: '92.00', currency: pair.currency },
    take: { amount: '100', asset: pair.asset, network: 'base' },
  };
}

async function expectTrades({ trades }: ExchangeLegOnTrial, { callId }: ExchangeOrder, count: number): Promise<void> {
  if (trades !== null) assert.equal(await trades(callId), count, `trades of ${callId}`);
}
