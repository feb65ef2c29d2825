import { describe, expect, it } from 'vitest';
import { FLOWS, type Flow } from '@gateramp/core/domain';
import type { Scenario } from '@gateramp/extensions/sandbox';
import { sandboxProvider } from '../src/index.js';
import { at, intent, NOW, SANCTIONED, start, startWithCard, SWAP } from './builders.js';

type Sandbox = ReturnType<typeof sandboxProvider>;

/** Starts an operation with the scenario's test details and answers every action, like a test helper. */
async function play(provider: Sandbox, scenario: Scenario, flow: Flow, amount = '100.00') {
  const { paymentDetails, payoutDetails, ...terms } = provider.control.details(scenario, flow, 'EUR');
  const subject = intent({ flow, amount, ...terms });
  let answer = await provider.start({
    ...at(0),
    intent: subject,
    rails: null,
    kycPreVerified: false,
    returnUrl: null,
    paymentDetails,
    payoutDetails,
  });
  const asked: string[] = [];
  while (answer.outcome.kind === 'requires_action') {
    const { type } = answer.outcome.nextAction;
    asked.push(type);
    if (type === 'bank_transfer') throw new Error('The test details never ask for a bank transfer.');
    if (scenario === 'abandon' || scenario === 'late_settlement') break;
    answer = await provider.confirm({
      ...at(0),
      intent: subject,
      confirmation: provider.control.confirmation(scenario, type),
    });
  }
  return { asked, outcome: answer.outcome };
}

describe.each(FLOWS)('test details of %s', (flow) => {
  const deposit = flow === 'on_ramp' ? [] : ['crypto_deposit'];

  it('succeed, also for an amount that would require KYC', async () => {
    const provider = sandboxProvider();
    await provider.control.plan('op_1', 'succeed', NOW);
    expect(await provider.lookup(at(0))).toBeNull();
    expect(await play(provider, 'succeed', flow, '14.50')).toMatchObject({
      asked: deposit,
      outcome: { kind: 'processing' },
    });
    expect((await provider.lookup(at(60_000)))?.outcome.kind).toBe('succeeded');
  });

  it('decline at once', async () => {
    const provider = sandboxProvider();
    await provider.control.plan('op_1', 'decline', NOW);
    expect(await play(provider, 'decline', flow)).toMatchObject({
      asked: [],
      outcome: { kind: 'failed', failure: { code: 'payment_declined' } },
    });
  });

  it('require KYC, and are rejected in kyc_rejected', async () => {
    const accepting = sandboxProvider();
    await accepting.control.plan('op_1', 'kyc_required', NOW);
    expect(await play(accepting, 'kyc_required', flow)).toMatchObject({
      asked: ['kyc', ...deposit],
      outcome: { kind: 'processing' },
    });
    const rejecting = sandboxProvider();
    await rejecting.control.plan('op_1', 'kyc_required', NOW);
    expect(await play(rejecting, 'kyc_rejected', flow)).toMatchObject({
      asked: ['kyc'],
      outcome: { kind: 'failed', failure: { code: 'kyc_rejected' } },
    });
  });

  it('park in processing until a later plan', async () => {
    const provider = sandboxProvider();
    await provider.control.plan('op_1', 'park', NOW);
    await play(provider, 'processing', flow);
    const day = 86_400_000;
    expect(await provider.lookup(at(day))).toMatchObject({ outcome: { kind: 'processing' }, checkAfterMs: null });
    await provider.control.plan('op_1', 'succeed', NOW + day);
    expect((await provider.lookup(at(day + 60_000)))?.outcome.kind).toBe('succeeded');
  });

  it('fail in processing with settlement_error', async () => {
    const provider = sandboxProvider();
    await provider.control.plan('op_1', 'settlement_error', NOW);
    expect((await play(provider, 'settlement_error', flow)).outcome.kind).toBe('processing');
    expect((await provider.lookup(at(60_000)))?.outcome).toMatchObject({
      kind: 'failed',
      failure: { code: 'settlement_error' },
    });
  });

  it('settle late: success after a cancel', async () => {
    const provider = sandboxProvider();
    expect((await play(provider, 'late_settlement', flow)).outcome.kind).toBe('requires_action');
    expect((await provider.cancel(at(1_000))).outcome.kind).toBe('cancelled');
    await provider.control.settle('op_1', 'succeeded', NOW + 2_000);
    expect(await provider.lookup(at(2_000))).toMatchObject({
      outcome: { kind: 'succeeded' },
      details: { txHash: expect.any(String) },
    });
  });

  it('abandon at their first required action', async () => {
    expect((await play(sandboxProvider(), 'abandon', flow)).asked).toHaveLength(1);
  });
});

it('test details pay out to the kind of account that the currency needs', () => {
  const { control } = sandboxProvider();
  expect(control.details('succeed', 'off_ramp', 'USD').payoutDetails?.type).toBe('ach');
  expect(control.details('succeed', 'off_ramp', 'EUR').payoutDetails?.type).toBe('iban');
  expect(control.details('succeed', 'on_ramp', 'USD').payoutDetails).toBeNull();
});

describe('a plan', () => {
  it('overrides the card of an operation that has not started', async () => {
    const provider = sandboxProvider();
    await provider.control.plan('op_1', 'succeed', NOW);
    expect((await provider.start(startWithCard('4000000000000002'))).outcome.kind).toBe('processing');
  });

  it('never overrides sanctions', async () => {
    const provider = sandboxProvider();
    await provider.control.plan('op_1', 'succeed', NOW);
    expect((await provider.start(start({ walletAddress: SANCTIONED }))).outcome).toMatchObject({
      failure: { code: 'sanctions_blocked' },
    });
  });

  it('bends an operation that waits for an action', async () => {
    const provider = sandboxProvider();
    const order = start({ ...SWAP, amount: '14.50' });
    await provider.start(order);
    await provider.control.plan('op_1', 'decline', NOW);
    const answer = await provider.confirm({
      ...at(0),
      intent: order.intent,
      confirmation: provider.control.confirmation('succeed', 'kyc'),
    });
    expect(answer.outcome).toMatchObject({ kind: 'failed', failure: { code: 'payment_declined' } });
  });

  it('leaves an operation that has ended as it ended', async () => {
    const provider = sandboxProvider();
    await provider.start(start());
    await provider.control.plan('op_1', 'settlement_error', NOW + 5_000);
    expect((await provider.lookup(at(120_000)))?.outcome.kind).toBe('succeeded');
  });
});

it('settle ends a parked operation at once, and refuses one that was never started', async () => {
  const provider = sandboxProvider();
  await provider.control.plan('op_1', 'park', NOW);
  await expect(provider.control.settle('op_1', 'succeeded', NOW)).rejects.toThrow('started');
  await provider.start(start());
  await provider.control.settle('op_1', 'succeeded', NOW + 1_000);
  expect((await provider.lookup(at(1_000)))?.outcome).toEqual({ kind: 'succeeded' });
});

it('settle fails an operation as it was planned to fail', async () => {
  const provider = sandboxProvider();
  await provider.start(start());
  await provider.control.plan('op_1', 'decline', NOW + 1_000);
  await provider.control.settle('op_1', 'failed', NOW + 1_000);
  expect((await provider.lookup(at(1_000)))?.outcome).toMatchObject({
    kind: 'failed',
    failure: { code: 'payment_declined' },
  });
});
