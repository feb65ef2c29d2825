import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { bindTerms, FLOWS, sameTerms, type PaymentAttempt, type Terms } from '../../../src/domain/session/terms.js';
import { terms } from '../builders.js';
import { forAll } from '../for-all.js';

function attempt(over: Partial<PaymentAttempt> = {}): PaymentAttempt {
  return {
    flow: 'on_ramp',
    amount: '100.00',
    currency: 'EUR',
    targetToken: null,
    targetNetwork: null,
    walletAddress: null,
    ...over,
  };
}

function code(fixed: Terms, asked: PaymentAttempt): string {
  return bindTerms(fixed, asked).match(
    () => 'bound',
    (refusal) => refusal.code,
  );
}

describe('the amount', () => {
  it.each(['100', '100.0', '100.00000000', '0100.0'])('%s is the amount 100.00, whose text is kept', (amount) => {
    expect(bindTerms(terms(), attempt({ amount }))._unsafeUnwrap().amount).toBe('100.00');
  });

  it.each(['100.01', '99.99', '0', '-100', '1000', '100.00000001'])('%s is refused as amount_mismatch', (amount) => {
    expect(code(terms(), attempt({ amount }))).toBe('amount_mismatch');
  });

  it('is checked before the other terms', () => {
    expect(code(terms(), attempt({ amount: '1', currency: 'USD' }))).toBe('amount_mismatch');
  });
});

describe('terms that the session fixes', () => {
  const fixed = terms({ walletAddress: '0xAbC' });

  it.each<[string, Partial<PaymentAttempt>]>([
    ['flow', { flow: 'swap' }],
    ['currency', { currency: 'USD' }],
    ['target_token', { targetToken: 'ETH' }],
    ['target_network', { targetNetwork: 'ethereum' }],
    ['wallet_address', { walletAddress: '0xDeF' }],
    ['wallet_address', { walletAddress: '0xabc' }],
  ])('refuses another %s as terms_mismatch, and names it', (name, over) => {
    const refusal = bindTerms(fixed, attempt(over))._unsafeUnwrapErr();
    expect(refusal.code).toBe('terms_mismatch');
    expect(refusal.message).toContain(name);
  });

  it('fill the terms that the attempt omits', () => {
    expect(bindTerms(fixed, attempt())._unsafeUnwrap()).toEqual({
      flow: 'on_ramp',
      amount: '100.00',
      currency: 'EUR',
      targetToken: 'USDC',
      targetNetwork: 'base',
      walletAddress: '0xAbC',
    });
  });
});

describe('terms that the session leaves open', () => {
  it('are chosen by the buyer', () => {
    const open = terms({ flow: null, targetToken: null, targetNetwork: null });
    const asked = attempt({ flow: 'swap', targetToken: 'ETH', targetNetwork: 'ethereum', walletAddress: '0xDeF' });
    expect(bindTerms(open, asked)._unsafeUnwrap()).toEqual(asked);
  });
});

const choice = (...values: string[]) => fc.option(fc.constantFrom(...values), { nil: null });
const anyTerms = fc.record({
  flow: fc.option(fc.constantFrom(...FLOWS), { nil: null }),
  amount: fc.constantFrom('1', '1.00', '2'),
  currency: fc.constantFrom('EUR', 'USD'),
  targetToken: choice('USDC', 'ETH'),
  targetNetwork: choice('base', 'ethereum'),
  walletAddress: choice('0xa', '0xA', '0xb'),
});
const anyAttempt = fc.record({
  flow: fc.constantFrom(...FLOWS),
  amount: fc.constantFrom('1', '1.0', '2.000', '3'),
  currency: fc.constantFrom('EUR', 'USD', 'eur'),
  targetToken: choice('USDC', 'usdc', 'ETH'),
  targetNetwork: choice('base', 'BASE', 'ethereum'),
  walletAddress: choice('0xa', '0xA', '0xb'),
});

forAll([anyTerms, anyAttempt])(
  'whatever the browser asks for, the bound attempt keeps every term the server fixed',
  (fixed, asked) => {
    const bound = bindTerms(fixed, asked);
    if (bound.isErr()) return;
    const merged: Terms = { ...bound.value };
    for (const name of ['flow', 'amount', 'currency', 'targetToken', 'targetNetwork', 'walletAddress'] as const) {
      if (fixed[name] !== null) expect(merged[name]).toBe(fixed[name]);
      else expect(merged[name]).toBe(asked[name]);
    }
  },
);

forAll([anyTerms, anyTerms])('terms are the same exactly when every one of them is', (one, other) => {
  expect(sameTerms(one, other)).toBe(JSON.stringify(one) === JSON.stringify(other));
});
