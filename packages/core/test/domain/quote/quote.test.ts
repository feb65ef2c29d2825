import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { add } from '../../../src/domain/money.js';
import { addsUp, feeTotal, type Quote, quoteMembers } from '../../../src/domain/quote/quote.js';
import { forAll } from '../for-all.js';
import { aQuote } from './a-quote.js';

const fee = (amount: string) => ({ type: 'processing', amount, currency: 'EUR' });

it('fee_total is the exact sum of the fees', () => {
  expect(feeTotal([])).toBe('0');
  expect(feeTotal([fee('0.10'), fee('0.2'), fee('1')])).toBe('1.3');
});

describe('a quote', () => {
  it('has exactly the contract’s fields, without additions of a provider', () => {
    const extra = { margin: '0.3' };
    const quote: Quote = {
      ...aQuote(),
      source: { amount: '101.50', currency: 'EUR', network: null, ...extra },
      destination: { amount: '92.1', currency: 'USDC', network: 'base', ...extra },
      fees: [{ ...fee('1.50'), ...extra }],
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
    expect(quoteMembers(quote)).toHaveProperty('fees', [fee('1.50')]);
    expect(quoteMembers(quote)).toHaveProperty('source', { amount: '101.50', currency: 'EUR', network: null });
    expect(JSON.stringify(quoteMembers(quote))).not.toContain('margin');
  });

  const amount = fc.stringMatching(/^\d{1,12}(\.\d{1,8})?$/);

  forAll([amount, fc.array(amount, { maxLength: 5 })])(
    'adds up exactly when source_total = source_subtotal + fee_total and fee_total = Σ fees',
    (sourceSubtotal, amounts) => {
      const total = amounts.reduce(add, '0');
      const right = aQuote({
        sourceSubtotal,
        fees: amounts.map(fee),
        feeTotal: total,
        sourceTotal: add(sourceSubtotal, total),
      });
      expect(addsUp(right)).toBe(true);
      expect(addsUp({ ...right, sourceTotal: add(right.sourceTotal, '0.00000001') })).toBe(false);
      expect(addsUp({ ...right, feeTotal: add(total, '0.01'), sourceTotal: add(right.sourceTotal, '0.01') })).toBe(
        false,
      );
    },
  );

  it.each(['', 'NaN', '1e2', '-'])('does not add up with %j for an amount', (text) => {
    expect(addsUp(aQuote({ sourceTotal: text }))).toBe(false);
  });
});
