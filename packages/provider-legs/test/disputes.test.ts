import { expect, test } from 'vitest';
import { findOperation, resolveOperation } from '@gateramp/provider-legs';
import {
  balance,
  buy,
  chargeBack,
  owedToCustomers,
  returnRefund,
  winDispute,
  world,
  type FakeDispute,
  type World,
} from './world.js';

const PART: FakeDispute = { amount: '40.00' };

/** The balance and losses of the house in EUR, and the debt to buyers. */
async function books(w: World) {
  const [fiat, losses] = [await balance(w, 'fiat', 'EUR'), await balance(w, 'losses', 'EUR')];
  return { fiat, losses, owed: await owedToCustomers(w) };
}

const stateOf = async (w: World) => (await findOperation(w.store, 'op1'))?.state;

async function delivered(): Promise<World> {
  const w = world();
  await w.provider.start(buy(w.now));
  await w.pass(5);
  return w;
}

/** A purchase that is paid, converted, and waiting for the screening before the send. */
async function beforeSend(): Promise<World> {
  const w = world();
  w.screening.hold('before_send');
  await w.provider.start(buy(w.now));
  await w.pass(1);
  return w;
}

/** A purchase that could not be delivered and was refunded. */
async function undelivered(): Promise<World> {
  const w = world();
  w.chain.isRefusing = true;
  await w.provider.start(buy(w.now));
  await w.pass(5);
  return w;
}

const refund = (w: World, refundId: string, amount: string) =>
  w.provider.refund({ operationId: 'op1', mode: 'test', now: w.now, refundId, amount, currency: 'EUR', reason: null });

const resolve = (w: World, as: 'delivered' | 'refunded' | 'failed') =>
  resolveOperation(w.store, { operationId: 'op1', as, reason: 'Ticket 42.', now: w.now });

test('a chargeback before the send stops the delivery, and no buyer is owed anything', async () => {
  const w = world();
  w.screening.hold('before_send');
  await w.provider.start(buy(w.now));
  await w.pass(1);
  expect((await w.lookup())?.outcome).toEqual({ kind: 'processing', stage: 'send' });
  expect(await chargeBack(w.provider, w.now)).toMatchObject({ report: { eventId: 'dispute1' } });
  w.screening.release();
  await w.pass(120);
  expect((await w.lookup())?.outcome).toEqual({ kind: 'charged_back' });
  expect(w.chain.sends.size).toBe(0);
  expect(await owedToCustomers(w)).toEqual([]);
  expect(await balance(w, 'fiat', 'EUR')).toBe('0');
});

test('a chargeback while the network is silent closes the send for good', async () => {
  const w = await beforeSend();
  w.chain.isSilent = true;
  w.screening.release();
  await w.pass(1);
  await chargeBack(w.provider, w.now).catch(() => undefined);
  w.chain.isSilent = false;
  await w.pass(120);
  expect((await w.lookup())?.outcome).toEqual({ kind: 'charged_back' });
  expect(w.chain.sends.size).toBe(0);
  expect(await owedToCustomers(w)).toEqual([]);
});

test('a chargeback before the block of the send cancels it', async () => {
  const w = world();
  await w.provider.start(buy(w.now));
  expect(await chargeBack(w.provider, w.now)).toMatchObject({ report: { outcome: { kind: 'charged_back' } } });
  await w.pass(5);
  expect(w.chain.sends.size).toBe(0);
  expect(await books(w)).toEqual({ fiat: '0', losses: '0', owed: [] });
});

test('a chargeback while the send is confirmed waits for its end, and what was delivered is a loss', async () => {
  const w = world();
  await w.provider.start(buy(w.now));
  await w.pass(1);
  expect(w.chain.sends.size).toBe(1);
  expect(await chargeBack(w.provider, w.now)).toMatchObject({ report: { outcome: { kind: 'processing' } } });
  await w.pass(5);
  expect((await w.lookup())?.outcome).toEqual({ kind: 'charged_back' });
  expect(await balance(w, 'losses', 'EUR')).toBe('100');
  expect(await owedToCustomers(w)).toEqual([]);
});

test('a chargeback after a delivery or a refund is a loss, and is booked once', async () => {
  const delivered = world();
  await delivered.provider.start(buy(delivered.now));
  await delivered.pass(5);
  for (let time = 0; time < 2; time += 1)
    expect(await chargeBack(delivered.provider, delivered.now)).toMatchObject({
      report: { outcome: { kind: 'charged_back' } },
    });
  expect(await balance(delivered, 'losses', 'EUR')).toBe('100');

  const refunded = world();
  refunded.chain.isRefusing = true;
  await refunded.provider.start(buy(refunded.now));
  await refunded.pass(5);
  for (let time = 0; time < 2; time += 1)
    expect(await chargeBack(refunded.provider, refunded.now)).toMatchObject({
      report: { outcome: { kind: 'failed' } },
    });
  expect(await balance(refunded, 'losses', 'EUR')).toBe('100');
  expect(await owedToCustomers(refunded)).toEqual([]);
});

test('a chargeback of a part of a delivered purchase is a loss of that part, and the purchase stays completed', async () => {
  const w = await delivered();
  for (let time = 0; time < 2; time += 1) await chargeBack(w.provider, w.now, PART);
  expect((await w.lookup())?.outcome).toEqual({ kind: 'succeeded' });
  expect(await books(w)).toEqual({ fiat: '60', losses: '40', owed: [] });
  expect(w.alarms).toEqual(['payment_charged_back']);
  expect(await refund(w, 'refund1', '60.01')).toMatchObject({ kind: 'failed' });
  await chargeBack(w.provider, w.now, { amount: '60.00', disputeId: 'dispute2' });
  expect((await w.lookup())?.outcome).toEqual({ kind: 'charged_back' });
  expect(await books(w)).toEqual({ fiat: '0', losses: '100', owed: [] });
});

test('a chargeback of a part before the send stops the delivery, and an operator decides about the rest', async () => {
  const w = await beforeSend();
  await chargeBack(w.provider, w.now, PART);
  w.screening.release();
  await w.pass(120);
  expect(w.chain.sends.size).toBe(0);
  expect(await stateOf(w)).toMatchObject({ kind: 'stuck', reason: 'charged_back' });
  expect((await findOperation(w.store, 'op1'))?.owed).toEqual([{ currency: 'EUR', amount: '60' }]);
  expect(w.alarms).toEqual(['payment_charged_back', 'operation_stuck']);
  await resolve(w, 'refunded');
  expect(await books(w)).toEqual({ fiat: '0', losses: '0', owed: [] });
});

test('a dispute that is won gives a delivered purchase back what was lost, whenever the messages about it arrive', async () => {
  const w = await delivered();
  await chargeBack(w.provider, w.now);
  for (let time = 0; time < 2; time += 1) await winDispute(w.provider, w.now);
  await chargeBack(w.provider, w.now);
  expect((await w.lookup())?.outcome).toEqual({ kind: 'succeeded' });
  expect(await books(w)).toEqual({ fiat: '100', losses: '0', owed: [] });

  const reordered = await delivered();
  await winDispute(reordered.provider, reordered.now);
  await chargeBack(reordered.provider, reordered.now);
  expect(await books(reordered)).toEqual({ fiat: '100', losses: '0', owed: [] });
});

test('a dispute that is won before the send was stopped lets the delivery go on', async () => {
  const w = await beforeSend();
  await chargeBack(w.provider, w.now);
  await winDispute(w.provider, w.now);
  w.screening.release();
  await w.pass(120);
  expect((await w.lookup())?.outcome).toEqual({ kind: 'succeeded' });
  expect(await books(w)).toEqual({ fiat: '100', losses: '0', owed: [] });
});

test('a callback about an operation that is already stuck for the same reason raises no second alarm', async () => {
  const w = await beforeSend();
  await chargeBack(w.provider, w.now);
  w.screening.release();
  await w.pass(120);
  await winDispute(w.provider, w.now);
  await chargeBack(w.provider, w.now, { disputeId: 'dispute2', amount: '10.00' });
  expect(await stateOf(w)).toMatchObject({ kind: 'stuck', reason: 'dispute_won' });
  expect(w.alarms).toEqual(['payment_charged_back', 'operation_stuck', 'payment_charged_back']);
});

test('a dispute that is won after the delivery was stopped leaves the buyer owed, and waits for an operator', async () => {
  const w = await beforeSend();
  await chargeBack(w.provider, w.now);
  w.screening.release();
  await w.pass(120);
  await winDispute(w.provider, w.now);
  expect(await stateOf(w)).toMatchObject({ kind: 'stuck', reason: 'dispute_won' });
  expect(w.alarms).toEqual(['payment_charged_back', 'operation_stuck']);
  await resolve(w, 'delivered');
  expect((await w.lookup())?.outcome).toEqual({ kind: 'succeeded' });
  expect(await books(w)).toEqual({ fiat: '100', losses: '0', owed: [] });
  // The bank may still take the payment back with another dispute.
  await chargeBack(w.provider, w.now, { disputeId: 'dispute2' });
  expect((await w.lookup())?.outcome).toEqual({ kind: 'charged_back' });
  expect(await books(w)).toEqual({ fiat: '0', losses: '100', owed: [] });
});

test('an operation can wait for an operator a second time', async () => {
  const w = await beforeSend();
  await chargeBack(w.provider, w.now, PART);
  w.screening.release();
  await w.pass(120);
  expect(await resolve(w, 'refunded')).toMatchObject({ kind: 'resolved' });
  await winDispute(w.provider, w.now, PART);
  expect(await stateOf(w)).toMatchObject({ kind: 'stuck', reason: 'dispute_won' });
  expect(await resolve(w, 'refunded')).toMatchObject({ kind: 'resolved' });
  expect(await books(w)).toEqual({ fiat: '0', losses: '0', owed: [] });
});

test.each([
  ['that was not made', 'before', 'charged_back', '0', '0'],
  ['that was made too', 'after', 'failed', '-100', '100'],
] as const)(
  'a refund %s when its answer was lost and the bank took the payment back is found out, and comes to rest',
  async (_, silence, ending, fiat, losses) => {
    const w = world();
    w.chain.isRefusing = true;
    w.fiat.silence = silence;
    await w.provider.start(buy(w.now)).catch(() => undefined);
    await w.pass(2);
    expect(await stateOf(w)).toMatchObject({ kind: 'calling', step: 'refund' });
    await chargeBack(w.provider, w.now).catch(() => undefined);
    w.fiat.silence = null;
    await w.pass(120);
    expect((await w.lookup())?.outcome).toMatchObject({ kind: ending });
    expect(await books(w)).toEqual({ fiat, losses, owed: [] });
  },
);

test.each([
  ['that was not made', 'before', 'failed', '0', '100'],
  ['that was made too', 'after', 'succeeded', '-60', '160'],
] as const)(
  "a partner's refund %s when its answer was lost and the bank took the payment back is found out",
  async (_, silence, status, fiat, losses) => {
    const w = await delivered();
    w.fiat.silence = silence;
    await expect(refund(w, 'refund1', '60.00')).rejects.toThrow('does not answer');
    await chargeBack(w.provider, w.now);
    w.fiat.silence = null;
    await w.pass(300);
    expect(await refund(w, 'refund1', '60.00')).toMatchObject({ kind: status });
    expect((await w.lookup())?.outcome).toEqual({ kind: 'charged_back' });
    expect(await books(w)).toEqual({ fiat, losses, owed: [] });
  },
);

test('a refund that the bank returns is owed to the buyer again, and waits for an operator', async () => {
  const w = await undelivered();
  expect(await books(w)).toEqual({ fiat: '0', losses: '0', owed: [] });
  for (let time = 0; time < 2; time += 1) await returnRefund(w.provider, w.now, 'op1-refund');
  expect(await stateOf(w)).toMatchObject({ kind: 'stuck', reason: 'refund_returned' });
  expect((await findOperation(w.store, 'op1'))?.owed).toEqual([{ currency: 'EUR', amount: '100' }]);
  expect(w.alarms).toEqual(['operation_stuck']);
  await resolve(w, 'refunded');
  await returnRefund(w.provider, w.now, 'op1-refund');
  expect((await w.lookup())?.outcome).toEqual({ kind: 'refunded' });
  expect(await books(w)).toEqual({ fiat: '0', losses: '0', owed: [] });
});

test("a partner's refund that the bank returns leaves the purchase delivered once an operator has paid it", async () => {
  const w = await delivered();
  await refund(w, 'refund1', '60.00');
  await returnRefund(w.provider, w.now, 'refund1');
  expect(await stateOf(w)).toMatchObject({ kind: 'stuck', reason: 'refund_returned' });
  expect(await books(w)).toMatchObject({ fiat: '100', owed: [{ account: 'customer', amount: '-60' }] });
  await resolve(w, 'refunded');
  expect((await w.lookup())?.outcome).toEqual({ kind: 'succeeded' });
  expect(await books(w)).toEqual({ fiat: '40', losses: '60', owed: [] });
  expect(await refund(w, 'refund2', '40.01')).toMatchObject({ kind: 'failed' });
});

test('a refund that fails before it was reported as made is looked at again', async () => {
  const w = world();
  w.chain.isRefusing = true;
  w.fiat.silence = 'before';
  await w.provider.start(buy(w.now)).catch(() => undefined);
  w.fiat.silence = null;
  await returnRefund(w.provider, w.now, 'op1-refund');
  expect(await stateOf(w)).toMatchObject({ kind: 'stuck', step: 'refund', reason: 'refund_returned' });
  expect((await findOperation(w.store, 'op1'))?.owed).toEqual([{ currency: 'EUR', amount: '100' }]);
});

test('a dispute of a payment that was never taken books nothing', async () => {
  const w = world();
  await w.provider.cancel({ operationId: 'op1', mode: 'test', now: w.now });
  await chargeBack(w.provider, w.now);
  expect(w.alarms).toEqual([]);
  expect(await w.store.entries('op1')).toEqual([]);
});

test('the engine receives every dispute with its amount and end, whatever the state of the purchase', async () => {
  const w = await beforeSend();
  await chargeBack(w.provider, w.now, PART);
  const open = { id: 'dispute1', amount: '40.00', status: 'open' };
  expect(await w.lookup()).toMatchObject({ outcome: { kind: 'processing' }, details: { disputes: [open] } });
  const second = { disputeId: 'dispute2', amount: '10.00' };
  for (let time = 0; time < 2; time += 1) await chargeBack(w.provider, w.now, { ...second, isLost: true });
  await chargeBack(w.provider, w.now, second);
  const lost = { id: 'dispute2', amount: '10.00', status: 'lost' };
  expect(await winDispute(w.provider, w.now, PART)).toMatchObject({
    report: { details: { disputes: [{ ...open, status: 'won' }, lost] } },
  });
  expect(w.alarms).toEqual(['payment_charged_back', 'payment_charged_back']);
});

test('a dispute that is lost for good is recorded without a second booking or alarm', async () => {
  const w = await delivered();
  await chargeBack(w.provider, w.now, PART);
  await chargeBack(w.provider, w.now, { ...PART, isLost: true });
  expect((await w.lookup())?.details).toMatchObject({ disputes: [{ status: 'lost' }] });
  expect(await books(w)).toEqual({ fiat: '60', losses: '40', owed: [] });
  expect(w.alarms).toEqual(['payment_charged_back']);
});

test("the engine is notified of a partner's refund that came back, also after an operator has paid it", async () => {
  const w = await delivered();
  await refund(w, 'refund1', '60.00');
  expect((await w.lookup())?.details).not.toHaveProperty('returnedRefunds');
  const returned = { details: { returnedRefunds: ['refund1'] } };
  expect(await returnRefund(w.provider, w.now, 'refund1')).toMatchObject({ report: returned });
  await resolve(w, 'refunded');
  expect(await w.lookup()).toMatchObject({ outcome: { kind: 'succeeded' }, ...returned });
});
