import { describe, expect, it } from 'vitest';

import {
  type ExecutableQuote,
  executableQuoteResource,
  quoteStatus,
  markUsed,
} from '../../../src/domain/quote/quote.js';
import { NOW } from '../builders.js';
import { aQuote } from './a-quote.js';

const quote: ExecutableQuote = {
  ...aQuote(),
  id: '65f0c0ffee65f0c0ffee0042',
  partnerId: '65f0c0ffee65f0c0ffee0001',
  mode: 'test',
  version: 1,
  provider: 'sandbox',
  providerQuoteId: 'theirs',
  ask: {
    side: 'on_ramp',
    currency: 'EUR',
    asset: 'USDC',
    network: 'base',
    sourceAsset: null,
    sourceNetwork: null,
    amount: '101.50',
    countryCode: 'DE',
  },
  usedBy: null,
  createdAt: NOW,
  expiresAt: NOW + 1_000,
};

describe('an executable quote', () => {
  it('is open through its last millisecond, then expired', () => {
    expect(quoteStatus(quote, NOW + 1_000)).toBe('open');
    expect(quoteStatus(quote, NOW + 1_001)).toBe('expired');
  });

  it('can be used once, and stays used after its expiry', () => {
    const used = markUsed(quote, 'pay-in', NOW + 1_000)._unsafeUnwrap();
    expect(quoteStatus(used, NOW + 5_000)).toBe('used');
    expect(markUsed(used, 'another', NOW)._unsafeUnwrapErr().code).toBe('quote_already_used');
    expect(markUsed(used, 'another', NOW + 5_000)._unsafeUnwrapErr().code).toBe('quote_already_used');
  });

  it('cannot be used when it has expired', () => {
    expect(markUsed(quote, 'pay-in', NOW + 1_001)._unsafeUnwrapErr().code).toBe('quote_expired');
  });

  it('shows the quote and the request, and not its provider', () => {
    const text = executableQuoteResource(quote, NOW);
    expect(JSON.parse(text)).toMatchObject({
      object: 'quote',
      id: quote.id,
      payment_method: 'card',
      mode: 'test',
      side: 'on_ramp',
      currency: 'EUR',
      asset: 'USDC',
      network: 'base',
      amount: '101.50',
      country_code: 'DE',
      status: 'open',
      created_at: new Date(NOW).toISOString(),
    });
    for (const hidden of ['sandbox', 'theirs', 'provider', 'used_by']) expect(text).not.toContain(hidden);
  });
});
