import { expect, test } from 'vitest';
import type { LegPending } from '@gateramp/provider-legs';
import { memoryLegsStore } from '@gateramp/provider-legs';
import type { Fault } from './fake-stripe/fake-stripe.js';
import { act, CARDS_IN_EUR, IN_COMPONENT, on, order, paidBy, START, TRANSFERS, useFakeStripe, world } from './world.js';

const fake = useFakeStripe();

const FAULTS: readonly Fault[] = ['lost_before', 'lost_after', 'error_before', 'error_after', 'rate_limited', 'busy'];
const CREATE = 'POST /v1/payment_intents';
const CONFIRM = 'POST /v1/payment_intents/{intent}/confirm';
const CAPTURE = 'POST /v1/payment_intents/{intent}/capture';
const CANCEL = 'POST /v1/payment_intents/{intent}/cancel';
const READ = 'GET /v1/payment_intents/{intent}';
const REFUND = 'POST /v1/refunds';

/** Repeats the call while its result is unknown, as the saga does. */
async function insist<Result extends { readonly kind: string } | null>(
  call: () => Promise<Result | LegPending>,
): Promise<Result> {
  for (let left = 5; ; left -= 1) {
    const result = await call().catch((error: unknown) => {
      if (left === 0) throw error;
      return undefined;
    });
    if (result !== undefined && result?.kind !== 'pending') return result as Result;
  }
}

for (const fault of FAULTS) {
  for (const operation of [CREATE, READ, CONFIRM])
    test(`a purchase is charged once when ${operation} is ${fault}`, async () => {
      const { leg } = world(fake);
      fake.fail(operation, fault);
      await expect(leg.authorize(order())).rejects.toThrow('is unknown');
      expect(await insist(() => leg.authorize(order()))).toMatchObject({ kind: 'authorized' });
      expect(await insist(() => leg.capture(on('op1-capture')))).toEqual({ kind: 'captured' });
      expect(fake.chargesOf('op1-authorize')).toHaveLength(1);
    });

  test(`a capture happens once when it is ${fault}`, async () => {
    const { leg } = world(fake);
    await leg.authorize(order());
    fake.fail(CAPTURE, fault);
    await expect(leg.capture(on('op1-capture'))).rejects.toThrow('is unknown');
    expect(await insist(() => leg.capture(on('op1-capture')))).toEqual({ kind: 'captured' });
    expect(fake.chargesOf('op1-authorize')).toMatchObject([{ amount_received: 2_000 }]);
  });

  test(`a release is complete when it is ${fault}`, async () => {
    const { leg } = world(fake);
    await leg.authorize(order());
    fake.fail(CANCEL, fault);
    expect(await insist(() => leg.void(on('op1-void')))).toEqual({ kind: 'voided' });
    expect(fake.chargesOf('op1-authorize')).toEqual([]);
  });

  test(`a refund is made once when it is ${fault}, also after its idempotency key is forgotten`, async () => {
    const { leg } = world(fake);
    await leg.authorize(order());
    await leg.capture(on('op1-capture'));
    const refund = (callId: string) => leg.refund({ ...on(callId), amount: '5.00', currency: 'EUR' });
    fake.fail(REFUND, fault);
    await expect(refund('refund1')).rejects.toThrow('is unknown');
    fake.forgetKeys();
    expect(await insist(() => refund('refund1'))).toEqual({ kind: 'refunded' });
    for (const other of ['refund2', 'refund3']) expect(await refund(other)).toEqual({ kind: 'refunded' });
    // The refund is on the last page of the list now.
    expect(await refund('refund1')).toEqual({ kind: 'refunded' });
    expect([...fake.books.refunds.values()].map(({ amount }) => amount)).toEqual([500, 500, 500]);
  });
}

test('a create whose answer was lost leaves nothing that can be paid, and a lookup does not know it', async () => {
  const { leg, again } = world(fake);
  fake.fail(CREATE, 'lost_after');
  await expect(leg.authorize(order())).rejects.toThrow('is unknown');
  const other = again();
  expect(await other.lookupAuthorization(order())).toBeNull();
  expect(await other.void(on('op1-void'))).toEqual({ kind: 'voided' });
  expect(await leg.authorize(order())).toEqual({ kind: 'voided' });
  expect(fake.intentsOf('op1-authorize').map(({ status }) => status)).toEqual(['requires_payment_method']);
});

test('a create that is repeated after Stripe has forgotten its key makes a second PaymentIntent, and one charge', async () => {
  const { leg } = world(fake);
  fake.fail(CREATE, 'lost_after');
  await expect(leg.authorize(order())).rejects.toThrow('is unknown');
  fake.forgetKeys();
  expect(await leg.authorize(order())).toMatchObject({ kind: 'authorized' });
  expect(fake.intentsOf('op1-authorize')).toHaveLength(2);
  expect(fake.chargesOf('op1-authorize')).toHaveLength(1);
});

test('a confirmation whose answer was lost is found by another process, without the buyer’s details', async () => {
  const { leg, again } = world(fake);
  fake.fail(CONFIRM, 'lost_after');
  await expect(leg.authorize(order())).rejects.toThrow('is unknown');
  expect(await again().lookupAuthorization(order())).toMatchObject({ kind: 'authorized' });
});

test('a confirmation that never arrived leaves the payment to the component: it is charged once', async () => {
  const { leg, again } = world(fake);
  fake.fail(CONFIRM, 'lost_before');
  await expect(leg.authorize(order())).rejects.toThrow('is unknown');
  const asked = await again().lookupAuthorization(order());
  if (asked?.kind !== 'requires_action') throw new Error('The buyer is asked for nothing.');
  const confirmation = await act(fake, asked.nextAction);
  expect(await again().confirm({ ...on('op1-authorize'), confirmation })).toMatchObject({ kind: 'authorized' });
  expect(fake.chargesOf('op1-authorize')).toHaveLength(1);
});

test('a release that overtakes a slow create closes it', async () => {
  const { leg, again } = world(fake);
  fake.fail(CREATE, 'held');
  const slow = leg.authorize(order());
  await expect.poll(() => fake.requests.length).toBe(1);
  expect(await again().void(on('op1-void'))).toEqual({ kind: 'voided' });
  fake.release();
  expect(await slow).toEqual({ kind: 'voided' });
  expect(fake.chargesOf('op1-authorize')).toEqual([]);
});

test('a release that comes while the confirmation is under way leaves nothing held', async () => {
  const { leg, again } = world(fake);
  fake.fail(CONFIRM, 'held');
  const slow = leg.authorize(order());
  await expect.poll(() => fake.requests.includes(CONFIRM)).toBe(true);
  expect(await again().void(on('op1-void'))).toEqual({ kind: 'voided' });
  fake.release();
  await slow;
  expect(await again().lookupAuthorization(order())).toEqual({ kind: 'voided' });
  expect(fake.chargesOf('op1-authorize')).toEqual([]);
});

test('the retries of the official client change nothing', async () => {
  const { leg } = world(fake, { stripe: fake.client({ maxNetworkRetries: 2 }) });
  for (const operation of [CREATE, CONFIRM, CAPTURE, REFUND]) fake.fail(operation, 'lost_after');
  expect(await insist(() => leg.authorize(order()))).toMatchObject({ kind: 'authorized' });
  expect(await insist(() => leg.capture(on('op1-capture')))).toEqual({ kind: 'captured' });
  const refund = () => leg.refund({ ...on('refund1'), amount: '20.00', currency: 'EUR' });
  expect(await insist(refund)).toEqual({ kind: 'refunded' });
  expect(fake.books.refunds.size).toBe(1);
});

test('a wrong key fails an attempt with an alarm that holds no key, and takes nothing', async () => {
  const { leg, alarms } = world(fake, {
    stripe: new (await import('stripe')).default('sk_test_wrong', {
      host: '127.0.0.1',
      port: fake.port,
      protocol: 'http',
      maxNetworkRetries: 0,
    }),
  });
  expect(await leg.authorize(order())).toMatchObject({ kind: 'failed', failure: { code: 'error', retryable: true } });
  expect(alarms).toMatchObject([{ call: 'payment_intents.create', request_id: 'req_fake' }]);
  expect(JSON.stringify(alarms)).not.toContain('sk_');
});

test('a payment method that Stripe does not know ends the payment', async () => {
  const { leg, alarms } = world(fake);
  const failed = await leg.authorize(order({ paymentDetails: { provider: 'legs', token: 'pm_of_another_account' } }));
  expect(failed).toMatchObject({ kind: 'failed', failure: { code: 'error' } });
  expect(await leg.lookupAuthorization(order())).toEqual(failed);
  expect(alarms).toMatchObject([{ call: 'payment_intents.confirm', code: 'resource_missing' }]);
  expect(fake.intentsOf('op1-authorize')).toMatchObject([{ status: 'canceled' }]);
});

test('amounts outside of Stripe’s limits fail, and are not asked for again', async () => {
  const { leg } = world(fake);
  for (const amount of ['0.10', '10.005'])
    expect(await leg.authorize(order({ amount, callId: `op${amount.length}-authorize` }))).toMatchObject({
      kind: 'failed',
      failure: { code: 'limit_exceeded', retryable: false },
    });
});

test('card numbers are sent nowhere: the buyer enters the card in the component', async () => {
  const { leg } = world(fake);
  fake.bodies.length = 0;
  const cardNumber = '4242424242424242';
  const asked = await leg.authorize(order({ paymentDetails: { cardNumber, expiry: '12/30', cvc: '737' } }));
  expect(asked).toMatchObject({ kind: 'requires_action', nextAction: { type: 'provider_component' } });
  expect(fake.bodies.join('\n')).not.toMatch(/4242|737|12%2F30/);
});

test('3-D Secure without a page to return to happens in the component', async () => {
  const { leg } = world(fake);
  const asked = await leg.authorize(order({ paymentDetails: paidBy('needsAuthentication'), returnUrl: null }));
  expect(asked).toMatchObject({ kind: 'requires_action', nextAction: { type: 'provider_component' } });
  expect(await leg.authorize(order({ paymentDetails: paidBy('needsAuthentication'), returnUrl: null }))).toEqual(asked);
});

test('a buyer who does not pass the issuer’s page has failed the authentication, and nothing can be taken', async () => {
  const { leg } = world(fake);
  const asked = await leg.authorize(order({ paymentDetails: paidBy('needsAuthentication') }));
  if (asked.kind !== 'requires_action' || asked.nextAction.type !== 'redirect') throw new Error('No redirect.');
  fake.books.authenticate(asked.nextAction.url.split('/').at(-1) ?? '', false);
  const confirm = () => leg.confirm({ ...on('op1-authorize'), confirmation: { action: 'redirect' } });
  expect(await confirm()).toMatchObject({ kind: 'failed', failure: { code: 'payment_authentication_failed' } });
  expect(fake.intentsOf('op1-authorize')).toMatchObject([{ status: 'canceled' }]);
  expect(await confirm()).toMatchObject({ kind: 'failed', failure: { code: 'payment_authentication_failed' } });
});

test('a card declined in the component may be followed by another one', async () => {
  const { leg } = world(fake);
  const asked = await leg.authorize(order({ paymentDetails: IN_COMPONENT }));
  if (asked.kind !== 'requires_action') throw new Error('No component.');
  const [intent] = fake.intentsOf('op1-authorize');
  expect(() => fake.books.confirm(intent?.id ?? '', 'pm_card_visa_chargeDeclined', null)).toThrow('card_error');
  expect(await leg.lookupAuthorization(order())).toEqual(asked);
  const confirmation = await act(fake, asked.nextAction);
  expect(await leg.confirm({ ...on('op1-authorize'), confirmation })).toMatchObject({ kind: 'authorized' });
});

test('a bank transfer names an account, waits for the whole amount, and is taken once it is there', async () => {
  const { leg } = world(fake, { methods: [CARDS_IN_EUR, TRANSFERS] });
  const transfer = order({ method: 'bank_transfer', paymentDetails: null });
  fake.fail(CONFIRM, 'lost_after');
  await expect(leg.authorize(transfer)).rejects.toThrow('is unknown');
  const asked = await leg.authorize(transfer);
  expect(asked).toMatchObject({
    kind: 'requires_action',
    nextAction: { type: 'bank_transfer', iban: 'DE89370400440532013000', amount: '20.00', reference: 'QTRCGQ3XKHTT' },
  });
  const [intent] = fake.intentsOf('op1-authorize');
  fake.books.arrive(intent?.id ?? '', 1_550);
  expect(await leg.lookupAuthorization(transfer)).toMatchObject({ nextAction: { amount: '4.50' } });
  fake.books.arrive(intent?.id ?? '', 450);
  expect(await leg.lookupAuthorization(transfer)).toEqual({ kind: 'authorized', expiresAt: null });
  expect(await leg.capture(on('op1-capture'))).toEqual({ kind: 'captured' });
  expect(await leg.void(on('op1-void'))).toEqual({ kind: 'captured' });
});

test('a SEPA debit is pending until its money is there', async () => {
  const { leg } = world(fake, { methods: [{ ...TRANSFERS, type: 'sepa_debit' }] });
  const debit = order({ method: 'bank_transfer', paymentDetails: null });
  const asked = await leg.authorize(debit);
  if (asked.kind !== 'requires_action') throw new Error('No component.');
  await act(fake, asked.nextAction);
  expect(await leg.lookupAuthorization(debit)).toMatchObject({ kind: 'pending' });
  expect(await leg.void(on('op1-void'))).toMatchObject({ kind: 'pending' });
  fake.books.arrive(fake.intentsOf('op1-authorize')[0]?.id ?? '');
  expect(await leg.lookupAuthorization(debit)).toEqual({ kind: 'authorized', expiresAt: null });
});

test('a refund that the bank holds or rejects is reported as such', async () => {
  const { leg } = world(fake);
  await leg.authorize(order());
  await leg.capture(on('op1-capture'));
  fake.books.refundStatus = 'pending';
  const refund = (callId: string, amount = '5.00') => leg.refund({ ...on(callId), amount, currency: 'EUR' });
  expect(await refund('refund1')).toMatchObject({ kind: 'pending' });
  const [pending] = fake.books.refunds.values();
  if (pending !== undefined) pending.status = 'failed';
  expect(await refund('refund1')).toMatchObject({
    kind: 'failed',
    failure: { message: 'The bank rejected the refund.' },
  });
  fake.books.refundStatus = 'succeeded';
  expect(await refund('refund2', '20.01')).toMatchObject({ kind: 'failed' });
  expect(await refund('refund3', '20.00')).toEqual({ kind: 'refunded' });
  expect(await refund('refund4')).toMatchObject({
    kind: 'failed',
    failure: { message: expect.stringContaining('already') },
  });
});

test('payouts are refused, and no method is offered for them', async () => {
  const { leg } = world(fake, { store: memoryLegsStore() });
  expect(leg.methods.every(({ direction }) => direction === 'in')).toBe(true);
  const account = { type: 'iban', iban: 'DE89370400440532013000', accountHolder: 'Ada' } as const;
  const call = { callId: 'op1-register_payee', mode: 'test', now: START, currency: 'EUR' } as const;
  expect(await leg.registerPayee({ ...call, account })).toMatchObject({ kind: 'failed' });
  expect(await leg.payOut({ ...call, amount: '5.00', payeeId: 'x' })).toMatchObject({ kind: 'failed' });
});
