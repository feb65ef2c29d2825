import { expect, test } from 'vitest';
import { findOperation, resolveOperation } from '@gateramp/provider-legs';
import {
  balance,
  buy,
  owedToCustomers,
  refundByHand,
  refundUnnoticed,
  reportChange,
  world,
  type World,
} from './world.js';

/** The balance and losses of the house in EUR, and the debt to buyers. */
async function books(w: World) {
  const [fiat, losses] = [await balance(w, 'fiat', 'EUR'), await balance(w, 'losses', 'EUR')];
  return { fiat, losses, owed: await owedToCustomers(w) };
}

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

const stateOf = async (w: World) => (await findOperation(w.store, 'op1'))?.state;
const reportedBy = async (w: World) => (await w.lookup())?.details;

test('a refund by hand between capture and delivery stops the delivery, ends the purchase as refunded, and raises an alarm', async () => {
  const w = await beforeSend();
  expect(await refundByHand(w.provider, w.now)).toMatchObject({ report: { operationId: 'op1' } });
  w.screening.release();
  await w.pass(70);
  expect((await w.lookup())?.outcome).toEqual({ kind: 'refunded' });
  expect(await reportedBy(w)).toMatchObject({ outsideRefunds: [{ id: 're_1', amount: '100.00' }] });
  expect(w.chain.sends.size).toBe(0);
  expect(await books(w)).toEqual({ fiat: '0', losses: '0', owed: [] });
  expect(w.alarms).toEqual(['payment_refunded_outside']);
});

test('a refund by hand whose callback is lost is noticed before the transfer is signed', async () => {
  const w = await beforeSend();
  refundUnnoticed(w);
  w.screening.release();
  await w.pass(5);
  expect((await w.lookup())?.outcome).toEqual({ kind: 'refunded' });
  expect(w.chain.sends.size).toBe(0);
  expect(await books(w)).toEqual({ fiat: '0', losses: '0', owed: [] });
  expect(w.alarms).toEqual(['payment_refunded_outside']);
});

test('a refund by hand while the transfer waits for its block cancels it', async () => {
  const w = world();
  await w.provider.start(buy(w.now));
  await refundByHand(w.provider, w.now);
  await w.pass(5);
  expect(w.chain.sends.size).toBe(0);
  expect((await w.lookup())?.outcome).toEqual({ kind: 'refunded' });
});

test('nothing is sent while the processor cannot be asked about refunds by hand', async () => {
  const w = await beforeSend();
  w.fiat.isBlind = true;
  w.screening.release();
  await w.pass(5);
  expect(w.chain.sends.size).toBe(0);
  w.fiat.isBlind = false;
  await w.pass(70);
  expect((await w.lookup())?.outcome).toEqual({ kind: 'succeeded' });
});

test('a refund by hand after the delivery is a loss that is booked once, with one alarm, in whatever order its events arrive', async () => {
  const w = await delivered();
  for (let time = 0; time < 3; time += 1) {
    await refundByHand(w.provider, w.now);
    await reportChange(w.provider, w.now);
  }
  expect((await w.lookup())?.outcome).toEqual({ kind: 'refunded' });
  expect(await books(w)).toEqual({ fiat: '0', losses: '100', owed: [] });
  expect(w.alarms).toEqual(['payment_refunded_outside']);
});

test('a part that is refunded by hand after the delivery leaves the purchase completed, and cannot be refunded again', async () => {
  const w = await delivered();
  await refundByHand(w.provider, w.now, { amount: '40.00' });
  expect((await w.lookup())?.outcome).toEqual({ kind: 'succeeded' });
  expect(await reportedBy(w)).toMatchObject({ outsideRefunds: [{ id: 're_1', amount: '40.00' }] });
  expect(await books(w)).toEqual({ fiat: '60', losses: '40', owed: [] });
  const refund = {
    operationId: 'op1',
    mode: 'test',
    now: w.now,
    refundId: 'refund1',
    currency: 'EUR',
    reason: null,
  } as const;
  expect(await w.provider.refund({ ...refund, amount: '60.01' })).toMatchObject({ kind: 'failed' });
});

test('an event of an unknown kind makes the leg look, and finds a refund whose own event was lost', async () => {
  const w = await delivered();
  refundUnnoticed(w, { amount: '40.00' });
  await reportChange(w.provider, w.now);
  expect(await books(w)).toEqual({ fiat: '60', losses: '40', owed: [] });
});

test('a part that is refunded by hand before the delivery waits for an operator, who refunds the rest', async () => {
  const w = await beforeSend();
  await refundByHand(w.provider, w.now, { amount: '40.00' });
  w.screening.release();
  await w.pass(70);
  expect(await stateOf(w)).toEqual({ kind: 'stuck', step: 'refund', reason: 'refunded_outside' });
  expect(w.chain.sends.size).toBe(0);
  expect(w.alarms).toEqual(['payment_refunded_outside', 'operation_stuck']);
  await refundByHand(w.provider, w.now, { amount: '60.00', refundId: 're_2' });
  expect((await w.lookup())?.outcome).toEqual({ kind: 'refunded' });
  expect(await books(w)).toEqual({ fiat: '0', losses: '0', owed: [] });
});

test('a refund by hand that fails later is owed to the buyer again, and an operator decides', async () => {
  const w = await beforeSend();
  await refundByHand(w.provider, w.now);
  w.screening.release();
  await w.pass(70);
  await refundByHand(w.provider, w.now, { kind: 'outside_refund_failed' });
  expect(await stateOf(w)).toEqual({ kind: 'stuck', step: 'refund', reason: 'refund_returned' });
  expect(await reportedBy(w)).toMatchObject({ returnedRefunds: ['re_1'] });
  expect(await balance(w, 'fiat', 'EUR')).toBe('100');
  await resolveOperation(w.store, { operationId: 'op1', as: 'refunded', reason: 'Paid by bank.', now: w.now });
  expect(await owedToCustomers(w)).toEqual([]);
});

test('a refund by hand that failed before it was first reported changes nothing', async () => {
  const w = await delivered();
  await refundByHand(w.provider, w.now, { kind: 'outside_refund_failed' });
  await refundByHand(w.provider, w.now);
  expect((await w.lookup())?.outcome).toEqual({ kind: 'succeeded' });
  expect((await reportedBy(w))?.outsideRefunds).toBeUndefined();
  expect(await books(w)).toEqual({ fiat: '100', losses: '0', owed: [] });
  expect(w.alarms).toEqual([]);
});

test('an undelivered purchase that an operator has refunded by hand ends without an operator here', async () => {
  const w = world();
  w.exchange.isFailing = true;
  w.fiat.silence = 'before';
  await w.provider.start(buy(w.now)).catch(() => undefined);
  refundUnnoticed(w);
  w.fiat.silence = null;
  await w.pass(5);
  await reportChange(w.provider, w.now);
  expect((await w.lookup())?.outcome).toMatchObject({ kind: 'failed' });
  expect(await books(w)).toEqual({ fiat: '0', losses: '0', owed: [] });
});

test('a refund that the restored database has forgotten stops a second delivery', async () => {
  const w = await beforeSend();
  refundUnnoticed(w, { refundId: 'op1-refund' });
  w.screening.release();
  await w.pass(5);
  expect(w.chain.sends.size).toBe(0);
  expect((await w.lookup())?.outcome).toEqual({ kind: 'refunded' });
});

test('a refund by hand of a payment that was never captured is no movement of money', async () => {
  const w = world();
  w.screening.block('before_payment');
  await w.provider.start(buy(w.now));
  await refundByHand(w.provider, w.now);
  expect(await books(w)).toEqual({ fiat: '0', losses: '0', owed: [] });
  expect(w.alarms).toEqual([]);
});
