import { expect, it } from 'vitest';

import {
  assetRows,
  countryRows,
  currencyRows,
  flowRows,
  limitRows,
  networkRows,
  paymentMethodRows,
  ttlRows,
} from '../../../src/domain/capabilities/capability-rows.js';
import { mergeCapabilities } from '../../../src/domain/capabilities/capabilities.js';
import { DEFAULT_POLICY } from '../../../src/domain/policy.js';
import { capabilitiesOf, OTHER } from './capabilities-of.js';

const BOTH = mergeCapabilities([capabilitiesOf(), OTHER]);

it('lists countries, currencies and assets with their flows', () => {
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
    unavailable: [],
  });
});

it('lists a network with its assets and the flows that it can serve', () => {
  const flows = ['on_ramp', 'off_ramp'];
  expect(networkRows(BOTH)).toEqual([
    { object: 'network', code: 'base', name: 'Base', address_format: 'evm', assets: ['USDC'], flows },
    { object: 'network', code: 'ethereum', name: 'Ethereum', address_format: 'evm', assets: ['USDC', 'ETH'], flows },
  ]);
});

it('lists each payment method of any flow once, with its currencies', () => {
  expect(paymentMethodRows(BOTH)).toEqual([
    {
      object: 'payment_method',
      code: 'card',
      name: 'Card',
      flows: ['on_ramp'],
      currencies: ['EUR'],
      refundable: false,
      savable: false,
      fees: [],
      components: [],
    },
    {
      object: 'payment_method',
      code: 'bank_transfer',
      name: 'Bank transfer',
      flows: ['on_ramp', 'off_ramp'],
      currencies: ['EUR'],
      refundable: false,
      savable: false,
      fees: [],
      components: [],
    },
  ]);
});

it('lists swap to everyone, and enables it for entitled partners', () => {
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

it('lists the fees of a payment method and the spread of a limit, from the first provider that states them', () => {
  const fee = { paymentMethod: 'card', type: 'service', currency: 'EUR', network: null } as const;
  const [limit] = capabilitiesOf().limits;
  if (limit === undefined) throw new Error('There is one limit.');
  const both = mergeCapabilities([
    capabilitiesOf(),
    capabilitiesOf({ fees: [{ ...fee, bps: 100, fixedAmount: '0.10' }], limits: [{ ...limit, spreadBps: 30 }] }),
    capabilitiesOf({ fees: [{ ...fee, bps: 200, fixedAmount: '0.20' }], limits: [{ ...limit, spreadBps: 40 }] }),
  ]);
  expect(paymentMethodRows(both)[0]?.fees).toEqual([
    { type: 'service', bps: 100, fixed_amount: '0.10', currency: 'EUR', network: null },
  ]);
  expect(limitRows(both)[0]?.spread_bps).toBe(30);
});

it('lists the lifetimes of the policy, and for quotes the shortest that a provider states', () => {
  const both = mergeCapabilities([
    capabilitiesOf({ quoteLifetime: 300_000 }),
    capabilitiesOf({ quoteLifetime: 60_999 }),
    capabilitiesOf(),
  ]);
  expect(ttlRows(both, DEFAULT_POLICY).map(({ type, seconds }) => [type, seconds])).toEqual([
    ['session', 86_400],
    ['embed_token', 3_600],
    ['quote', 60],
    ['intent_action', 1_800],
    ['idempotency_key', 86_400],
  ]);
  expect(ttlRows(capabilitiesOf(), DEFAULT_POLICY)[2]?.seconds).toBeNull();
});

it('lists one limit per flow, method and currency', () => {
  expect(limitRows(capabilitiesOf())).toEqual([
    {
      object: 'limit',
      flow: 'on_ramp',
      payment_method: 'card',
      currency: 'EUR',
      min_amount: '10.00',
      max_amount: '500.00',
      spread_bps: null,
    },
  ]);
});
