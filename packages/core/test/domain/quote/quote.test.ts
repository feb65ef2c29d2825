import { describe, expect, it } from 'vitest';

import { feeTotal, quoteMembers, type Quote } from '../../../src/domain/quote/quote.js';
import { NOW } from '../builders.js';

it('fee_total is the sum of the fees, exactly', () => {
  const fee = (amount: string) => ({ type: 'processing', amount, currency: 'EUR' });
  expect(feeTotal([])).toBe('0');
  expect(feeTotal([fee('0.10'), fee('0.2'), fee('1')])).toBe('1.3');
});

describe('a quote', () => {
  it('shows the contract’s fields, and nothing else a provider added', () => {
    const extra = { margin: '0.3' };
    const fee = { type: 'processing', amount: '1.50', currency: 'EUR' };
    const quote: Quote = {
      id: 'q',
      paymentMethod: 'card',
      available: true,
      unavailableReason: null,
      source: { amount: '101.50', currency: 'EUR', network: null, ...extra },
      destination: { amount: '92.1', currency: 'USDC', network: 'base', ...extra },
      exchangeRate: '0.921',
      sourceSubtotal: '100.00',
      sourceTotal: '101.50',
      fees: [{ ...fee, ...extra }],
      feeTotal: '1.50',
      limits: { minAmount: '1.00', maxAmount: '10000.00', currency: 'EUR' },
      estimatedSettlementSeconds: 60,
      expiresAt: NOW,
    };
    expect(quoteMembers(quote)).toMatchObject({
      object: 'quote',
      id: 'q',
      payment_method: 'card',
      available: true,
      unavailable_reason: null,
      exchange_rate: '0.921',
      source_subtotal: '100.00',
      source_total: '101.50',
      fee_total: '1.50',
      limits: { min_amount: '1.00', max_amount: '10000.00', currency: 'EUR' },
      estimated_settlement_seconds: 60,
    });
    expect(quoteMembers(quote)).toHaveProperty('fees', [fee]);
    expect(quoteMembers(quote)).toHaveProperty('source', { amount: '101.50', currency: 'EUR', network: null });
    expect(JSON.stringify(quoteMembers(quote))).not.toContain('margin');
  });
});
