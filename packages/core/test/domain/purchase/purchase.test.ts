import { describe, expect, it } from 'vitest';

import { lapseFailure, type NextAction } from '../../../src/domain/intent/intent.js';
import { DEFAULT_POLICY } from '../../../src/domain/policy.js';
import { applyOutcome } from '../../../src/domain/purchase/apply-outcome.js';
import { NO_DETAILS } from '../../../src/domain/purchase/outcome.js';
import { beginPurchase, beginStep, endStep, mayBeMoving } from '../../../src/domain/purchase/begin-purchase.js';
import { endIntent, hasLapsed } from '../../../src/domain/purchase/end-intent.js';
import type { SessionPurchase } from '../../../src/domain/purchase/purchase.js';
import { cancel, isOverdue } from '../../../src/domain/session/session.js';
import { FLOWS } from '../../../src/domain/session/terms.js';
import { rank, stagesOf, TRANSACTION_STATUSES } from '../../../src/domain/transaction/transaction.js';
import { newIntent, NOW, purchase, session, terms } from '../builders.js';
import { answered } from './updates.js';

const KYC: NextAction = { type: 'kyc', level: 'basic', fields: [] };

function asked(nextAction: NextAction) {
  const step = applyOutcome(
    purchase(),
    { outcome: { kind: 'requires_action', nextAction }, details: NO_DETAILS },
    { now: NOW, policy: DEFAULT_POLICY },
  );
  if (step === null) throw new Error('An action was required.');
  return answered(step.purchase);
}

describe('beginning an intent', () => {
  it('numbers the attempts of a session and makes it the live one', () => {
    const first = purchase();
    expect(first.session).toMatchObject({ intentId: first.intent.id, attempts: 1, sequence: 1 });
    expect(first.intent).toMatchObject({
      status: 'created',
      attempt: 1,
      failure: null,
      nextAction: null,
      expiresAt: null,
    });
    const second = beginPurchase(endIntent(first, NOW).session, newIntent({ id: 'b'.repeat(24) }), NOW, DEFAULT_POLICY);
    expect(second.intent.attempt).toBe(2);
  });

  it.each(['completed', 'expired', 'cancelled'] as const)('in a session that is %s is a bug', (status) => {
    expect(() => beginPurchase(session({ status }), newIntent(), NOW, DEFAULT_POLICY)).toThrow();
  });

  it('during a live one is a bug: a session has one live intent', () => {
    expect(() => beginPurchase(purchase().session, newIntent(), NOW, DEFAULT_POLICY)).toThrow();
  });

  it.each([
    [
      'on_ramp',
      { amount: '100.00', currency: 'EUR', network: null },
      { amount: null, currency: 'USDC', network: 'base' },
    ],
    [
      'off_ramp',
      { amount: null, currency: 'ETH', network: 'ethereum' },
      { amount: '100.00', currency: 'EUR', network: null },
    ],
    [
      'swap',
      { amount: null, currency: 'ETH', network: 'ethereum' },
      { amount: null, currency: 'USDC', network: 'base' },
    ],
  ] as const)('%s goes from %j to %j', (flow, source, destination) => {
    const { transaction } = purchase({
      intent: { attempt: { ...terms(), flow }, sourceToken: 'ETH', sourceNetwork: 'ethereum' },
    });
    expect(transaction).toMatchObject({
      status: 'pending',
      source,
      destination,
      settledAfterClose: false,
      completedAt: null,
    });
    expect(transaction.stages.map(({ status }) => status)).toEqual(Array(5).fill('pending'));
  });
});

describe('an intent that ends before money moved', () => {
  it('is cancelled, frees its session, and its transaction claims no stage that it did not reach', () => {
    const { session: free, intent, transaction } = endIntent(asked(KYC), NOW + 5);
    expect(intent).toMatchObject({ status: 'cancelled', nextAction: null, stepTaskId: null, expiresAt: null });
    expect(free).toMatchObject({ status: 'open', intentId: null });
    expect(transaction).toMatchObject({ status: 'failed', failure: { stage: 'kyc' } });
    expect(transaction.stages.map(({ status }) => status)).toEqual([
      'failed',
      'pending',
      'pending',
      'pending',
      'pending',
    ]);
  });

  it('does not end the hold of another intent of its session', () => {
    const other = purchase({ session: { attempts: 1 } });
    const held = { ...other.session, intentId: 'b'.repeat(24), heldSince: NOW };
    expect(endIntent({ ...other, session: held }, NOW + 5).session).toEqual(held);
  });

  it('ends once', () => {
    const ended = endIntent(purchase(), NOW);
    expect(endIntent(ended, NOW + 5)).toEqual(ended);
  });
});

describe('a hold', () => {
  it('starts with the first step and ends with its answer, unless money moves', () => {
    const begun = purchase();
    expect(begun.session.heldSince).toBe(NOW);
    expect(endStep(begun, begun.intent.stepTaskId ?? '', NOW + 5, DEFAULT_POLICY).session.heldSince).toBeNull();
    const moving: SessionPurchase = { ...begun, intent: { ...begun.intent, status: 'processing' } };
    expect(endStep(moving, begun.intent.stepTaskId ?? '', NOW + 5, DEFAULT_POLICY).session.heldSince).toBe(NOW);
  });

  it('restarts with every further step, at its commit', () => {
    const held = beginStep(asked(KYC), 'task-2', NOW + 7, DEFAULT_POLICY);
    expect(held.session.heldSince).toBe(NOW + 7);
    expect(held.intent.stepTaskId).toBe('task-2');
    expect(cancel(held.session)._unsafeUnwrapErr().code).toBe('session_processing');
    expect(isOverdue(held.session, held.session.expiresAt + 1)).toBe(false);
  });

  it('is not ended by another step than its own', () => {
    const held = beginStep(asked(KYC), 'task-2', NOW + 7, DEFAULT_POLICY);
    expect(endStep(held, 'task-1', NOW + 9, DEFAULT_POLICY)).toBe(held);
  });

  it('does not exist under the strict policy, yet the intent records that money may be moving', () => {
    const strict = { ...DEFAULT_POLICY, expiry: 'strict' as const };
    const begun = beginPurchase(session(), newIntent(), NOW, strict);
    expect(begun.session.heldSince).toBeNull();
    expect(mayBeMoving(begun.intent)).toBe(true);
  });
});

describe('an expired action', () => {
  it('expires when its 30 minutes are over', () => {
    const { intent } = asked(KYC);
    expect(hasLapsed(intent, NOW + 30 * 60_000)).toBe(false);
    expect(hasLapsed(intent, NOW + 30 * 60_000 + 1)).toBe(true);
  });

  it('waits for a pending step', () => {
    expect(hasLapsed({ ...asked(KYC).intent, stepTaskId: 'task-2' }, NOW + 60 * 60_000)).toBe(false);
  });

  it('never applies to an intent without a required action', () => {
    expect(hasLapsed(purchase().intent, NOW + 1e9)).toBe(false);
  });

  it.each<[NextAction | null, string, string]>([
    [KYC, 'kyc_abandoned', 'kyc'],
    [{ type: 'payment_authentication', challenge: 'otp', destination: '••42' }, 'payment_expired', 'payment'],
    [
      { type: 'crypto_deposit', address: 'a', memo: null, network: 'base', asset: 'USDC', amount: '1', expiresAt: NOW },
      'deposit_not_received',
      'deposit',
    ],
    [null, 'payment_expired', 'payment'],
  ])('is called by what was asked: %j', (action, code, stage) => {
    expect(lapseFailure(action)).toMatchObject({ code, stage, retryable: true });
  });
});

describe('ranks and stages', () => {
  it('order the statuses: pending, processing, failed, completed, refunded, charged_back', () => {
    const ordered = [...TRANSACTION_STATUSES].sort((one, other) => rank(one) - rank(other));
    expect(ordered).toEqual(['pending', 'processing', 'failed', 'completed', 'refunded', 'charged_back']);
    expect(new Set(TRANSACTION_STATUSES.map(rank)).size).toBe(TRANSACTION_STATUSES.length);
  });

  it('depend on the flow', () => {
    expect(FLOWS.map(stagesOf)).toEqual([
      ['kyc', 'screening', 'payment', 'conversion', 'delivery'],
      ['kyc', 'screening', 'deposit', 'conversion', 'payout'],
      ['kyc', 'screening', 'deposit', 'conversion', 'delivery'],
    ]);
  });
});
