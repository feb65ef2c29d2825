import { decimal } from '@gateramp/core/domain';
import type { Capabilities, Instant, Quote } from '@gateramp/core/domain';

const [FEE, PRICE] = ['1.00', '0.90']; // EUR per payment, and per USDC
/** The terms of every payment. */
export const FIXED = {
  sourceToken: null,
  sourceNetwork: null,
  targetToken: 'USDC',
  targetNetwork: 'base',
  paymentMethod: 'card',
  countryCode: null,
} as const;
const LIMITS = { minAmount: '10.00', maxAmount: '1000.00', currency: 'EUR' };
const [FLOWS, METHODS] = [['on_ramp'], ['card']] as const;

/** What partners can discover. */
export const CAPABILITIES: Capabilities = {
  ...{ flows: FLOWS, paymentMethods: { on_ramp: METHODS }, refundable: METHODS },
  countries: [{ code: 'DE', name: 'Germany', flows: FLOWS, paymentMethods: METHODS }],
  currencies: [{ code: 'EUR', name: 'Euro', decimals: 2, flows: FLOWS }],
  assets: [{ code: 'USDC', name: 'USD Coin', decimals: 6, networks: ['base'], flows: FLOWS }],
  networks: [{ code: 'base', name: 'Base', addressFormat: 'evm' }],
  limits: [{ flow: 'on_ramp', paymentMethod: 'card', ...LIMITS }],
};

/** The price of an amount: the fee is part of what the buyer pays. */
export function priceOf(amount: string, id: string, expiresAt: Instant): Quote {
  const bought = decimal.subtract(amount, FEE);
  return {
    ...{ id, paymentMethod: 'card', available: true, unavailableReason: null, limits: LIMITS, expiresAt },
    source: { amount, currency: 'EUR', network: null },
    destination: { amount: decimal.divideDown(bought, PRICE, 6), currency: 'USDC', network: 'base' },
    exchangeRate: decimal.divideSignificant('1', PRICE, 18),
    ...{ sourceSubtotal: bought, sourceTotal: amount, feeTotal: FEE },
    fees: [{ type: 'service', amount: FEE, currency: 'EUR' }],
    estimatedSettlementSeconds: 10,
  };
}
