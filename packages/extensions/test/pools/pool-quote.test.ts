import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { amountOut, checkTerms, quotePool } from '../../src/pools/pool-quote.js';
import { forAll } from '../../../core/test/domain/for-all.js';
import { aPool, aPoolRequest } from './builders.js';

const digits = (max: number) => fc.integer({ min: 0, max });
const amount = fc
  .tuple(digits(10 ** 12), digits(10 ** 8 - 1))
  .map(([whole, part]) => `${whole}.${String(part).padStart(8, '0')}`);
const rate = fc
  .tuple(digits(10 ** 6), digits(10 ** 9 - 1))
  .map(([whole, part]) => `${whole}.${String(part).padStart(9, '0')}`);

describe('the amount out of a pool', () => {
  it('is amountIn × rate × (1 − totalBps / 10000), rounded down', () => {
    expect(amountOut('100.00', { rate: '1.08695652173913043', decimals: 6 }, 50)).toBe('108.152173');
    expect(amountOut('100.00', { rate: '1', decimals: 2 }, 0)).toBe('100.00');
    expect(amountOut('0.01', { rate: '0.5', decimals: 2 }, 0)).toBe('0.00');
  });

  forAll([amount, rate, digits(10_000), digits(18)])(
    'never exceeds the exact product, and falls short of it by less than one unit of the last decimal',
    (given, perUnit, bps, decimals) => {
      const out = amountOut(given, { rate: perUnit, decimals }, bps);
      expect(out).toMatch(decimals === 0 ? /^\d+$/ : new RegExp(`^\\d+\\.\\d{${decimals}}$`));
      // In units of 10^-21: 8 digits of the amount, 9 of the rate, 4 of the basis points.
      const exact = scaled(given, 8) * scaled(perUnit, 9) * BigInt(10_000 - bps);
      const short = exact - scaled(out, 21);
      expect(short >= 0n, `${out} is more than was promised`).toBe(true);
      expect(short < 10n ** BigInt(21 - decimals), `${out} is a unit too little`).toBe(true);
    },
  );
});

/** The decimal in units of 10^-places. */
function scaled(decimal: string, places: number): bigint {
  const [whole = '', part = ''] = decimal.split('.');
  return BigInt(whole + part.padEnd(places, '0'));
}

describe('a pool quote', () => {
  it('holds its price for 30 s and shows how the amount is computed', () => {
    const quote = quotePool(aPool(), aPoolRequest(), { rate: '1.08', decimals: 6 }, { id: 'q', now: 1_000 });
    expect(quote._unsafeUnwrap()).toMatchObject({
      amountIn: '100.00',
      currencyIn: 'EUR',
      amountOut: '107.460000',
      currencyOut: 'USDC',
      rate: '1.08',
      expiresAt: 31_000,
      tradeId: null,
    });
  });

  it('below the smallest unit is refused, instead of taking money for nothing', () => {
    const asked = aPoolRequest({ amount: '0.00000001' });
    const quote = quotePool(aPool(), asked, { rate: '1.08', decimals: 6 }, { id: 'q', now: 0 });
    expect(quote._unsafeUnwrapErr().code).toBe('amount_below_minimum');
  });

  it.each([
    ['off_ramp_not_available', { side: 'off_ramp', asset: 'ETH' }],
    ['asset_network_mismatch', { asset: 'ETH' }],
    ['asset_network_mismatch', { network: 'ethereum' }],
    ['corridor_not_supported', { currency: 'USD' }],
  ] as const)('is refused as %s when asked for %j', (code, asked) => {
    expect(checkTerms(aPool(), aPoolRequest(asked))._unsafeUnwrapErr().code).toBe(code);
  });

  it('accepts symbols in any case', () => {
    expect(checkTerms(aPool(), aPoolRequest({ asset: 'usdc', network: 'BASE', currency: 'eur' })).isOk()).toBe(true);
  });
});
