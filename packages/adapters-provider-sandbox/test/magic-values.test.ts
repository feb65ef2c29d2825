import { describe, expect, it } from 'vitest';
import {
  memorySandboxLedger,
  SANDBOX_ACCOUNT,
  SANDBOX_ACH,
  SANDBOX_CARDS,
  SANDBOX_CONFIRMATIONS,
  SANDBOX_IBANS,
  SANDBOX_OTP_CODE,
  sandboxProvider,
  TRANSFER_WITHIN_MS,
} from '../src/index.js';
import { at, card, KYC, NOW, OFF_RAMP, SANCTIONED, start, startWithCard, SWAP } from './builders.js';

const failed = (code: string, retryable: boolean, stage: string) => ({
  outcome: { kind: 'failed', failure: expect.objectContaining({ code, retryable, stage }) },
  checkAfterMs: null,
});

function ach(accountNumber: string) {
  return { type: 'ach', routingNumber: SANDBOX_ACH.routing, accountNumber, accountHolder: 'Ada Byron' } as const;
}

describe('test cards', () => {
  it('card 4242424242424242 succeeds', async () => {
    const provider = sandboxProvider();
    expect(await provider.start(startWithCard('4242 4242 4242 4242'))).toMatchObject({
      outcome: { kind: 'processing', stage: 'conversion' },
      checkAfterMs: 2_500,
    });
    expect(await provider.lookup(at(4_999))).toMatchObject({
      outcome: { kind: 'processing', stage: 'delivery' },
      checkAfterMs: 1,
    });
    expect(await provider.lookup(at(5_000))).toEqual({
      outcome: { kind: 'succeeded' },
      checkAfterMs: null,
      details: {
        source: { amount: '100.00', currency: 'EUR', network: null },
        destination: { amount: '107.554347', currency: 'USDC', network: 'base' },
        exchangeRate: '1.08695652173913043',
        fees: [
          { type: 'service', amount: '1.00', currency: 'EUR' },
          { type: 'network', amount: '0.05', currency: 'EUR' },
        ],
        feeTotal: '1.05',
        txHash: expect.stringMatching(/^0x[0-9a-f]{64}$/),
        txUrl: expect.stringMatching(/^https:\/\/explorer.example\/tx\/0x[0-9a-f]{64}$/),
        confirmations: { seen: SANDBOX_CONFIRMATIONS, required: SANDBOX_CONFIRMATIONS },
      },
    });
  });

  it('card 4000000000000002 declines at once', async () => {
    expect(await sandboxProvider().start(startWithCard('4000000000000002'))).toMatchObject(
      failed('payment_declined', true, 'payment'),
    );
  });

  it('card 4000000000009995 has insufficient funds at once', async () => {
    expect(await sandboxProvider().start(startWithCard('4000000000009995'))).toMatchObject(
      failed('insufficient_funds', true, 'payment'),
    );
  });

  it('card 4000000000003220 needs authentication, and code 000000 goes on', async () => {
    const provider = sandboxProvider();
    const order = startWithCard('4000000000003220');
    expect((await provider.start(order)).outcome).toEqual({
      kind: 'requires_action',
      nextAction: { type: 'payment_authentication', challenge: 'otp', destination: '••42', resendAt: NOW + 30_000 },
    });
    const confirmed = await provider.confirm({
      ...at(1_000),
      intent: order.intent,
      confirmation: { action: 'payment_authentication', code: SANDBOX_OTP_CODE },
    });
    expect(confirmed).toMatchObject({ outcome: { kind: 'processing' }, checkAfterMs: 2_500 });
  });

  it('card 4000000000003220 fails with any other code', async () => {
    const provider = sandboxProvider();
    const order = startWithCard('4000000000003220');
    await provider.start(order);
    const confirmed = await provider.confirm({
      ...at(1_000),
      intent: order.intent,
      confirmation: { action: 'payment_authentication', code: '000001' },
    });
    expect(confirmed).toMatchObject(failed('payment_authentication_failed', true, 'payment'));
  });

  it.each([
    ['4000000000000259', 'charged_back'],
    ['4000000000005126', 'refunded'],
  ])('card %s succeeds and is later %s', async (number, kind) => {
    const provider = sandboxProvider();
    await provider.start(startWithCard(number));
    expect(await provider.lookup(at(5_000))).toMatchObject({ outcome: { kind: 'succeeded' }, checkAfterMs: 60_000 });
    expect(await provider.lookup(at(64_999))).toMatchObject({ outcome: { kind: 'succeeded' }, checkAfterMs: 1 });
    expect(await provider.lookup(at(65_000))).toMatchObject({ outcome: { kind }, checkAfterMs: null });
  });

  it('declines an unknown card and names the test cards', async () => {
    const answer = await sandboxProvider().start(startWithCard('5555555555554444'));
    expect(answer).toMatchObject(failed('payment_declined', true, 'payment'));
    for (const number of Object.values(SANDBOX_CARDS)) expect(JSON.stringify(answer)).toContain(number.slice(-4));
  });

  it.each([
    ['no details', null],
    ['a wrong check digit', card('4242424242424241')],
    ['a past expiry', { ...card(), expiry: '12/25' }],
    ['an expiry with an invalid month', { ...card(), expiry: '13/30' }],
    ['a short cvc', { ...card(), cvc: '12' }],
  ])('declines %s', async (_name, paymentDetails) => {
    expect(await sandboxProvider().start(start({}, { paymentDetails }))).toMatchObject(
      failed('payment_declined', true, 'payment'),
    );
  });

  it('takes a card through the last moment of its month', async () => {
    const lastMoment = Date.UTC(2026, 1, 1) - 1;
    const paymentDetails = { ...card(), expiry: '01/26' };
    expect(await sandboxProvider().start(start({}, { paymentDetails, now: lastMoment }))).toMatchObject({
      outcome: { kind: 'processing' },
    });
    expect(await sandboxProvider().start(start({}, { paymentDetails, now: lastMoment + 1 }))).toMatchObject({
      outcome: { kind: 'failed' },
    });
  });
});

describe('wallets', () => {
  it.each([
    ['the wallet of an on-ramp', { walletAddress: SANCTIONED }],
    ['the wallet of a swap', { ...SWAP, walletAddress: SANCTIONED }],
    ['a refund address', { ...OFF_RAMP, refundAddress: SANCTIONED }],
  ])('blocks %s ending in dead0001', async (_name, changes) => {
    expect(await sandboxProvider().start(start(changes))).toMatchObject(
      failed('sanctions_blocked', false, 'screening'),
    );
  });

  it('reads the ending in any case', async () => {
    const capitals = `0x${SANCTIONED.slice(2).toUpperCase()}`;
    expect(await sandboxProvider().start(start({ walletAddress: capitals }))).toMatchObject(
      failed('sanctions_blocked', false, 'screening'),
    );
  });

  it.each([
    ['missing', null],
    ['not hexadecimal', '0xwallet'],
    ['too short', '0xdEaD0001'],
  ])('refuses a wallet that is %s', async (_name, walletAddress) => {
    expect(await sandboxProvider().start(start({ walletAddress }))).toMatchObject(
      failed('wallet_address_invalid', true, 'screening'),
    );
  });
});

describe('amounts 14.00–14.99', () => {
  it.each(['14.00', '14', '14.99'])('require KYC at %s', async (amount) => {
    expect((await sandboxProvider().start(start({ amount }))).outcome).toMatchObject({
      kind: 'requires_action',
      nextAction: {
        type: 'kyc',
        level: 'basic',
        fields: ['first_name', 'last_name', 'date_of_birth', 'document_number'],
      },
    });
  });

  it.each(['13.99', '15.00', '140.00'])('do not reach to %s', async (amount) => {
    expect((await sandboxProvider().start(start({ amount }))).outcome.kind).toBe('processing');
  });

  it('do not require it of a buyer who is verified already', async () => {
    expect((await sandboxProvider().start(start({ amount: '14.50' }, { kycPreVerified: true }))).outcome.kind).toBe(
      'processing',
    );
  });

  it.each([
    ['processing', startWithCard(SANDBOX_CARDS.succeeds, { amount: '14.50' }), { kind: 'processing' }],
    [
      'card authentication',
      startWithCard(SANDBOX_CARDS.needsAuthentication, { amount: '14.50' }),
      { nextAction: { type: 'payment_authentication' } },
    ],
    [
      'a declined card',
      startWithCard(SANDBOX_CARDS.declines, { amount: '14.50' }),
      { failure: { code: 'payment_declined' } },
    ],
    ['the deposit', start({ ...SWAP, amount: '14.50' }), { nextAction: { type: 'crypto_deposit' } }],
  ])('go on to %s after KYC', async (_name, order, outcome) => {
    const provider = sandboxProvider();
    await provider.start(order);
    const answer = await provider.confirm({
      ...at(1_000),
      intent: order.intent,
      confirmation: { action: 'kyc', kyc: KYC },
    });
    expect(answer.outcome).toMatchObject(outcome);
  });

  it('fail with document number REJECT', async () => {
    const provider = sandboxProvider();
    const order = start({ amount: '14.50' });
    await provider.start(order);
    const confirmation = { action: 'kyc' as const, kyc: { ...KYC, documentNumber: 'REJECT' } };
    expect(await provider.confirm({ ...at(1_000), intent: order.intent, confirmation })).toMatchObject(
      failed('kyc_rejected', false, 'kyc'),
    );
  });

  const year = new Date(NOW).getUTCFullYear();
  const today = new Date(NOW + 1_000).toISOString().slice(4, 10);
  const tomorrow = new Date(NOW + 86_401_000).toISOString().slice(4, 10);

  it.each([
    ['a buyer is 18 today', `${year - 18}${today}`, { kind: 'processing' }],
    ['a buyer is 18 tomorrow', `${year - 18}${tomorrow}`, { failure: { code: 'kyc_rejected', retryable: true } }],
    ['a buyer is 120', `${year - 121}${tomorrow}`, { kind: 'processing' }],
    ['a buyer would be 121', `${year - 121}${today}`, { failure: { code: 'kyc_rejected', retryable: true } }],
  ])('check the birth date: %s', async (_, dateOfBirth, outcome) => {
    const provider = sandboxProvider();
    const order = start({ amount: '14.50' });
    await provider.start(order);
    const confirmation = { action: 'kyc' as const, kyc: { ...KYC, dateOfBirth } };
    const answer = await provider.confirm({ ...at(1_000), intent: order.intent, confirmation });
    expect(answer.outcome).toMatchObject(outcome);
  });
});

describe('crypto flows', () => {
  it('ask for a deposit of exactly the source total, and settle 20 s after it', async () => {
    const provider = sandboxProvider();
    const order = start(OFF_RAMP);
    const { outcome, details } = await provider.start(order);
    expect(outcome).toEqual({
      kind: 'requires_action',
      nextAction: {
        type: 'crypto_deposit',
        address: expect.stringMatching(/^0x[0-9a-f]{40}$/),
        memo: null,
        network: 'base',
        asset: 'USDC',
        amount: details.source?.amount,
        expiresAt: NOW + 30 * 60_000,
      },
    });
    const confirmed = await provider.confirm({
      ...at(1_000),
      intent: order.intent,
      confirmation: { action: 'crypto_deposit' },
    });
    expect(confirmed).toMatchObject({ outcome: { kind: 'processing', stage: 'conversion' }, checkAfterMs: 20_000 });
    expect((await provider.lookup(at(20_999)))?.outcome).toEqual({ kind: 'processing', stage: 'payout' });
    expect((await provider.lookup(at(21_000)))?.outcome).toEqual({ kind: 'succeeded' });
  });

  it.each([
    { type: 'iban', iban: SANDBOX_IBANS.rejects, accountHolder: 'Ada Byron' },
    ach(SANDBOX_ACH.rejects),
  ] as const)('reject the payout to an account ending in 0001 after processing: $type', async (payoutDetails) => {
    const provider = sandboxProvider();
    const order = start(OFF_RAMP, { payoutDetails });
    await provider.start(order);
    const confirmed = await provider.confirm({
      ...at(0),
      intent: order.intent,
      confirmation: { action: 'crypto_deposit' },
    });
    expect(confirmed.outcome.kind).toBe('processing');
    expect(await provider.lookup(at(20_000))).toMatchObject(failed('payout_rejected', true, 'payout'));
  });

  it('pay out to any other ACH account', async () => {
    const provider = sandboxProvider();
    const order = start({ ...OFF_RAMP, currency: 'USD' }, { payoutDetails: ach(SANDBOX_ACH.pays) });
    await provider.start(order);
    await provider.confirm({ ...at(0), intent: order.intent, confirmation: { action: 'crypto_deposit' } });
    expect((await provider.lookup(at(20_000)))?.outcome).toEqual({ kind: 'succeeded' });
  });

  it.each([null, ach('123'), { ...ach(SANDBOX_ACH.pays), routingNumber: '1' }])(
    'refuse an off-ramp without payout details that can be used',
    async (payoutDetails) => {
      expect(await sandboxProvider().start(start(OFF_RAMP, { payoutDetails }))).toMatchObject(
        failed('payout_rejected', true, 'payout'),
      );
    },
  );
});

describe('orders outside the corridor', () => {
  it.each([
    ['limit_exceeded', { amount: '0.99' }],
    ['limit_exceeded', { amount: '10000.01' }],
    ['error', { currency: 'GBP' }],
    ['error', { countryCode: 'FR' }],
    ['error', { paymentMethod: 'crypto' as const }],
  ])('fail with %s: %o', async (code, changes) => {
    expect(await sandboxProvider().start(start(changes))).toMatchObject(failed(code, false, 'screening'));
  });
});

describe('a bank transfer of a checkout', () => {
  const transfer = start({ paymentMethod: 'bank_transfer' });

  it('is asked for with account, reference and exact amount, and arrives after 30 s', async () => {
    const provider = sandboxProvider();
    const asked = await provider.start(transfer);
    expect(asked).toMatchObject({
      outcome: {
        kind: 'requires_action',
        nextAction: {
          type: 'bank_transfer',
          ...SANDBOX_ACCOUNT,
          reference: expect.stringMatching(/^SBX[0-9A-F]{12}$/),
          amount: asked.details.source?.amount,
          currency: 'EUR',
          expiresAt: NOW + TRANSFER_WITHIN_MS,
        },
      },
      checkAfterMs: 30_000,
    });
    expect((await provider.lookup(at(29_999)))?.outcome.kind).toBe('requires_action');
    expect((await provider.lookup(at(30_000)))?.outcome.kind).toBe('succeeded');
  });

  it('moves no money when it is cancelled before it arrives, and cannot be cancelled afterwards', async () => {
    const ledger = memorySandboxLedger();
    const provider = sandboxProvider({ ledger });
    await provider.start(transfer);
    expect((await provider.cancel(at(29_999))).outcome.kind).toBe('cancelled');
    expect(await ledger.effects('op_1', NOW + 60_000)).toEqual([]);
    const late = start({ paymentMethod: 'bank_transfer', operationId: 'op_2' });
    await provider.start(late);
    expect((await provider.cancel(at(30_000, 'op_2'))).outcome.kind).toBe('succeeded');
    expect(await ledger.effects('op_2', NOW + 60_000)).toMatchObject([{ kind: 'charge' }, { kind: 'delivery' }]);
  });

  it('charges nothing when the bank refuses it', async () => {
    const ledger = memorySandboxLedger();
    const provider = sandboxProvider({ ledger });
    await provider.start(transfer);
    await provider.control.settle('op_1', 'failed', NOW + 1_000);
    expect((await provider.lookup(at(60_000)))?.outcome.kind).toBe('failed');
    expect(await ledger.effects('op_1', NOW + 60_000)).toEqual([]);
  });

  it('waits for a test to book it when that is planned', async () => {
    const provider = sandboxProvider();
    await provider.start(transfer);
    await provider.control.plan('op_1', 'park', NOW);
    expect(await provider.lookup(at(60_000))).toMatchObject({
      outcome: { kind: 'requires_action' },
      checkAfterMs: null,
    });
    await provider.control.settle('op_1', 'processing', NOW + 60_000);
    expect((await provider.lookup(at(60_000)))?.outcome.kind).toBe('processing');
  });

  it('over rails waits for a test to book it', async () => {
    const provider = sandboxProvider();
    await provider.start({ ...transfer, rails: { providerQuoteId: 'quote_1' } });
    expect(await provider.lookup(at(60_000))).toMatchObject({
      outcome: { kind: 'requires_action' },
      checkAfterMs: null,
    });
  });
});
