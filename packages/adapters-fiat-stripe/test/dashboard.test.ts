import { expect, test } from 'vitest';
import { findOperation } from '@gateramp/provider-legs';
import { balance, owedToCustomers } from '../../provider-legs/test/world.js';
import { purchase, shop, taken } from './shop.js';
import { IN_COMPONENT, paidBy, useFakeStripe } from './world.js';

const fake = useFakeStripe();

type Shop = ReturnType<typeof shop>;

/** A purchase that is paid and waits for the screening before the send. */
async function beforeSend(): Promise<Shop> {
  const s = shop(fake);
  s.screening.hold('before_send');
  await s.provider.start(purchase(paidBy('succeeds')));
  await s.pass(1);
  return s;
}

/** A purchase whose card is authorized and not captured. */
async function authorized(): Promise<Shop> {
  const s = shop(fake);
  s.screening.hold('before_payment');
  await s.provider.start(purchase(paidBy('succeeds')));
  return s;
}

async function delivered(): Promise<Shop> {
  const s = shop(fake);
  await s.provider.start(purchase(paidBy('succeeds')));
  await s.pass(5);
  return s;
}

const paymentId = () => fake.intentsOf('op1-authorize')[0]?.id ?? '';

async function expectEnd(s: Shop, kind: string, alarms: readonly string[]): Promise<void> {
  s.screening.release();
  await s.pass(90);
  await s.deliver();
  expect((await s.lookup())?.outcome.kind).toBe(kind);
  expect(s.alarms).toEqual(alarms);
  expect(await balance(s.parts, 'fiat', 'EUR')).toBe(taken(fake));
  expect(await owedToCustomers(s.parts)).toEqual([]);
  if (kind !== 'succeeded') expect(s.chain.sends.size).toBe(0);
}

test('a refund in the dashboard before the delivery stops it, with or without its webhook', async () => {
  for (const isLost of [false, true]) {
    const s = await beforeSend();
    fake.books.refundByHand(paymentId());
    if (isLost) fake.books.events.length = 0;
    else await s.deliver();
    await expectEnd(s, 'refunded', ['payment_refunded_outside']);
    fake.clear();
  }
});

test('a refund in the dashboard after the delivery is a loss, booked once', async () => {
  const s = await delivered();
  fake.books.refundByHand(paymentId());
  await s.deliver();
  expect((await s.lookup())?.outcome).toEqual({ kind: 'refunded' });
  expect([taken(fake), await balance(s.parts, 'losses', 'EUR')]).toEqual(['0', '100']);
  expect(s.alarms).toEqual(['payment_refunded_outside']);
});

test('a refund in the dashboard is found by `charge.refunded` alone', async () => {
  const s = await delivered();
  await s.deliver();
  fake.books.refundByHand(paymentId(), 4_000);
  const [event] = fake.books.events.splice(0).filter(({ type }) => type === 'charge.refunded');
  if (event === undefined) throw new Error('No event.');
  await s.provider.parseCallback({ ...fake.callback(event), modeNow: s.at.now });
  expect((await s.lookup())?.details.outsideRefunds).toMatchObject([{ amount: '40.00' }]);
  expect(await balance(s.parts, 'fiat', 'EUR')).toBe('60');
});

test('a pending refund in the dashboard that is cancelled returns the money', async () => {
  const s = await delivered();
  fake.books.refundStatus = 'pending';
  const { id } = fake.books.refundByHand(paymentId(), 4_000);
  fake.books.refundStatus = 'succeeded';
  await s.deliver();
  expect(await balance(s.parts, 'fiat', 'EUR')).toBe('60');
  fake.books.endRefund(id, 'canceled');
  await s.deliver();
  expect([await balance(s.parts, 'fiat', 'EUR'), await balance(s.parts, 'losses', 'EUR')]).toEqual(['100', '0']);
});

test('a payment that is captured in the dashboard before its time is delivered once', async () => {
  const s = await authorized();
  fake.books.capture(paymentId());
  await s.deliver();
  await expectEnd(s, 'succeeded', []);
});

test('a payment of which only a part is captured in the dashboard is not delivered, and waits for an operator', async () => {
  const s = await authorized();
  fake.books.capture(paymentId(), 4_000);
  await s.deliver();
  s.screening.release();
  await s.pass(5);
  expect((await findOperation(s.parts.store, 'op1'))?.state).toMatchObject({ kind: 'stuck', step: 'refund' });
  expect(s.chain.sends.size).toBe(0);
  expect([taken(fake), await balance(s.parts, 'fiat', 'EUR')]).toEqual(['40', '40']);
  fake.books.refundByHand(paymentId(), 4_000);
  await s.deliver();
  await expectEnd(s, 'refunded', ['payment_refunded_outside', 'operation_stuck', 'payment_refunded_outside']);
});

test('a payment that is cancelled in the dashboard fails, and nothing is sent', async () => {
  const s = await authorized();
  fake.books.cancel(paymentId());
  await s.deliver();
  await expectEnd(s, 'failed', []);
});

test('a payment that is cancelled in the dashboard while the buyer enters the card fails', async () => {
  const s = shop(fake);
  await s.provider.start(purchase(IN_COMPONENT));
  fake.books.cancel(paymentId());
  await s.deliver();
  await expectEnd(s, 'failed', []);
});

test('a dispute whose webhook was lost is noticed before the transfer is signed', async () => {
  const s = await beforeSend();
  fake.books.dispute(paymentId(), 'needs_response');
  fake.books.events.length = 0;
  s.screening.release();
  await s.pass(5);
  expect((await s.lookup())?.outcome).toEqual({ kind: 'charged_back' });
  expect(s.chain.sends.size).toBe(0);
  expect(s.alarms).toEqual(['payment_charged_back']);
});

test('an inquiry about a payment does not stop its delivery', async () => {
  const s = await beforeSend();
  fake.books.dispute(paymentId(), 'warning_needs_response');
  await s.deliver();
  await expectEnd(s, 'succeeded', []);
});

test('the webhook of another payment of the account, or of the other mode, moves nothing', async () => {
  const s = await delivered();
  await s.deliver();
  const other = fake.books.create({ amount: 5_000, currency: 'eur', allowed_payment_method_types: ['card'] });
  fake.books.confirm(other.id, 'pm_card_visa', null);
  fake.books.refundByHand(other.id);
  await s.deliver();
  fake.books.refundByHand(paymentId(), 4_000);
  const events = fake.books.events.splice(0);
  for (const event of events)
    await s.provider.parseCallback({ ...fake.callback({ ...event, livemode: true }), modeNow: s.at.now });
  expect(await balance(s.parts, 'fiat', 'EUR')).toBe('100');
  expect(s.alarms).toEqual([]);
});
