import { expect, test } from 'vitest';
import type Stripe from 'stripe';
import { on, order, useFakeStripe, world } from './world.js';

const fake = useFakeStripe();

async function paid() {
  const shop = world(fake);
  await shop.leg.authorize(order());
  await shop.leg.capture(on('op1-capture'));
  const [intent] = fake.intentsOf('op1-authorize');
  if (intent === undefined) throw new Error('Nothing was paid.');
  return { ...shop, intent };
}

test('every event of a payment names the call to look at again, in any order and as often as it comes', async () => {
  const { leg } = await paid();
  const events = [...fake.books.events, ...fake.books.events.toReversed()];
  expect(events.length).toBeGreaterThanOrEqual(6);
  for (const event of events)
    expect(await leg.parseCallback(fake.callback(event))).toEqual({
      kind: 'changed',
      eventId: event.id,
      callId: 'op1-authorize',
    });
});

test('a refund names the payment that it belongs to', async () => {
  const { leg } = await paid();
  await leg.refund({ ...on('refund1'), amount: '5.00', currency: 'EUR' });
  for (const type of ['refund.created', 'charge.refunded']) {
    const event = fake.books.events.find((one) => one.type === type);
    if (event === undefined) throw new Error('No event.');
    expect(await leg.parseCallback(fake.callback(event))).toMatchObject({ kind: 'changed', callId: 'op1-authorize' });
  }
});

test('a refund by hand is named with its payment and amount, whatever its status and in any order', async () => {
  const { leg, intent } = await paid();
  fake.books.refundStatus = 'pending';
  const { id } = fake.books.refundByHand(intent.id, 750);
  fake.books.refundStatus = 'succeeded';
  fake.books.endRefund(id, 'succeeded');
  fake.books.endRefund(id, 'canceled');
  fake.books.endRefund(id, 'failed');
  const events = fake.books.events.filter(({ type }) => type.startsWith('refund.'));
  const kinds = [];
  for (const event of events) {
    const said = await leg.parseCallback(fake.callback(event));
    expect(said).toMatchObject({ eventId: event.id, authorizationId: 'op1-authorize', refundId: id, amount: '7.50' });
    kinds.push(said.kind);
  }
  expect(kinds).toEqual(['refunded_outside', 'refunded_outside', 'outside_refund_failed', 'outside_refund_failed']);
});

test('a dispute that withdrew money is a chargeback of its payment with its amount; an inquiry is not', async () => {
  const { leg, intent } = await paid();
  for (const status of ['needs_response', 'under_review', 'lost', 'won'] as const) {
    const event = fake.books.dispute(intent.id, status, { amount: 750, dispute: 'du_1' });
    expect(await leg.parseCallback(fake.callback(event))).toEqual({
      kind: status === 'won' ? 'dispute_won' : 'charged_back',
      eventId: event.id,
      authorizationId: 'op1-authorize',
      disputeId: 'du_1',
      amount: '7.50',
      ...(status === 'lost' ? { isLost: true } : {}),
    });
  }
  fake.books.dispute(intent.id, 'lost');
  for (const status of ['warning_needs_response', 'warning_under_review', 'warning_closed'] as const)
    expect(await leg.parseCallback(fake.callback(fake.books.dispute(intent.id, status)))).toEqual({ kind: 'ignored' });
  const refunded = await leg.refund({ ...on('refund1'), amount: '5.00', currency: 'EUR' });
  expect(refunded).toMatchObject({ kind: 'failed', failure: { message: expect.stringContaining('disputed') } });
});

test('a dispute in another currency than the payment counts for all of it', async () => {
  const { leg, intent } = await paid();
  const event = fake.books.dispute(intent.id, 'needs_response', { amount: 3_000 });
  const data = { object: { ...(event.data.object as Stripe.Dispute), currency: 'usd' } };
  const foreign = { ...event, data } as Stripe.Event;
  expect(await leg.parseCallback(fake.callback(foreign))).toMatchObject({ kind: 'charged_back', amount: '20.00' });
});

test('a refund that the bank sends back is named with its payment', async () => {
  const { leg } = await paid();
  await leg.refund({ ...on('refund1'), amount: '5.00', currency: 'EUR' });
  const event = fake.books.returnRefund('refund1');
  expect(await leg.parseCallback(fake.callback(event))).toEqual({
    kind: 'refund_failed',
    eventId: event.id,
    authorizationId: 'op1-authorize',
    refundId: 'refund1',
  });
});

test('a dispute whose payment Stripe does not answer for is not acknowledged, so that it is sent again', async () => {
  const { leg, intent } = await paid();
  const callback = fake.callback(fake.books.dispute(intent.id, 'needs_response'));
  fake.fail('GET /v1/payment_intents/{intent}', 'lost_before');
  await expect(leg.parseCallback(callback)).rejects.toThrow('is unknown');
  expect(await leg.parseCallback(callback)).toMatchObject({ kind: 'charged_back' });
});

test('what other systems of the account do is ignored', async () => {
  const { leg, intent } = await paid();
  intent.metadata = {};
  fake.books.refundByHand(intent.id, 500);
  for (const event of [
    ...fake.books.events.filter(({ type }) => type.startsWith('refund.') || type.startsWith('charge.')),
    fake.books.emit('refund.created', { ...fake.books.refundByHand(intent.id, 500), payment_intent: null }),
    fake.books.emit('payment_intent.succeeded', intent),
    fake.books.dispute(intent.id, 'lost'),
    fake.books.emit('customer.created', { id: 'cus_1', object: 'customer', created: 1, livemode: false }),
  ])
    expect(await leg.parseCallback(fake.callback(event))).toEqual({ kind: 'ignored' });
});

test('an event of live mode moves nothing in test mode', async () => {
  const { leg } = await paid();
  const [event] = fake.books.events;
  if (event === undefined) throw new Error('No event.');
  expect(await leg.parseCallback(fake.callback({ ...event, livemode: true }))).toEqual({ kind: 'ignored' });
});

test('a signature that is foreign, stale, or of other bytes is refused', async () => {
  const { leg } = await paid();
  const [event] = fake.books.events;
  if (event === undefined) throw new Error('No event.');
  const good = fake.callback(event);
  const minutesAgo = good.now - 6 * 60_000;
  for (const bad of [
    fake.callback(event, { secret: 'whsec_other' }),
    fake.callback(event, { at: minutesAgo }),
    { ...good, rawBody: Buffer.from(`${Buffer.from(good.rawBody).toString()} `) },
    { ...good, headers: {} },
    { ...good, headers: { 'stripe-signature': 'nonsense' } },
  ])
    expect(await leg.parseCallback(bad)).toEqual({ kind: 'unauthenticated' });
  expect(await leg.parseCallback(good)).toMatchObject({ kind: 'changed' });
});

test('what is signed and is no event is malformed', async () => {
  const { leg } = await paid();
  const { default: Client } = await import('stripe');
  for (const payload of ['not json', '{"object":"other"}', '{"object":"event"}', '[]']) {
    const header = Client.webhooks.generateTestHeaderString({ payload, secret: 'whsec_test_of_the_fake' });
    const headers = { 'stripe-signature': header };
    const now = Date.now();
    const callback = { rawBody: Buffer.from(payload), headers, mode: 'test', now, modeNow: now } as const;
    expect((await leg.parseCallback(callback)).kind).toBe('malformed');
  }
});
