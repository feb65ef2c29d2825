import { describeLaws, exchangeLegLaws, type ExchangeLegOnTrial } from '@gateramp/conformance';
import { fixedSpread } from '@gateramp/provider-legs';
import { describe, expect, it } from 'vitest';
import { alarmedExchange } from '../src/alarmed-exchange.js';
import { START } from './world.js';

const PAIR = { asset: 'USDC', currency: 'EUR' } as const;
const HOUR_MS = 3_600_000;

/** The time by which the sources date their prices: no test clock moves it. */
const WALL = START - 24 * HOUR_MS;

const TROUBLES = [
  'no answer',
  'a stale date',
  'a date ahead',
  'no date',
  'no number',
  'zero',
  'a negative price',
  'disagreement',
] as const;

function trial(): ExchangeLegOnTrial {
  let price: string | null = '0.92';
  let trouble: string | null = null;
  const at = () => {
    if (trouble === 'a stale date') return WALL - HOUR_MS;
    if (trouble === 'a date ahead') return WALL + HOUR_MS;
    return trouble === 'no date' ? Number.NaN : WALL - 1_000;
  };
  const source = (isTroubled: boolean) => async (pair: { readonly asset: string }) => {
    if (pair.asset !== PAIR.asset || price === null) return null;
    if (!isTroubled || trouble === null) return { price, at: WALL - 1_000 };
    if (trouble === 'no answer') throw new Error('The source does not answer.');
    if (trouble === 'no number') return { price: '1e3', at: at() };
    if (trouble === 'zero') return { price: '0.00', at: at() };
    if (trouble === 'a negative price') return { price: '-0.92', at: at() };
    return { price: trouble === 'disagreement' ? '1.20' : price, at: at() };
  };
  return {
    leg: fixedSpread({ pairs: [PAIR], sources: [source(false), source(true)], spreadBps: 50, clock: () => WALL }),
    pair: PAIR,
    now: START,
    setPrice: (next) => void (price = next),
    troubles: TROUBLES,
    cause: (next) => void (trouble = next),
    trades: null,
    close: async () => undefined,
  };
}

describe('fixedSpread', () => {
  describeLaws(exchangeLegLaws, { create: async () => trial() }, { describe, it });
});

describe('fixedSpread with the alarm of `legs`', () => {
  const create = async () => {
    const made = trial();
    return { ...made, leg: alarmedExchange(made.leg, () => undefined) };
  };
  describeLaws(exchangeLegLaws, { create }, { describe, it });

  it('raises the alarm once for each time that the pair has no price', async () => {
    const { leg, ...market } = trial();
    const alarms: unknown[] = [];
    const alarmed = alarmedExchange(leg, (name, { pair }) => alarms.push([name, pair]));
    for (let time = 0; time < 2; time += 1) {
      market.cause('no answer');
      await alarmed.price(PAIR, market.now);
      await alarmed.unavailable(PAIR);
      market.cause(null);
      await alarmed.unavailable(PAIR);
    }
    expect(alarms).toEqual(Array(2).fill(['price_unavailable', 'USDC/EUR']));
  });
});
