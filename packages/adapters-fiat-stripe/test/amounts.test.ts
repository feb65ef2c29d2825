import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fromStripeAmount, toStripeAmount } from '../src/index.js';

test('amounts are sent in the unit that Stripe publishes for the currency', () => {
  for (const [amount, currency, expected] of [
    ['10', 'EUR', 1_000],
    ['10.05', 'USD', 1_005],
    ['0.50', 'EUR', 50],
    ['500', 'JPY', 500],
    ['500.00', 'KRW', 500],
    ['5.12', 'KWD', 5_120],
    ['5.120', 'TND', 5_120],
    ['5', 'ISK', 500],
    ['5.00', 'UGX', 500],
    ['10.45', 'HUF', 1_045],
  ] as const)
    expect(toStripeAmount(amount, currency)).toBe(expected);
});

test('an amount that the currency cannot express is not rounded', () => {
  for (const [amount, currency] of [
    ['10.005', 'EUR'],
    ['500.5', 'JPY'],
    ['5.124', 'KWD'],
    ['5.50', 'ISK'],
    ['5.01', 'UGX'],
    ['-1', 'EUR'],
    ['1e3', 'EUR'],
    ['', 'EUR'],
    ['99999999999999999999', 'EUR'],
  ] as const)
    expect(toStripeAmount(amount, currency)).toBeNull();
});

test('an amount that was sent comes back as the same amount', () => {
  const currencies = fc.constantFrom('EUR', 'JPY', 'KWD', 'ISK');
  fc.assert(
    fc.property(fc.nat(99_999_999), currencies, (units, currency) => {
      const text = fromStripeAmount(units, currency);
      const sent = toStripeAmount(text, currency);
      expect(sent === null || sent === units).toBe(true);
      if (currency === 'EUR' || currency === 'JPY') expect(sent).toBe(units);
    }),
  );
});
