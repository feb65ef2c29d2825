import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { type Capabilities, mergeCapabilities, unavailableFor } from '../../../src/domain/capabilities/capabilities.js';
import { restrictCapabilities } from '../../../src/domain/capabilities/restrict-capabilities.js';
import { PAYMENT_METHODS } from '../../../src/domain/intent/intent.js';
import { compare } from '../../../src/domain/money.js';
import { whyRestricted, type RestrictedTerms, type Restrictions } from '../../../src/domain/partner/restrictions.js';
import { FLOWS } from '../../../src/domain/session/terms.js';
import { forAll } from '../for-all.js';
import { capabilitiesOf, OTHER } from './capabilities-of.js';

const BOTH = mergeCapabilities([capabilitiesOf(), OTHER]);

/** A market that lists three flows, methods, assets and countries in every combination. */
const WIDE: Capabilities = {
  flows: FLOWS,
  paymentMethods: { on_ramp: ['card', 'bank_transfer'], off_ramp: ['bank_transfer'], swap: ['crypto'] },
  refundable: ['card', 'bank_transfer'],
  countries: ['DE', 'FR', 'US'].map((code) => ({ code, name: code, flows: FLOWS, paymentMethods: PAYMENT_METHODS })),
  currencies: ['EUR', 'USD'].map((code) => ({ code, name: code, decimals: 2, flows: FLOWS })),
  assets: [
    { code: 'USDC', name: 'USD Coin', decimals: 6, networks: ['base', 'ethereum'], flows: FLOWS },
    { code: 'ETH', name: 'Ether', decimals: 18, networks: ['ethereum'], flows: FLOWS },
  ],
  networks: ['base', 'ethereum'].map((code) => ({ code, name: code, addressFormat: 'evm' })),
  limits: [
    { flow: 'on_ramp', paymentMethod: 'card', currency: 'EUR', minAmount: '1', maxAmount: '1000' },
    { flow: 'on_ramp', paymentMethod: 'card', currency: 'USD', minAmount: '1', maxAmount: '1000' },
    { flow: 'on_ramp', paymentMethod: 'bank_transfer', currency: 'EUR', minAmount: '5', maxAmount: '5000' },
    { flow: 'off_ramp', paymentMethod: 'bank_transfer', currency: 'EUR', minAmount: '5', maxAmount: '5000' },
    { flow: 'swap', paymentMethod: 'crypto', currency: 'EUR', minAmount: '1', maxAmount: '100' },
  ],
  fees: [
    { paymentMethod: 'card', type: 'service', bps: 100, fixedAmount: '0', currency: 'EUR', network: null },
    { paymentMethod: 'card', type: 'network', bps: 0, fixedAmount: '1', currency: 'EUR', network: 'ethereum' },
  ],
};

describe('a partner with restrictions', () => {
  it('sees everything without restrictions', () => {
    expect(restrictCapabilities(BOTH, null)).toBe(BOTH);
    expect(restrictCapabilities(WIDE, {})).toEqual(WIDE);
  });

  it('sees the payment methods it may use, and no flow without one', () => {
    const served = restrictCapabilities(WIDE, { paymentMethods: ['card'] });
    expect(served.flows).toEqual(['on_ramp']);
    expect(served.paymentMethods).toEqual({ on_ramp: ['card'] });
    expect(served.refundable).toEqual(['card']);
    expect(served.limits.map(({ paymentMethod }) => paymentMethod)).toEqual(['card', 'card']);
    expect(served.countries[0]).toMatchObject({ flows: ['on_ramp'], paymentMethods: ['card'] });
  });

  it('sees an asset on every network, or on the named one', () => {
    const assetsOf = (...assets: readonly string[]) =>
      restrictCapabilities(WIDE, { assets }).assets.map(({ code, networks }) => [code, networks]);
    expect(assetsOf('usdc')).toEqual([['USDC', ['base', 'ethereum']]]);
    expect(assetsOf('USDC@base')).toEqual([['USDC', ['base']]]);
    expect(restrictCapabilities(WIDE, { assets: ['USDC@base'] }).networks.map(({ code }) => code)).toEqual(['base']);
    expect(restrictCapabilities(WIDE, { assets: ['USDC@base'] }).fees?.map(({ network }) => network)).toEqual([null]);
  });

  it('sees the countries it may sell to', () => {
    expect(restrictCapabilities(WIDE, { countries: ['DE'] }).countries.map(({ code }) => code)).toEqual(['DE']);
    expect(restrictCapabilities(WIDE, { countries: ['AT'] }).flows).toEqual([]);
  });

  it('sees the narrower of two limits, and loses a currency that accepts no amount any more', () => {
    const limits: Restrictions['limits'] = [
      { currency: 'EUR', minAmount: '10', maxAmount: '2000' },
      { flow: 'on_ramp', paymentMethod: 'card', currency: 'EUR', maxAmount: '50' },
      { currency: 'USD', minAmount: '5000' },
    ];
    const served = restrictCapabilities(WIDE, { flows: ['on_ramp'], limits });
    expect(served.limits).toEqual([
      { flow: 'on_ramp', paymentMethod: 'card', currency: 'EUR', minAmount: '10', maxAmount: '50' },
      { flow: 'on_ramp', paymentMethod: 'bank_transfer', currency: 'EUR', minAmount: '10', maxAmount: '2000' },
    ]);
    expect(served.currencies.map(({ code }) => code)).toEqual(['EUR']);
  });
});

const some = <Item>(items: readonly Item[]) => fc.subarray([...items], { minLength: 1 });
const amount = fc.integer({ min: 0, max: 6000 }).map(String);
const restrictionsOf: fc.Arbitrary<Restrictions> = fc.record(
  {
    flows: some(FLOWS),
    paymentMethods: some(PAYMENT_METHODS),
    assets: some(['USDC', 'USDC@base', 'USDC@ethereum', 'ETH', 'SOL']),
    countries: some(['DE', 'US', 'AT']),
    limits: fc.array(
      fc.record({
        flow: fc.constantFrom(null, ...FLOWS),
        paymentMethod: fc.constantFrom(null, ...PAYMENT_METHODS),
        currency: fc.constantFrom('EUR', 'USD'),
        minAmount: fc.option(amount, { nil: null }),
        maxAmount: fc.option(amount, { nil: null }),
      }),
      { minLength: 1, maxLength: 3 },
    ),
  },
  { requiredKeys: [] },
);
const termsOf: fc.Arbitrary<RestrictedTerms> = fc.record({
  flow: fc.constantFrom(...FLOWS),
  amount,
  currency: fc.constantFrom('EUR', 'USD'),
  sourceToken: fc.constantFrom('USDC', 'ETH'),
  sourceNetwork: fc.constantFrom('base', 'ethereum'),
  targetToken: fc.constantFrom('USDC', 'ETH'),
  targetNetwork: fc.constantFrom('base', 'ethereum'),
  paymentMethod: fc.constantFrom(...PAYMENT_METHODS),
  countryCode: fc.constantFrom('DE', 'FR', 'US'),
});

/** Whether the capabilities list the payment in every list that applies to it. */
function lists(served: Capabilities, terms: RestrictedTerms): boolean {
  const { flow, amount: paid, currency, paymentMethod, countryCode } = terms;
  const hasAsset = (token: string | null, network: string | null) =>
    served.assets.some(
      ({ code, networks, flows }) => code === token && networks.includes(network ?? '') && flows.includes(flow),
    );
  return (
    served.flows.includes(flow) &&
    paymentMethod !== null &&
    (served.paymentMethods[flow]?.includes(paymentMethod) ?? false) &&
    served.countries.some(({ code, flows }) => code === countryCode && flows.includes(flow)) &&
    served.currencies.some(({ code, flows }) => code === currency && flows.includes(flow)) &&
    (flow === 'on_ramp' || hasAsset(terms.sourceToken, terms.sourceNetwork)) &&
    (flow === 'off_ramp' || hasAsset(terms.targetToken, terms.targetNetwork)) &&
    served.limits.some(
      (limit) =>
        limit.flow === flow &&
        limit.paymentMethod === paymentMethod &&
        limit.currency === currency &&
        compare(paid ?? '0', limit.minAmount) >= 0 &&
        compare(paid ?? '0', limit.maxAmount) <= 0,
    )
  );
}

forAll([restrictionsOf])('restricting twice is restricting once', (restrictions) => {
  const once = restrictCapabilities(WIDE, restrictions);
  expect(restrictCapabilities(once, restrictions)).toEqual(once);
});

forAll([restrictionsOf, termsOf])('restricting never lists what the provider does not', (restrictions, terms) => {
  if (lists(restrictCapabilities(WIDE, restrictions), terms)) expect(lists(WIDE, terms)).toBe(true);
});

forAll([restrictionsOf, termsOf])(
  'a payment that the provider serves is allowed if and only if the restricted capabilities list it',
  (restrictions, terms) => {
    if (!lists(WIDE, terms)) return;
    expect(whyRestricted(restrictions, terms) === null).toBe(lists(restrictCapabilities(WIDE, restrictions), terms));
  },
);

describe('what is unavailable', () => {
  const market = { side: 'target', currency: 'EUR', asset: 'USDC', network: 'base' } as const;
  const closed: Capabilities = {
    ...WIDE,
    flows: ['off_ramp'],
    assets: WIDE.assets.map((asset) => ({ ...asset, networks: [], flows: [] })),
    unavailable: [
      { ...market, flow: 'on_ramp' },
      { ...market, flow: 'swap' },
      { ...market, flow: 'on_ramp', asset: 'ETH', network: 'ethereum' },
    ],
  };

  it('is listed for the flows and tokens of the partner, also of a token that can be used nowhere now', () => {
    const served = restrictCapabilities(closed, { assets: ['USDC'], flows: ['on_ramp'] });
    expect(served.unavailable).toEqual([{ ...market, flow: 'on_ramp' }]);
    expect(served.assets).toMatchObject([{ code: 'USDC', networks: [], flows: [] }]);
    expect(restrictCapabilities(closed, null)).toBe(closed);
  });

  it('closes a request only if it needs the token, or no other is left for the flow', () => {
    const swap = { ...market, flow: 'swap', side: 'source' } as const;
    const wish = { flow: 'swap', currency: 'EUR', target: { token: 'DOGE', network: null } } as const;
    expect(unavailableFor([{ ...WIDE, unavailable: [swap] }], wish)).toBeNull();
    expect(unavailableFor([{ ...WIDE, flows: ['on_ramp'], unavailable: [swap] }], wish)).toEqual(swap);
    const named = { ...wish, source: { token: 'USDC', network: null } };
    expect(unavailableFor([{ ...WIDE, unavailable: [swap] }], named)).toEqual(swap);
  });
});

it('a partner with a single token on one network has no row for swaps', () => {
  expect(restrictCapabilities(WIDE, { assets: ['ETH'] }).flows).toEqual(['on_ramp', 'off_ramp']);
  expect(restrictCapabilities(WIDE, { assets: ['USDC'] }).flows).toEqual(FLOWS);
});
