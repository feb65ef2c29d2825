import { describe, expect, it } from 'vitest';
import { DEFAULT_POLICY } from '../../../src/domain/policy.js';
import { applyOutcome } from '../../../src/domain/purchase/apply-outcome.js';
import { NO_DETAILS, type Outcome, type SettlementDetails } from '../../../src/domain/purchase/outcome.js';
import { NOW, parsed, purchase } from '../builders.js';
import { hear, heard, LATER, announced, withIntentAt, withSessionAt } from './updates.js';

describe('a redirect', () => {
  const asked = (url: string) =>
    applyOutcome(
      purchase(),
      {
        outcome: { kind: 'requires_action', nextAction: { type: 'redirect', url, expiresAt: NOW + 600_000 } },
        details: NO_DETAILS,
      },
      { now: LATER, policy: DEFAULT_POLICY },
    )?.purchase.intent;

  it.each(['https://bank.example/3ds/1', 'http://127.0.0.1:4242/sandbox/1', 'http://localhost/x', 'http://[::1]:1/x'])(
    'to %s is required until its own deadline',
    (url) => {
      expect(asked(url)).toMatchObject({ status: 'requires_action', nextAction: { url }, expiresAt: NOW + 600_000 });
    },
  );

  it.each([
    'http://bank.example/3ds/1',
    'http://localhost.evil.example/',
    'http://127.0.0.1@evil.example/',
    'javascript:alert(1)',
    '/3ds/1',
    'https://bank.example/a b',
    '',
  ])('to %j fails the attempt', (url) => {
    expect(asked(url)).toMatchObject({ status: 'failed', failure: { code: 'error', stage: 'payment' } });
  });
});

describe('stages that only some providers report', () => {
  const types = (stage: 'authorization' | 'capture' | 'send') =>
    applyOutcome(
      purchase(),
      { outcome: { kind: 'processing', stage }, details: NO_DETAILS },
      { now: LATER, policy: DEFAULT_POLICY },
    )?.purchase.transaction.stages.map(({ type, status }) => [type, status]);

  it('are added at their position when they are first reported', () => {
    expect(types('authorization')).toEqual([
      ['kyc', 'completed'],
      ['screening', 'completed'],
      ['authorization', 'processing'],
      ['payment', 'pending'],
      ['conversion', 'pending'],
      ['delivery', 'pending'],
    ]);
    expect(types('send')).toEqual([
      ['kyc', 'completed'],
      ['screening', 'completed'],
      ['payment', 'completed'],
      ['conversion', 'completed'],
      ['send', 'processing'],
      ['delivery', 'pending'],
    ]);
  });

  it('complete nothing before a return, which is complete when the payment has failed', () => {
    const apply = (whole: ReturnType<typeof purchase>, outcome: Outcome) =>
      applyOutcome(whole, { outcome, details: NO_DETAILS }, { now: LATER, policy: DEFAULT_POLICY })?.purchase ?? whole;
    const paying = apply(purchase(), { kind: 'processing', stage: 'payment' });
    const returning = apply(paying, { kind: 'processing', stage: 'return' });
    const failure = { code: 'settlement_error', stage: 'payment', message: 'No.', retryable: true } as const;
    const { transaction } = apply(returning, { kind: 'failed', failure });
    expect(transaction.stages.map(({ type, status }) => [type, status])).toEqual([
      ['kyc', 'completed'],
      ['screening', 'completed'],
      ['payment', 'failed'],
      ['conversion', 'pending'],
      ['delivery', 'pending'],
      ['return', 'completed'],
    ]);
  });

  it('record a failure in that stage', () => {
    const failure = { code: 'payment_declined', stage: 'capture', message: 'No.', retryable: true } as const;
    const step = applyOutcome(
      purchase(),
      { outcome: { kind: 'failed', failure }, details: NO_DETAILS },
      { now: LATER, policy: DEFAULT_POLICY },
    );
    expect(step?.purchase.transaction.stages.find(({ type }) => type === 'capture')).toMatchObject({
      status: 'failed',
      failureCode: 'payment_declined',
    });
  });
});

describe('details', () => {
  const details: SettlementDetails = {
    source: { amount: '101.50', currency: 'EUR', network: null },
    destination: { amount: '92.1', currency: 'USDC', network: 'base' },
    exchangeRate: '0.921',
    fees: [{ type: 'processing', amount: '1.50', currency: 'EUR' }],
    feeTotal: '1.50',
    txHash: '0xabc',
  };

  it('are kept once known, and never lost', () => {
    const known = hear(purchase(), 'processing', LATER, details)?.purchase;
    expect(known?.transaction).toMatchObject(details);
    expect(known && hear(known, 'succeeded')?.purchase.transaction).toMatchObject(details);
  });

  it('keep the format of terms with the same value', () => {
    const given = {
      flow: 'on_ramp',
      amount: '0101.5',
      currency: 'EUR',
      targetToken: 'usdc',
      targetNetwork: 'BASE',
      walletAddress: null,
    } as const;
    const processing = hear(purchase({ intent: { attempt: given } }), 'processing', LATER, details)?.purchase;
    expect(processing?.transaction).toMatchObject({
      source: { amount: '0101.5', currency: 'EUR', network: null },
      destination: { amount: '92.1', currency: 'usdc', network: 'BASE' },
    });
    const other = {
      ...details,
      source: { amount: '101.51', currency: 'EUR', network: null },
      destination: { amount: '1', currency: 'ETH', network: 'ethereum' },
    };
    expect(processing && hear(processing, 'succeeded', LATER, other)?.purchase.transaction).toMatchObject({
      source: other.source,
      destination: other.destination,
    });
  });

  it('that are new make a repetition count, without an announcement', () => {
    const step = hear(heard(purchase(), 'processing'), 'processing', LATER, details);
    expect(step?.purchase.transaction.txHash).toBe('0xabc');
    expect(announced(step)).toEqual([]);
  });

  const onChain = (seen: number, rest: Partial<SettlementDetails> = {}): SettlementDetails => ({
    ...NO_DETAILS,
    txHash: '0xabc',
    txUrl: 'https://explorer.example/tx/0xabc',
    confirmations: { seen, required: 3 },
    ...rest,
  });

  it('increase confirmations, without an announcement', () => {
    const first = hear(purchase(), 'processing', LATER, onChain(0));
    expect(first?.purchase.transaction).toMatchObject({
      txUrl: 'https://explorer.example/tx/0xabc',
      confirmations: { seen: 0, required: 3 },
    });
    const next = first && hear(first.purchase, 'processing', LATER, onChain(1));
    expect(next?.purchase.transaction.confirmations).toEqual({ seen: 1, required: 3 });
    expect(announced(next ?? null)).toEqual([]);
  });

  it('that arrive late decrease no confirmations, which never exceed the required number', () => {
    const seen = (details: SettlementDetails) => {
      const two = hear(purchase(), 'processing', LATER, onChain(2));
      const step = two && (hear(two.purchase, 'processing', LATER, details) ?? two);
      return step?.purchase.transaction.confirmations?.seen;
    };
    expect(seen(onChain(1))).toBe(2);
    expect(seen(NO_DETAILS)).toBe(2);
    expect(seen(onChain(9))).toBe(3);
    expect(seen(onChain(0, { txHash: '0xdef' }))).toBe(0);
    expect(seen(onChain(0, { confirmations: { seen: Number.NaN, required: 3 } }))).toBe(2);
  });

  it('omit a link that is not http or https', () => {
    const step = hear(purchase(), 'processing', LATER, onChain(0, { txUrl: 'javascript:alert(1)' }));
    expect(step?.purchase.transaction).toMatchObject({ txHash: '0xabc', txUrl: null });
  });

  it('are part of transaction.updated', () => {
    const step = hear(withSessionAt(withIntentAt('cancelled'), 'cancelled'), 'succeeded', LATER, details);
    expect(parsed(step?.announcements[0]?.data ?? '')).toMatchObject({ tx_hash: '0xabc', fee_total: '1.50' });
  });
});

describe('a deposit', () => {
  const OWN = '0xabcdef0000000000000000000000000000000001';
  const ask = (address: string, refundAddress: string | null) => {
    const begun = purchase();
    const nextAction = {
      type: 'crypto_deposit',
      address,
      memo: null,
      network: 'base',
      asset: 'USDC',
      amount: '1.00',
      expiresAt: LATER,
    } as const;
    const intent = { ...begun.intent, refundAddress };
    return applyOutcome(
      { ...begun, intent },
      { outcome: { kind: 'requires_action', nextAction }, details: NO_DETAILS },
      { now: LATER, policy: DEFAULT_POLICY },
    );
  };

  it('at the refund address fails the attempt: returned funds would not reach the buyer', () => {
    expect(ask(`0x${OWN.slice(2).toUpperCase()}`, OWN)?.purchase.intent).toMatchObject({
      status: 'failed',
      failure: { code: 'wallet_address_invalid', stage: 'deposit', retryable: true },
    });
    expect(ask('TokenAddress', 'tokenaddress')?.purchase.intent.status).toBe('requires_action');
  });

  it('is recorded in the session by its address', () => {
    const once = ask(OWN, null)?.purchase;
    expect(once?.session.depositAddresses).toEqual([OWN]);
  });
});
