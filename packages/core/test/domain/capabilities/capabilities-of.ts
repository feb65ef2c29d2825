import type { Capabilities } from '../../../src/domain/capabilities/capabilities.js';

/** A provider of the tests: sells one asset for one currency by card. */
export function capabilitiesOf(changes: Partial<Capabilities> = {}): Capabilities {
  return {
    flows: ['on_ramp'],
    paymentMethods: { on_ramp: ['card'] },
    countries: [{ code: 'DE', name: 'Germany', flows: ['on_ramp'], paymentMethods: ['card'] }],
    currencies: [{ code: 'EUR', name: 'Euro', decimals: 2, flows: ['on_ramp'] }],
    assets: [{ code: 'USDC', name: 'USD Coin', decimals: 6, networks: ['base'], flows: ['on_ramp'] }],
    networks: [{ code: 'base', name: 'Base', addressFormat: 'evm' }],
    limits: [{ flow: 'on_ramp', paymentMethod: 'card', currency: 'EUR', minAmount: '10.00', maxAmount: '500.00' }],
    ...changes,
  };
}

/** Another provider, which serves some of the same under other names. */
export const OTHER = capabilitiesOf({
  flows: ['off_ramp', 'on_ramp'],
  paymentMethods: { on_ramp: ['bank_transfer', 'card'], off_ramp: ['bank_transfer'] },
  countries: [
    { code: 'US', name: 'United States', flows: ['on_ramp'], paymentMethods: ['card'] },
    { code: 'DE', name: 'Deutschland', flows: ['off_ramp'], paymentMethods: ['bank_transfer'] },
  ],
  currencies: [{ code: 'EUR', name: 'Euros', decimals: 4, flows: ['off_ramp'] }],
  assets: [
    { code: 'ETH', name: 'Ether', decimals: 8, networks: ['ethereum'], flows: ['off_ramp'] },
    { code: 'USDC', name: 'Circle', decimals: 2, networks: ['ethereum', 'base'], flows: ['off_ramp'] },
  ],
  networks: [{ code: 'ethereum', name: 'Ethereum', addressFormat: 'evm' }],
  limits: [
    { flow: 'on_ramp', paymentMethod: 'card', currency: 'EUR', minAmount: '9.5', maxAmount: '1000' },
    { flow: 'off_ramp', paymentMethod: 'bank_transfer', currency: 'EUR', minAmount: '1', maxAmount: '2' },
  ],
});
