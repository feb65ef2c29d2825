import { describe, expect, it } from 'vitest';
import type { Confirmation } from '@gateramp/core/ports';
import { memorySandboxLedger, SANDBOX_CARDS, sandboxProvider } from '../src/index.js';
import { at, KYC, NOW, OFF_RAMP, start, startWithCard, SWAP } from './builders.js';

const kyc: Confirmation = { action: 'kyc', kyc: KYC };

describe('start', () => {
  it.each([
    ['a payment', start()],
    ['a declined card', startWithCard(SANDBOX_CARDS.declines)],
    ['a deposit', start(SWAP)],
  ])('is idempotent on operationId for %s', async (_name, order) => {
    const provider = sandboxProvider();
    const first = await provider.start(order);
    expect(await provider.start(order)).toEqual(first);
    expect(await Promise.all([provider.start(order), provider.start(order)])).toEqual([first, first]);
  });

  it('goes by the first order, whatever a repeat carries', async () => {
    const provider = sandboxProvider();
    await provider.start(start());
    expect((await provider.start({ ...startWithCard(SANDBOX_CARDS.declines), now: NOW + 5_000 })).outcome.kind).toBe(
      'succeeded',
    );
  });

  it('survives the process: another provider on the same ledger answers alike', async () => {
    const ledger = memorySandboxLedger();
    await sandboxProvider({ ledger }).start(start());
    expect((await sandboxProvider({ ledger }).lookup(at(5_000)))?.outcome.kind).toBe('succeeded');
  });

  it('keeps test and live apart', async () => {
    const provider = sandboxProvider();
    await provider.start(start());
    await expect(provider.lookup({ ...at(0), mode: 'live' })).rejects.toThrow('test mode');
  });
});

describe('confirm', () => {
  it('answers the present state when the action is already past', async () => {
    const provider = sandboxProvider();
    const order = start({ ...SWAP, amount: '14.50' });
    await provider.start(order);
    const first = await provider.confirm({ ...at(1_000), intent: order.intent, confirmation: kyc });
    expect(await provider.confirm({ ...at(1_000), intent: order.intent, confirmation: kyc })).toEqual(first);
    await provider.confirm({ ...at(2_000), intent: order.intent, confirmation: { action: 'crypto_deposit' } });
    expect((await provider.confirm({ ...at(3_000), intent: order.intent, confirmation: kyc })).checkAfterMs).toBe(
      9_000,
    );
    expect(
      (await provider.confirm({ ...at(22_000), intent: order.intent, confirmation: { action: 'crypto_deposit' } }))
        .outcome.kind,
    ).toBe('succeeded');
  });

  it('does not skip the action that is awaited', async () => {
    const provider = sandboxProvider();
    const order = start({ ...SWAP, amount: '14.50' });
    await provider.start(order);
    const answer = await provider.confirm({
      ...at(0),
      intent: order.intent,
      confirmation: { action: 'crypto_deposit' },
    });
    expect(answer.outcome).toMatchObject({ kind: 'requires_action', nextAction: { type: 'kyc' } });
  });

  it('gives a second code no chance after a wrong one', async () => {
    const provider = sandboxProvider();
    const order = startWithCard(SANDBOX_CARDS.needsAuthentication);
    await provider.start(order);
    await provider.confirm({
      ...at(0),
      intent: order.intent,
      confirmation: { action: 'payment_authentication', code: '123456' },
    });
    const again = await provider.confirm({
      ...at(0),
      intent: order.intent,
      confirmation: { action: 'payment_authentication', code: '000000' },
    });
    expect(again.outcome).toMatchObject({ kind: 'failed', failure: { code: 'payment_authentication_failed' } });
  });

  it('sends another code, which moves no money', async () => {
    const provider = sandboxProvider();
    const order = startWithCard(SANDBOX_CARDS.needsAuthentication);
    await provider.start(order);
    const again = await provider.confirm({
      ...at(31_000),
      intent: order.intent,
      confirmation: { action: 'send_code' },
    });
    expect(again.outcome).toEqual({
      kind: 'requires_action',
      nextAction: { type: 'payment_authentication', challenge: 'otp', destination: '••42', resendAt: NOW + 61_000 },
    });
    expect((await provider.lookup(at(31_000)))?.outcome).toEqual(again.outcome);
  });

  it('throws for an operation that was never started', async () => {
    await expect(sandboxProvider().confirm({ ...at(0), intent: start().intent, confirmation: kyc })).rejects.toThrow(
      'started',
    );
  });
});

describe('cancel', () => {
  it('closes an operation never seen, and a later start refuses', async () => {
    const provider = sandboxProvider();
    expect((await provider.cancel(at(0))).outcome).toEqual({ kind: 'cancelled' });
    expect((await provider.start(start())).outcome).toEqual({ kind: 'cancelled' });
    expect((await provider.lookup(at(60_000)))?.outcome).toEqual({ kind: 'cancelled' });
  });

  it('closes an operation that waits for an action, and a later confirm moves nothing', async () => {
    const ledger = memorySandboxLedger();
    const provider = sandboxProvider({ ledger });
    const order = start(OFF_RAMP);
    await provider.start(order);
    expect((await provider.cancel(at(1_000))).outcome).toEqual({ kind: 'cancelled' });
    const confirmed = await provider.confirm({
      ...at(2_000),
      intent: order.intent,
      confirmation: { action: 'crypto_deposit' },
    });
    expect(confirmed.outcome).toEqual({ kind: 'cancelled' });
    expect(await ledger.effects('op_1', NOW + 60_000)).toEqual([]);
  });

  it('answers with the current state when money has moved', async () => {
    const provider = sandboxProvider();
    await provider.start(start());
    expect((await provider.cancel(at(1_000))).outcome.kind).toBe('processing');
    expect((await provider.cancel(at(5_000))).outcome.kind).toBe('succeeded');
  });

  it('racing a start, exactly one of them wins', async () => {
    const provider = sandboxProvider();
    const [started, cancelled] = await Promise.all([provider.start(start()), provider.cancel(at(0))]);
    expect(started.outcome.kind).toBe(cancelled.outcome.kind);
  });
});

describe('lookup', () => {
  it('answers null for an operation never seen', async () => {
    expect(await sandboxProvider().lookup(at(0))).toBeNull();
  });

  it('never changes anything', async () => {
    const ledger = memorySandboxLedger();
    const provider = sandboxProvider({ ledger });
    await provider.start(startWithCard(SANDBOX_CARDS.chargedBack));
    const before = await ledger.read('op_1');
    await provider.lookup(at(3_600_000));
    expect(await ledger.read('op_1')).toEqual(before);
    expect((await provider.lookup(at(0)))?.outcome.kind).toBe('processing');
  });
});

it('refuses a settle delay beyond a minute', () => {
  expect(() => sandboxProvider({ settleDelays: { card: 60_001 } })).toThrow('60000');
});
