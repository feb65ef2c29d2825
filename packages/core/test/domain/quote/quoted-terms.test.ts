import { describe, expect, it } from 'vitest';
import { applyQuote, type OpenTerms, type QuotedTerms } from '../../../src/domain/quote/quoted-terms.js';

const QUOTED: QuotedTerms = {
  sourceToken: null,
  sourceNetwork: null,
  targetToken: 'USDC',
  targetNetwork: 'base',
  paymentMethod: 'card',
  countryCode: 'DE',
};

const OPEN: OpenTerms = {
  sourceToken: null,
  sourceNetwork: null,
  targetToken: null,
  targetNetwork: null,
  paymentMethod: null,
  countryCode: null,
};

describe('applying a quote', () => {
  it('fills the open terms of the request', () => {
    expect(applyQuote(OPEN, QUOTED)._unsafeUnwrap()).toEqual(QUOTED);
  });

  it.each([
    { targetToken: 'ETH' },
    { targetNetwork: 'ethereum' },
    { paymentMethod: 'bank_transfer' as const },
    { countryCode: 'US' },
  ])('is terms_mismatch with another value next to it: %o', (other) => {
    expect(applyQuote({ ...OPEN, ...other }, QUOTED)._unsafeUnwrapErr()).toMatchObject({ code: 'terms_mismatch' });
  });

  it('accepts equal terms in any case, and keeps their spelling', () => {
    const written = { ...OPEN, targetToken: 'usdc', countryCode: 'de' };
    expect(applyQuote(written, QUOTED)._unsafeUnwrap()).toEqual({ ...QUOTED, targetToken: 'usdc', countryCode: 'de' });
  });

  it('leaves open terms that the quote does not fix', () => {
    expect(
      applyQuote({ ...OPEN, countryCode: 'US' }, { ...QUOTED, countryCode: null })._unsafeUnwrap().countryCode,
    ).toBe('US');
  });
});
