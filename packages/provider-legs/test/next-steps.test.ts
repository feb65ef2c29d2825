import { NO_DETAILS, type NextAction } from '@gateramp/core/domain';
import { describe, expect, it } from 'vitest';
import { STEPS, type Operation, type State, type Step } from '@gateramp/provider-legs';
import { DEFAULT_POLICY } from '../../core/src/domain/policy.js';
import { applyOutcome } from '../../core/src/domain/purchase/apply-outcome.js';
import type { IntentStatus } from '../../core/src/domain/intent/intent.js';
import type { SessionPurchase } from '../../core/src/domain/purchase/purchase.js';
import { purchase, withIntent } from '../../core/test/domain/builders.js';
import { answerOf } from '../src/answer.js';
import { dueAfter } from '../src/drive.js';
import { START } from './world.js';

const EXPIRES = { expiresAt: START + 30 * 60_000 };
const AMOUNT = { amount: '1', network: 'base', asset: 'USDC' };

/** What an operation asks its buyer for, at the step where it does. */
const ACTIONS: Readonly<Record<'authorize' | 'identify' | 'deposit', readonly NextAction[]>> = {
  authorize: [
    { type: 'payment_authentication', challenge: 'otp', destination: '••42' },
    { type: 'redirect', url: 'https://bank.example/3d', ...EXPIRES },
    { type: 'provider_component', provider: 'legs', publicKey: 'pk', clientSecret: 'secret', ...EXPIRES },
    {
      type: 'bank_transfer',
      iban: 'DE02',
      bic: 'B',
      accountHolder: 'A',
      reference: 'R',
      amount: '1',
      currency: 'EUR',
      ...EXPIRES,
    },
  ],
  identify: [
    { type: 'kyc', level: 'basic', fields: ['first_name'] },
    { type: 'redirect', url: 'https://identity.example/check', ...EXPIRES },
  ],
  deposit: [
    {
      type: 'crypto_deposit',
      address: '0x52908400098527886E0F7030069857D2E4169EE7',
      memo: null,
      ...AMOUNT,
      ...EXPIRES,
    },
  ],
};

const UNDO: readonly Step[] = ['void', 'refund', 'return'];
const FLOWS = ['on_ramp', 'off_ramp', 'swap'] as const;
type Flow = (typeof FLOWS)[number];

/** All states of an operation of the flow. */
function statesOf(flow: Flow): readonly State[] {
  const steps: readonly Step[] = [...STEPS[flow], ...UNDO];
  const endings = ['succeeded', 'failed', 'cancelled', 'refunded', 'charged_back'] as const;
  return [
    ...steps.map((step) => ({ kind: 'calling', step }) as const),
    ...STEPS[flow].flatMap((step) =>
      step === 'authorize' || step === 'identify' || step === 'deposit'
        ? ACTIONS[step].map((action) => ({ kind: 'awaiting', step, action }) as const)
        : [],
    ),
    ...UNDO.map((step) => ({ kind: 'stuck', step, reason: 'error' }) as const),
    ...endings.map((as) => ({ kind: 'ended', as }) as const),
  ];
}

function operation(flow: Flow, state: State): Operation {
  return {
    operationId: 'op-1',
    mode: 'test',
    partnerId: 'partner1',
    flow,
    method: 'card',
    countryCode: null,
    walletAddress: null,
    refundAddress: null,
    price: null,
    isVerified: true,
    state,
    tries: 0,
    failure: { code: 'error', stage: 'payment', message: 'It failed.', retryable: true },
    endsAs: 'failed',
    disputes: [],
    resolution: null,
    onChain: null,
    credited: [],
    returns: [],
    refunds: [],
    createdAt: START,
    updatedAt: START,
  };
}

const STATUSES: readonly IntentStatus[] = [
  'created',
  'requires_action',
  'processing',
  'succeeded',
  'failed',
  'cancelled',
];

/** A purchase whose intent has the status, as it is stored when the provider is asked. */
function purchaseIn(flow: Flow, status: IntentStatus): SessionPurchase {
  const base = withIntent(purchase(), { flow, status, stepTaskId: null });
  const action = ACTIONS.authorize[0] ?? null;
  if (status === 'requires_action') return withIntent(base, { nextAction: action, expiresAt: START + 60_000 });
  const isMoving = status === 'processing';
  const money = { created: 'pending', processing: 'processing', succeeded: 'completed' } as const;
  const transaction = status in money ? money[status as keyof typeof money] : 'failed';
  return { ...base, transaction: { ...base.transaction, status: isMoving ? 'processing' : transaction } };
}

/** What happens next for the buyer; null if nothing does. */
function nextStep({ intent, transaction }: SessionPurchase, { state }: Operation, checkAfterMs: number | null) {
  if (intent.status === 'requires_action')
    return intent.nextAction !== null && intent.expiresAt !== null ? 'the buyer acts, or the action expires' : null;
  if (intent.status !== 'processing' && intent.status !== 'created')
    return checkAfterMs === null || transaction.status !== 'pending' ? 'it has ended' : null;
  if (state.kind === 'stuck') return 'an operator decides, after an alarm';
  return checkAfterMs === null ? null : 'the provider is asked again';
}

describe('whatever the state of an operation and of its intent', () => {
  for (const flow of FLOWS)
    it(`${flow}: something happens next, and no buyer waits for an operation that waits for them`, () => {
      let pairs = 0;
      for (const state of statesOf(flow))
        for (const status of STATUSES) {
          pairs += 1;
          const hint = `${JSON.stringify(state)} × ${status}`;
          const given = operation(flow, state);
          const answer = answerOf(given, dueAfter(given, null, START), START);
          const before = purchaseIn(flow, status);
          const source = { isCurrent: true };
          const step = applyOutcome(
            before,
            { outcome: answer.outcome, details: NO_DETAILS },
            { now: START, policy: DEFAULT_POLICY, ...source },
          );
          const after = step?.purchase ?? before;
          expect(nextStep(after, given, answer.checkAfterMs), hint).not.toBeNull();
          const isLive = ['created', 'requires_action', 'processing'].includes(status);
          if (!isLive) continue;
          // The intent says what the operation does.
          const expected = { calling: 'processing', stuck: 'processing', awaiting: 'requires_action' } as const;
          if (state.kind !== 'ended') expect(after.intent.status, hint).toBe(expected[state.kind]);
          else expect(['succeeded', 'failed', 'cancelled'], hint).toContain(after.intent.status);
        }
      expect(pairs).toBeGreaterThan(120);
    });
});
