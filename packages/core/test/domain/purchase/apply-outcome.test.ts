import { describe, expect, it } from 'vitest';
import { DEFAULT_POLICY, type Policy } from '../../../src/domain/policy.js';
import { applyOutcome } from '../../../src/domain/purchase/apply-outcome.js';
import { NO_DETAILS, type Outcome } from '../../../src/domain/purchase/outcome.js';
import { endIntent, failIntent } from '../../../src/domain/purchase/end-intent.js';
import { beginStep, endStep } from '../../../src/domain/purchase/begin-purchase.js';
import { cancel, expireIfDue } from '../../../src/domain/session/session.js';
import { NOW, parsed, purchase } from '../builders.js';
import {
  answered,
  COMPLETED,
  hear,
  heard,
  KYC,
  LATER,
  OTP,
  OUTCOMES,
  PROCESSING,
  announced,
  UPDATED,
  withIntentAt,
  withSessionAt,
} from './updates.js';

describe('success', () => {
  it('completes the session with the tx_refid and announces processing before completed', () => {
    const step = hear(purchase(), 'succeeded');
    expect(announced(step)).toEqual([PROCESSING, COMPLETED]);
    expect(parsed(step?.announcements[0]?.data ?? '')).toMatchObject({
      status: 'open',
      intent_id: 'aaaaaaaaaaaaaaaaaaaaaaaa',
    });
    expect(parsed(step?.announcements[1]?.data ?? '')).toMatchObject({
      status: 'completed',
      tx_refid: 'gtx_aaaaaaaaaaaaaaaaaaaa',
    });
    expect(step?.purchase.session).toMatchObject({
      txRefid: 'gtx_aaaaaaaaaaaaaaaaaaaa',
      intentId: null,
      heldSince: null,
    });
    expect(step?.purchase.transaction).toMatchObject({ completedAt: LATER, failure: null, settledAfterClose: false });
    expect(step?.purchase.transaction.stages.every(({ status }) => status === 'completed')).toBe(true);
  });

  it.each(['failed', 'cancelled'] as const)(
    'that comes after the intent had %s completes an open session',
    (intent) => {
      const step = hear(withIntentAt(intent), 'succeeded');
      expect(announced(step)).toEqual([COMPLETED]);
      expect(step?.purchase.intent).toMatchObject({ status: 'succeeded', failure: null });
      expect(step?.purchase.transaction).toMatchObject({
        status: 'completed',
        failure: null,
        settledAfterClose: false,
      });
    },
  );

  it('after the session was cancelled changes only the transaction, raises an alarm and emits transaction.updated', () => {
    const ended = endIntent(heard(purchase(), 'otp'), NOW);
    const before = { ...ended, session: cancel(ended.session)._unsafeUnwrap().session };
    const step = hear(before, 'succeeded');
    expect(step?.alarms).toEqual(['settled_after_close']);
    expect(announced(step)).toEqual([UPDATED]);
    expect(parsed(step?.announcements[0]?.data ?? '')).toMatchObject({
      object: 'transaction',
      status: 'completed',
      settled_after_close: true,
    });
    const { sequence: _moved, ...session } = before.session;
    expect(step?.purchase.session).toMatchObject(session);
    expect(step?.purchase.intent).toEqual(before.intent);
  });

  it('after the session expired does the same', () => {
    const ended = endIntent(heard(purchase(), 'otp'), NOW);
    const expired = expireIfDue(ended.session, ended.session.expiresAt + 1);
    if (expired === null) throw new Error('The session was due.');
    const step = hear({ ...ended, session: expired.session }, 'succeeded', ended.session.expiresAt + 2);
    expect(step?.alarms).toEqual(['settled_after_close']);
    expect(step?.purchase.session.status).toBe('expired');
    expect(step?.purchase.transaction.settledAfterClose).toBe(true);
  });

  it('of a second intent, live when a late success of the first completed the session, never completes it again', () => {
    const first = heard(purchase(), 'failed');
    const second = purchase({
      session: first.session,
      intent: { id: 'b'.repeat(24), txRefid: 'gtx_b', operationId: 'op-2' },
    });
    const completed = hear({ ...first, session: second.session }, 'succeeded');
    const session = completed?.purchase.session;
    if (session === undefined) throw new Error('The late success completed the session.');
    expect(session).toMatchObject({ status: 'completed', txRefid: 'gtx_aaaaaaaaaaaaaaaaaaaa' });
    const step = hear({ ...second, session }, 'succeeded');
    expect(announced(step)).toEqual([UPDATED]);
    expect(step?.alarms).toEqual(['second_settlement']);
    expect(step?.purchase.session).toMatchObject({
      status: 'completed',
      txRefid: 'gtx_aaaaaaaaaaaaaaaaaaaa',
      heldSince: null,
    });
  });

  it('keeps the times at which earlier stages were completed', () => {
    const processing = hear(purchase(), 'processing', NOW + 1);
    const done = processing && hear(processing.purchase, 'succeeded', NOW + 9)?.purchase.transaction.stages;
    expect(done?.map(({ type, updatedAt }) => [type, updatedAt - NOW])).toEqual([
      ['kyc', 1],
      ['screening', 1],
      ['payment', 9],
      ['conversion', 9],
      ['delivery', 9],
    ]);
  });
});

describe('processing', () => {
  it('holds the session from its first step until the intent ends', () => {
    const step = hear(purchase(), 'processing');
    expect(step?.purchase.session.heldSince).toBe(NOW);
    expect(step?.purchase.intent).toMatchObject({ nextAction: null, expiresAt: null });
    for (const end of ['succeeded', 'failed', 'cancelled', 'refunded', 'charged_back'] as const) {
      expect(step && hear(step.purchase, end)?.purchase.session.heldSince).toBeNull();
    }
  });

  it('holds nothing under the strict policy', () => {
    const strict: Policy = { ...DEFAULT_POLICY, expiry: 'strict' };
    const step = hear(purchase(), 'processing', LATER, NO_DETAILS, strict);
    expect(announced(step)).toEqual([PROCESSING]);
    expect(step?.purchase.session.heldSince).toBeNull();
  });

  it('never holds a closed session', () => {
    expect(hear(withSessionAt(purchase(), 'completed'), 'processing')?.purchase.session.heldSince).toBeNull();
  });

  it('of an earlier stage, received late, undoes nothing', () => {
    const conversion = applyOutcome(
      purchase(),
      { outcome: { kind: 'processing', stage: 'conversion' }, details: NO_DETAILS },
      { now: LATER, policy: DEFAULT_POLICY },
    );
    expect(conversion && hear(conversion.purchase, 'processing')).toBeNull();
  });

  it('of a later stage advances and is not announced again', () => {
    const payment = heard(purchase(), 'processing');
    const step = applyOutcome(
      payment,
      { outcome: { kind: 'processing', stage: 'delivery' }, details: NO_DETAILS },
      { now: LATER, policy: DEFAULT_POLICY },
    );
    expect(announced(step)).toEqual([]);
    expect(step?.purchase.transaction.stages.map(({ status }) => status)).toEqual([
      'completed',
      'completed',
      'completed',
      'completed',
      'processing',
    ]);
  });
});

describe('a required action', () => {
  it('of a processing intent is shown if the provider was asked after the last change, and ignored in a late report', () => {
    const processing = heard(purchase(), 'processing');
    const outcome: Outcome = { kind: 'requires_action', nextAction: OTP };
    expect(
      applyOutcome(processing, { outcome, details: NO_DETAILS }, { now: LATER, policy: DEFAULT_POLICY }),
    ).toBeNull();
    const current = { isCurrent: true };
    const asked = applyOutcome(
      processing,
      { outcome, details: NO_DETAILS },
      { now: LATER, policy: DEFAULT_POLICY, ...current },
    );
    expect(asked?.purchase.intent).toMatchObject({ status: 'requires_action', nextAction: OTP });
    expect(asked?.purchase.intent.expiresAt).not.toBeNull();
    expect(asked?.purchase.session.heldSince).toBeNull();
    // Processing was announced before.
    const again = asked && hear(asked.purchase, 'processing');
    expect(again?.purchase.intent.status).toBe('processing');
    expect(announced(again)).toEqual([]);
    expect(announced(asked && hear(asked.purchase, 'succeeded'))).toEqual([COMPLETED]);
  });

  it('expires 30 minutes after it was first required, however often it is repeated', () => {
    const asked = hear(purchase(), 'otp', NOW);
    expect(asked?.purchase.intent).toMatchObject({
      status: 'requires_action',
      nextAction: OTP,
      expiresAt: NOW + 30 * 60_000,
    });
    const answering = asked && beginStep(answered(asked.purchase), 'task-2', LATER, DEFAULT_POLICY);
    const again = answering && hear(answering, 'otp', NOW + 29 * 60_000);
    // An update from elsewhere does not end the step.
    expect(again).toBeNull();
    expect(answering && endStep(answering, 'task-2', LATER, DEFAULT_POLICY).intent).toMatchObject({
      stepTaskId: null,
      expiresAt: NOW + 30 * 60_000,
    });
  });

  it('that is a new one has its own 30 minutes', () => {
    const asked = hear(purchase(), 'kyc', NOW);
    expect(asked && hear(asked.purchase, 'otp', NOW + 60_000)?.purchase.intent.expiresAt).toBe(NOW + 31 * 60_000);
  });

  it('does not hold the session after the step that returned it', () => {
    expect(heard(purchase(), 'otp').session.heldSince).toBeNull();
    expect(hear(purchase(), 'otp')?.purchase.session.heldSince).toBe(NOW);
  });
});

describe('kyc.required', () => {
  it('has exactly the contract’s payload', () => {
    const step = hear(purchase({ session: { userReference: 'user-7' } }), 'kyc', NOW);
    expect(parsed(step?.announcements[0]?.data ?? '')).toStrictEqual({
      object: 'kyc_requirement',
      session_id: '0123456789abcdef01234567',
      partner_id: '65f0c0ffee65f0c0ffee0001',
      mode: 'test',
      intent_id: 'aaaaaaaaaaaaaaaaaaaaaaaa',
      level: 'basic',
      reasons: ['amount'],
      user_reference: 'user-7',
      expires_at: '2026-03-10T12:30:00.000Z',
    });
  });

  it('is announced only when the intent first enters KYC, not when more is requested', () => {
    const first = heard(purchase(), 'kyc');
    const more: Outcome = { kind: 'requires_action', nextAction: { ...KYC, fields: ['document_number'] } };
    const step = applyOutcome(first, { outcome: more, details: NO_DETAILS }, { now: LATER, policy: DEFAULT_POLICY });
    expect(announced(step)).toEqual([]);
    expect(step?.purchase.intent.nextAction).toEqual(more.nextAction);
  });
});

describe('failure', () => {
  it('leaves the session open for another attempt, with the reason', () => {
    const step = hear(heard(purchase(), 'processing'), 'failed');
    expect(step?.purchase.session).toMatchObject({ status: 'open', intentId: null, heldSince: null, attempts: 1 });
    expect(step?.announcements).toHaveLength(1);
    expect(parsed(step?.announcements[0]?.data ?? '')).toMatchObject({
      object: 'gate_session',
      status: 'open',
      intent_id: 'aaaaaaaaaaaaaaaaaaaaaaaa',
      failure: {
        code: 'payment_declined',
        stage: 'payment',
        message: 'Declined.',
        retryable: true,
        occurred_at: '2026-03-10T12:01:00.000Z',
      },
      attempt: 1,
    });
    expect(step?.purchase.transaction.stages.map(({ status }) => status)).toEqual([
      'completed',
      'completed',
      'failed',
      'pending',
      'pending',
    ]);
  });

  it('of an ended intent does not affect the live intent', () => {
    const first = heard(purchase(), 'failed');
    const second = purchase({ session: first.session, intent: { id: 'b'.repeat(24) } });
    expect(hear({ ...first, session: second.session }, 'refunded')?.purchase.session).toMatchObject({
      status: 'open',
      intentId: 'b'.repeat(24),
    });
  });

  it('leaves no later stage in processing', () => {
    const delivering = applyOutcome(
      purchase(),
      { outcome: { kind: 'processing', stage: 'delivery' }, details: NO_DETAILS },
      { now: LATER, policy: DEFAULT_POLICY },
    );
    const stages = delivering && hear(delivering.purchase, 'failed')?.purchase.transaction.stages;
    expect(stages?.map(({ status }) => status)).toEqual(['completed', 'completed', 'failed', 'completed', 'pending']);
  });

  it('in a stage that the flow does not have is recorded at the current stage', () => {
    const swap = purchase({
      intent: {
        attempt: {
          flow: 'swap',
          amount: '1',
          currency: 'EUR',
          targetToken: null,
          targetNetwork: null,
          walletAddress: null,
        },
      },
    });
    expect(hear(swap, 'failed')?.purchase.transaction.stages[0]).toMatchObject({
      type: 'kyc',
      status: 'failed',
      failureCode: 'payment_declined',
    });
  });
});

it('an expired action of a closed session is not announced', () => {
  const step = failIntent(withSessionAt(withIntentAt('requires_action'), 'completed'), OUTCOMES.failed.failure, LATER);
  expect(announced(step)).toEqual([]);
  expect(step.purchase.intent.status).toBe('failed');
});
