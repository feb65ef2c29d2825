import { expect, it } from 'vitest';

import {
  assetRows,
  countryRows,
  currencyRows,
  flowRows,
  limitRows,
  networkRows,
  paymentMethodRows,
} from '../../../src/domain/capabilities/capability-rows.js';
import { mergeCapabilities } from '../../../src/domain/capabilities/merge-capabilities.js';
import { capabilitiesOf, OTHER } from './capabilities-of.js';

const BOTH = mergeCapabilities([capabilitiesOf(), OTHER]);

it('lists countries, currencies and assets with the flows they are good for', () => {
  expect(countryRows(BOTH)[0]).toEqual({
    object: 'country',
    code: 'DE',
    name: 'Germany',
    flows: ['on_ramp', 'off_ramp'],
    payment_methods: ['card', 'bank_transfer'],
  });
  expect(currencyRows(BOTH)).toEqual([
    { object: 'currency', code: 'EUR', name: 'Euro', decimals: 2, flows: ['on_ramp', 'off_ramp'] },
  ]);
  expect(assetRows(BOTH)[1]).toEqual({
    object: 'asset',
    code: 'ETH',
    name: 'Ether',
    decimals: 8,
    networks: ['ethereum'],
    flows: ['off_ramp'],
  });
});

it('lists with a network the assets that are on it', () => {
  expect(networkRows(BOTH)).toEqual([
    { object: 'network', code: 'base', name: 'Base', address_format: 'evm', assets: ['USDC'] },
    { object: 'network', code: 'ethereum', name: 'Ethereum', address_format: 'evm', assets: ['USDC', 'ETH'] },
  ]);
});

it('lists each payment method that some flow takes, once, with its currencies', () => {
  expect(paymentMethodRows(BOTH)).toEqual([
    { object: 'payment_method', code: 'card', name: 'Card', flows: ['on_ramp'], currencies: ['EUR'] },
    {
      object: 'payment_method',
      code: 'bank_transfer',
      name: 'Bank transfer',
      flows: ['on_ramp', 'off_ramp'],
      currencies: ['EUR'],
    },
  ]);
});

it('enables swap for a partner who is entitled to it, and lists it to everybody', () => {
  const served = capabilitiesOf({ flows: ['on_ramp', 'swap'] });
  const flows = (entitlements: readonly ('swap' | 'rails')[]) =>
    flowRows(served, { entitlements }).map(({ code, enabled }) => [code, enabled]);
  expect(flows(['swap'])).toEqual([
    ['on_ramp', true],
    ['swap', true],
  ]);
  expect(flows(['rails'])).toEqual([
    ['on_ramp', true],
    ['swap', false],
  ]);
});

it('lists one limit for every flow, method and currency', () => {
  expect(limitRows(capabilitiesOf())).toEqual([
    {
      object: 'limit',
      flow: 'on_ramp',
      payment_method: 'card',
      currency: 'EUR',
      min_amount: '10.00',
      max_amount: '500.00',
    },
  ]);
});
