import { expect, it } from 'vitest';

import { fillOpenAssets, fillOpenMethod } from '../../../src/domain/quote/restrict-quotes.js';
import { FLOWS, type Flow } from '../../../src/domain/session/terms.js';
import { capabilitiesOf } from '../capabilities/capabilities-of.js';

const SERVED = capabilitiesOf({
  flows: FLOWS,
  paymentMethods: { on_ramp: ['card', 'bank_transfer'] },
  assets: [
    { code: 'USDC', name: 'USD Coin', decimals: 6, networks: ['ethereum'], flows: FLOWS },
    { code: 'ETH', name: 'Ether', decimals: 18, networks: ['base', 'ethereum'], flows: FLOWS },
  ],
});

const termsOf = (flow: Flow, named: object = {}) => ({
  flow,
  amount: '100',
  currency: 'EUR',
  sourceToken: null,
  sourceNetwork: null,
  targetToken: null,
  targetNetwork: null,
  paymentMethod: null,
  countryCode: null,
  ...named,
});

it('fills open tokens and networks with those allowed for a partner with restricted assets', () => {
  const fill = (flow: Flow, named: object = {}) => {
    const { sourceToken, sourceNetwork, targetToken, targetNetwork } = fillOpenAssets(termsOf(flow, named), SERVED, {
      assets: ['USDC@ethereum', 'ETH'],
    });
    return [sourceToken, sourceNetwork, targetToken, targetNetwork];
  };
  expect(fill('on_ramp')).toEqual([null, null, 'USDC', 'ethereum']);
  expect(fill('on_ramp', { targetToken: 'usdc' })).toEqual([null, null, 'usdc', 'ethereum']);
  expect(fill('on_ramp', { targetNetwork: 'base' })).toEqual([null, null, 'ETH', 'base']);
  expect(fill('off_ramp')).toEqual(['USDC', 'ethereum', null, null]);
  expect(fill('swap')).toEqual(['ETH', 'base', 'USDC', 'ethereum']);
  expect(fill('swap', { sourceToken: 'USDC' })).toEqual(['USDC', 'ethereum', 'ETH', 'base']);
});

it('leaves open what the restrictions do not cover, because the provider has its own default', () => {
  const open = termsOf('swap');
  expect(fillOpenAssets(open, SERVED, { countries: ['DE'] })).toEqual(open);
  expect(fillOpenMethod(open, SERVED, { countries: ['DE'] })).toEqual(open);
  expect(fillOpenMethod(open, SERVED, null)).toEqual(open);
});

it('fills an open payment method with the first one that accepts the amount', () => {
  const limits = [{ currency: 'EUR', paymentMethod: 'card', maxAmount: '50' }] as const;
  const methodOf = (amount: string) => fillOpenMethod(termsOf('on_ramp', { amount }), SERVED, { limits }).paymentMethod;
  expect(methodOf('50')).toBe('card');
  expect(methodOf('51')).toBe('bank_transfer');
});
