import { expect, test } from 'vitest';
import type { PaymentDetails, ProviderAnswer } from '@gateramp/core/ports';
import type { LegsProvider } from '@gateramp/provider-legs';
import { Crash, mortal } from '../../provider-legs/test/mortal.js';
import { answered, balance, owedToCustomers } from '../../provider-legs/test/world.js';
import { TEST_METHODS } from './fake-stripe/books.js';
import { purchase, shop, taken } from './shop.js';
import { act, IN_COMPONENT, intentOf, paidBy, useFakeStripe } from './world.js';

const fake = useFakeStripe();

const componentOf = ({ outcome }: ProviderAnswer) => {
  if (outcome.kind !== 'requires_action') throw new Error(`The buyer is asked for nothing: ${outcome.kind}.`);
  return outcome.nextAction;
};

test('a purchase by card is captured once and delivered', async () => {
  const s = shop(fake);
  await s.provider.start(purchase(paidBy('succeeds')));
  await s.deliver();
  await s.pass(5);
  await s.deliver();
  expect((await s.lookup())?.outcome).toEqual({ kind: 'succeeded' });
  expect([taken(fake), await balance(s.parts, 'fiat', 'EUR')]).toEqual(['100', '100']);
  expect(s.chain.sends.size).toBe(1);
});

test('a declined card fails the purchase, and nothing is taken or sent', async () => {
  for (const [method, code] of [
    ['declines', 'payment_declined'],
    ['insufficientFunds', 'insufficient_funds'],
  ] as const) {
    const s = shop(fake);
    const { outcome } = answered(await s.provider.start(purchase(paidBy(method))));
    expect(outcome).toMatchObject({ kind: 'failed', failure: { code, stage: 'payment', retryable: true } });
    expect([taken(fake), s.chain.sends.size, await s.parts.store.entries('op1')]).toEqual(['0', 0, []]);
    fake.clear();
  }
});

test('3-D Secure by component: a card is declined there, another one pays', async () => {
  const s = shop(fake);
  const action = componentOf(answered(await s.provider.start(purchase(IN_COMPONENT))));
  if (action.type !== 'provider_component') throw new Error('No component.');
  const id = intentOf(action.clientSecret);
  expect(() => fake.books.confirm(id, TEST_METHODS.declines, null)).toThrow('card_error');
  await s.deliver();
  expect(componentOf(answered(await s.lookup()))).toEqual(action);
  fake.books.confirm(id, TEST_METHODS.needsAuthentication, null);
  await s.deliver();
  expect(componentOf(answered(await s.lookup()))).toEqual(action);
  fake.books.authenticate(id, true);
  const confirmation = { action: 'provider_component' } as const;
  await s.provider.confirm({ ...purchase(IN_COMPONENT), now: s.at.now, confirmation });
  await s.pass(5);
  expect((await s.lookup())?.outcome).toEqual({ kind: 'succeeded' });
  expect(taken(fake)).toBe('100');
});

test('3-D Secure by redirect: the buyer comes back without a word, and the webhook completes the purchase', async () => {
  const s = shop(fake);
  const action = componentOf(answered(await s.provider.start(purchase(paidBy('needsAuthentication')))));
  expect(action).toMatchObject({ type: 'redirect', url: expect.stringContaining('https://hooks.stripe.com/') });
  await act(fake, action);
  await s.deliver();
  await s.pass(5);
  expect((await s.lookup())?.outcome).toEqual({ kind: 'succeeded' });
  expect(taken(fake)).toBe('100');
});

test('a process that dies between creating and confirming a payment leaves a component in which the buyer pays', async () => {
  const s = shop(fake);
  fake.fail('POST /v1/payment_intents/{intent}/confirm', 'lost_before');
  await expect(s.provider.start(purchase(paidBy('succeeds')))).rejects.toThrow('is unknown');
  await s.pass(5);
  const action = componentOf(answered(await s.lookup()));
  const confirmation = await act(fake, action);
  await s.provider.confirm({ ...purchase(IN_COMPONENT), now: s.at.now, confirmation });
  await s.pass(5);
  expect((await s.lookup())?.outcome).toEqual({ kind: 'succeeded' });
  expect(taken(fake)).toBe('100');
});

test('a buyer who leaves the component is not charged, also when they pay after the cancel', async () => {
  const s = shop(fake);
  const order = purchase(IN_COMPONENT);
  const action = componentOf(answered(await s.provider.start(order)));
  if (action.type !== 'provider_component') throw new Error('No component.');
  expect(answered(await s.provider.cancel(order)).outcome).toEqual({ kind: 'cancelled' });
  expect(() => fake.books.confirm(intentOf(action.clientSecret), TEST_METHODS.succeeds, null)).toThrow(
    'invalid_request',
  );
  expect(taken(fake)).toBe('0');
});

test('a purchase that cannot be delivered is refunded as a whole', async () => {
  const s = shop(fake);
  s.chain.isRefusing = true;
  const { outcome } = answered(await s.provider.start(purchase(paidBy('succeeds'))));
  expect(outcome).toMatchObject({ kind: 'failed', failure: { code: 'settlement_error' } });
  expect([taken(fake), await balance(s.parts, 'fiat', 'EUR')]).toEqual(['0', '0']);
  expect(await owedToCustomers(s.parts)).toEqual([]);
});

test('refunds of a delivered purchase are made once each, also when their answers are lost', async () => {
  const s = shop(fake);
  await s.provider.start(purchase(paidBy('succeeds')));
  await s.pass(5);
  const refund = (refundId: string, amount: string) =>
    s.provider.refund({ ...purchase(IN_COMPONENT), now: s.at.now, refundId, amount, currency: 'EUR', reason: null });
  fake.fail('POST /v1/refunds', 'lost_after');
  await expect(refund('refund1', '60.00')).rejects.toThrow('is unknown');
  expect(await refund('refund1', '60.00')).toEqual({ kind: 'succeeded' });
  expect(await refund('refund2', '40.00')).toEqual({ kind: 'succeeded' });
  expect(await refund('refund3', '0.01')).toMatchObject({ kind: 'failed' });
  expect([taken(fake), await balance(s.parts, 'fiat', 'EUR')]).toEqual(['0', '0']);
});

test('a dispute before the delivery stops it; an inquiry does not', async () => {
  const s = shop(fake);
  s.screening.hold('before_send');
  await s.provider.start(purchase(paidBy('succeeds')));
  const [charge] = fake.chargesOf('op1-authorize');
  fake.books.dispute(charge?.id ?? '', 'warning_needs_response');
  expect(await s.deliver()).not.toContainEqual(
    expect.objectContaining({ report: { outcome: { kind: 'charged_back' } } }),
  );
  expect(s.alarms).toEqual([]);
  fake.books.dispute(charge?.id ?? '', 'needs_response');
  await s.deliver();
  expect(s.alarms).toEqual(['payment_charged_back']);
  s.screening.release();
  await s.pass(120);
  expect((await s.lookup())?.outcome).toEqual({ kind: 'charged_back' });
  expect(s.chain.sends.size).toBe(0);
  expect(await owedToCustomers(s.parts)).toEqual([]);
});

test('a dispute after the delivery is a loss, booked once', async () => {
  const s = shop(fake);
  await s.provider.start(purchase(paidBy('succeeds')));
  await s.pass(5);
  const [charge] = fake.chargesOf('op1-authorize');
  for (const status of ['needs_response', 'lost'] as const)
    fake.books.dispute(charge?.id ?? '', status, { dispute: 'du_1' });
  await s.deliver();
  expect((await s.lookup())?.outcome).toEqual({ kind: 'charged_back' });
  expect(await balance(s.parts, 'losses', 'EUR')).toBe('100');
});

test('a dispute of a part, a dispute that is won and a refund that the bank returns are booked as they are', async () => {
  const s = shop(fake);
  await s.provider.start(purchase(paidBy('succeeds')));
  await s.pass(5);
  const [charge] = fake.chargesOf('op1-authorize');
  const disputed = { amount: 4_000, dispute: 'du_1' };
  fake.books.dispute(charge?.id ?? '', 'needs_response', disputed);
  await s.deliver();
  expect((await s.lookup())?.outcome).toEqual({ kind: 'succeeded' });
  expect([await balance(s.parts, 'fiat', 'EUR'), await balance(s.parts, 'losses', 'EUR')]).toEqual(['60', '40']);
  fake.books.dispute(charge?.id ?? '', 'won', disputed);
  await s.deliver();
  expect([await balance(s.parts, 'fiat', 'EUR'), await balance(s.parts, 'losses', 'EUR')]).toEqual(['100', '0']);

  const refund = { ...purchase(IN_COMPONENT), now: s.at.now, refundId: 'refund1', amount: '60.00', currency: 'EUR' };
  expect(await s.provider.refund({ ...refund, reason: null })).toEqual({ kind: 'succeeded' });
  fake.books.returnRefund('refund1');
  await s.deliver();
  expect(s.alarms).toEqual(['payment_charged_back', 'operation_stuck']);
  expect([taken(fake), await balance(s.parts, 'fiat', 'EUR')]).toEqual(['100', '100']);
  expect(await owedToCustomers(s.parts)).toMatchObject([{ amount: '-60' }]);
});

test('a crash at any call charges once or not at all, and leaves no buyer owed', async () => {
  for (const details of [paidBy('succeeds'), paidBy('declines'), IN_COMPONENT]) {
    const calls = await countCalls(details);
    expect(calls).toBeGreaterThan(4);
    for (let at = 1; at <= calls; at += 1)
      for (const moment of ['before', 'after'] as const) await crash(details, { at, moment });
  }
});

async function crash(details: PaymentDetails, death: { readonly at: number; readonly moment: 'before' | 'after' }) {
  fake.clear();
  const s = shop(fake);
  await play(s, mortal(s.parts, death), details).catch((error: unknown) => {
    if (!(error instanceof Crash)) throw error;
  });
  await s.pass(90);
  const order = { operationId: 'op1', mode: 'test', now: s.at.now } as const;
  if ((await s.lookup())?.outcome.kind === 'requires_action') await s.provider.cancel(order);
  await s.pass(90);
  const hint = `${JSON.stringify(details)}, crash ${death.moment} call ${death.at}`;
  const end = (await s.lookup())?.outcome.kind ?? 'unseen';
  expect(['unseen', 'succeeded', 'failed', 'cancelled'], hint).toContain(end);
  expect(taken(fake), hint).toBe(end === 'succeeded' ? '100' : '0');
  expect(fake.chargesOf('op1-authorize').length, hint).toBe(end === 'succeeded' ? 1 : 0);
  expect(await balance(s.parts, 'fiat', 'EUR'), hint).toBe(taken(fake));
  expect(s.chain.sends.size, hint).toBe(end === 'succeeded' ? 1 : 0);
  expect(await owedToCustomers(s.parts), hint).toEqual([]);
}

type Shop = ReturnType<typeof shop>;

/** Plays a purchase in which the buyer completes every next action. */
async function play(s: Shop, provider: LegsProvider, details: PaymentDetails): Promise<void> {
  const order = purchase(details);
  const answer = await provider.start(order);
  // A crash while the legs ask what is available counts as an unavailable leg.
  if ('kind' in answer) return;
  const { outcome } = answer;
  if (outcome.kind === 'requires_action') {
    const confirmation = await act(fake, outcome.nextAction);
    await provider.confirm({ ...order, now: s.at.now, confirmation });
  }
  for (let second = 0; second < 4; second += 1) {
    s.at.now += 1_000;
    await provider.work('test', s.at.now);
  }
}

async function countCalls(details: PaymentDetails): Promise<number> {
  let calls = 0;
  const s = shop(fake);
  await play(
    s,
    mortal(s.parts, null, () => void (calls += 1)),
    details,
  );
  fake.clear();
  return calls;
}
