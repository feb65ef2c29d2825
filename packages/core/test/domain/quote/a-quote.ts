import type { Quote } from '../../../src/domain/quote/quote.js';
import { NOW } from '../builders.js';

export function aQuote(changes: Partial<Quote> = {}): Quote {
  return {
    id: 'q',
    paymentMethod: 'card',
    available: true,
    unavailableReason: null,
    source: { amount: '101.50', currency: 'EUR', network: null },
    destination: { amount: '92.1', currency: 'USDC', network: 'base' },
    exchangeRate: '0.921',
    sourceSubtotal: '100.00',
    sourceTotal: '101.50',
    fees: [{ type: 'processing', amount: '1.50', currency: 'EUR' }],
    feeTotal: '1.50',
    limits: { minAmount: '1.00', maxAmount: '10000.00', currency: 'EUR' },
    estimatedSettlementSeconds: 60,
    expiresAt: NOW,
    ...changes,
  };
}
