import { describe, expect, it } from 'vitest';

import { intentResource } from '../../../src/domain/intent/intent-resource.js';
import type { NextAction } from '../../../src/domain/intent/intent.js';
import { newIntent, NOW, parsed, purchase, withIntent } from '../builders.js';

describe('the gate_intent', () => {
  it('has exactly the fields of the contract, null where absent', () => {
    const bare = purchase({
      intent: newIntent({
        paymentMethod: null,
        refundAddress: '0xrefund',
        attempt: { ...newIntent().attempt, targetToken: null, targetNetwork: null },
      }),
    });
    expect(parsed(intentResource(bare.intent))).toStrictEqual({
      id: 'aaaaaaaaaaaaaaaaaaaaaaaa',
      object: 'gate_intent',
      session_id: '0123456789abcdef01234567',
      flow: 'on_ramp',
      status: 'created',
      amount: '100.00',
      currency: 'EUR',
      source_token: null,
      source_network: null,
      target_token: null,
      target_network: null,
      wallet_address: null,
      payment_method: null,
      quote_id: null,
      next_action: null,
      failure: null,
      attempt: 1,
      tx_refid: 'gtx_aaaaaaaaaaaaaaaaaaaa',
      created_at: '2026-03-10T12:00:00.000Z',
      updated_at: '2026-03-10T12:00:00.000Z',
      expires_at: null,
      code_resend_at: null,
      stages: null,
      transaction: null,
    });
  });

  const extra = { secret: 'from the provider' };

  it.each<[NextAction, unknown]>([
    [
      { type: 'kyc', level: 'basic', fields: ['first_name'], ...extra },
      { type: 'kyc', level: 'basic', fields: ['first_name'] },
    ],
    [
      { type: 'payment_authentication', challenge: 'otp', destination: '••42', ...extra },
      { type: 'payment_authentication', challenge: 'otp', destination: '••42' },
    ],
    [
      {
        type: 'crypto_deposit',
        address: '0xa',
        memo: null,
        network: 'base',
        asset: 'USDC',
        amount: '1.5',
        expiresAt: NOW,
        ...extra,
      },
      {
        type: 'crypto_deposit',
        address: '0xa',
        memo: null,
        network: 'base',
        asset: 'USDC',
        amount: '1.5',
        expires_at: '2026-03-10T12:00:00.000Z',
      },
    ],
  ])('shows the next action as the contract has it, and nothing else a provider added: %j', (nextAction, shown) => {
    const { intent } = withIntent(purchase(), { nextAction, status: 'requires_action', expiresAt: NOW + 1 });
    expect(parsed(intentResource(intent))).toMatchObject({ expires_at: '2026-03-10T12:00:00.001Z' });
    expect(parsed(intentResource(intent)).next_action).toStrictEqual(shown);
  });

  it('shows when another one-time code can be sent, or null', () => {
    const shown = (nextAction: NextAction) =>
      parsed(intentResource(withIntent(purchase(), { nextAction }).intent)).code_resend_at;
    const otp = { type: 'payment_authentication', challenge: 'otp', destination: '••42' } as const;
    expect(shown({ ...otp, resendAt: 0 })).toBe('1970-01-01T00:00:00.000Z');
    expect(shown(otp)).toBeNull();
    expect(shown({ type: 'kyc', level: 'basic', fields: ['first_name'] })).toBeNull();
  });

  it('shows a failure as code, stage, message and retryable', () => {
    const failure = {
      code: 'payment_declined',
      stage: 'payment',
      message: 'Declined.',
      retryable: true,
      ...extra,
    } as const;
    expect(parsed(intentResource(withIntent(purchase(), { failure, status: 'failed' }).intent)).failure).toStrictEqual({
      code: 'payment_declined',
      stage: 'payment',
      message: 'Declined.',
      retryable: true,
    });
  });
});
