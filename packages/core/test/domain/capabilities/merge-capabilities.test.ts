import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import {
  type Capabilities,
  mergeCapabilities,
  NOTHING_SERVED,
  type ServedFee,
} from '../../../src/domain/capabilities/capabilities.js';
import { compare } from '../../../src/domain/money.js';
import { FLOWS } from '../../../src/domain/session/terms.js';
import { PAYMENT_METHODS } from '../../../src/domain/intent/intent.js';
import { forAll } from '../for-all.js';
import { capabilitiesOf, OTHER } from './capabilities-of.js';

describe('several providers merged', () => {
  it('serve everything that any of them serves, in order, with names and decimals of the first', () => {
    expect(mergeCapabilities([capabilitiesOf(), OTHER])).toEqual({
      flows: ['on_ramp', 'off_ramp'],
      paymentMethods: { on_ramp: ['card', 'bank_transfer'], off_ramp: ['bank_transfer'] },
      countries: [
        {
          code: 'DE',
          name: 'Germany',
          flows: ['on_ramp', 'off_ramp'],
          paymentMethods: ['card', 'bank_transfer'],
        },
        { code: 'US', name: 'United States', flows: ['on_ramp'], paymentMethods: ['card'] },
      ],
      currencies: [{ code: 'EUR', name: 'Euro', decimals: 2, flows: ['on_ramp', 'off_ramp'] }],
      assets: [
        {
          code: 'USDC',
          name: 'USD Coin',
          decimals: 6,
          networks: ['base', 'ethereum'],
          flows: ['on_ramp', 'off_ramp'],
        },
        { code: 'ETH', name: 'Ether', decimals: 8, networks: ['ethereum'], flows: ['off_ramp'] },
      ],
      networks: [
        { code: 'base', name: 'Base', addressFormat: 'evm' },
        { code: 'ethereum', name: 'Ethereum', addressFormat: 'evm' },
      ],
      limits: [
        { flow: 'on_ramp', paymentMethod: 'card', currency: 'EUR', minAmount: '9.5', maxAmount: '1000' },
        { flow: 'off_ramp', paymentMethod: 'bank_transfer', currency: 'EUR', minAmount: '1', maxAmount: '2' },
      ],
    });
  });

  it('are unchanged for one provider, and serve nothing without any', () => {
    expect(mergeCapabilities([OTHER])).toEqual(OTHER);
    expect(mergeCapabilities([])).toEqual(NOTHING_SERVED);
  });

  forAll([fc.array(provider(), { maxLength: 4 }), fc.nat({ max: 4 })])(
    'are the same whichever of them are merged first, and a code stands in a list once',
    (all, at) => {
      const merged = mergeCapabilities(all);
      expect(mergeCapabilities([mergeCapabilities(all.slice(0, at)), mergeCapabilities(all.slice(at))])).toEqual(
        merged,
      );
      for (const rows of [merged.countries, merged.currencies, merged.assets, merged.networks])
        expect(new Set(rows.map(({ code }) => code)).size).toBe(rows.length);
      const keys = (merged.fees ?? []).map(feeKey);
      expect(new Set(keys).size).toBe(keys.length);
    },
  );

  forAll([fc.array(provider(), { minLength: 1, maxLength: 4 })])(
    'an amount that one of them takes is within the limits of all',
    (all) => {
      const merged = mergeCapabilities(all);
      for (const limit of all.flatMap(({ limits }) => limits)) {
        const joint = merged.limits.filter(
          (one) =>
            one.flow === limit.flow && one.paymentMethod === limit.paymentMethod && one.currency === limit.currency,
        );
        expect(joint).toHaveLength(1);
        for (const { minAmount, maxAmount } of joint) {
          expect(compare(minAmount, limit.minAmount)).toBeLessThanOrEqual(0);
          expect(compare(maxAmount, limit.maxAmount)).toBeGreaterThanOrEqual(0);
        }
      }
    },
  );
});

function provider(): fc.Arbitrary<Capabilities> {
  const flows = fc.uniqueArray(fc.constantFrom(...FLOWS));
  const methods = fc.uniqueArray(fc.constantFrom(...PAYMENT_METHODS), { minLength: 1 });
  const codes = fc.constantFrom('A', 'B', 'C');
  const name = fc.constantFrom('one', 'two');
  const byCode = { selector: ({ code }: { readonly code: string }) => code };
  const amount = fc
    .integer({ min: 0, max: 99_999 })
    .map((cents) => `${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, '0')}`);
  const fees = fc.uniqueArray(
    fc.record({
      paymentMethod: fc.constantFrom(...PAYMENT_METHODS),
      type: name,
      bps: fc.nat({ max: 300 }),
      fixedAmount: amount,
      currency: codes,
      network: fc.option(codes),
    }),
    { selector: feeKey },
  );
  const required = fc.record({
    flows,
    paymentMethods: fc.dictionary(fc.constantFrom(...FLOWS), methods, { noNullPrototype: true }),
    countries: fc.uniqueArray(fc.record({ code: codes, name, flows, paymentMethods: methods }), byCode),
    currencies: fc.uniqueArray(fc.record({ code: codes, name, decimals: fc.nat({ max: 8 }), flows }), byCode),
    assets: fc.uniqueArray(
      fc.record({ code: codes, name, decimals: fc.nat({ max: 8 }), networks: fc.uniqueArray(codes), flows }),
      byCode,
    ),
    networks: fc.uniqueArray(fc.record({ code: codes, name, addressFormat: name }), byCode),
    limits: fc.array(
      fc.record({
        flow: fc.constantFrom(...FLOWS),
        paymentMethod: fc.constantFrom(...PAYMENT_METHODS),
        currency: codes,
        minAmount: amount,
        maxAmount: amount,
      }),
    ),
  });
  const optional = fc.record({ refundable: methods, fees, quoteLifetime: fc.nat() }, { requiredKeys: [] });
  return fc.tuple(required, optional).map(([all, stated]) => ({ ...all, ...stated }));
}

function feeKey({ paymentMethod, type, currency, network }: ServedFee): string {
  return JSON.stringify([paymentMethod, type, currency, network]);
}
