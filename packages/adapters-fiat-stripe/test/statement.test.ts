import { decimal, type Mode } from '@gateramp/core/domain';
import type { ProviderReport } from '@gateramp/core/ports';
import { type FiatLeg, reconcileLedger, type StatementLine } from '@gateramp/provider-legs';
import { expect, test } from 'vitest';
import { balance } from '../../provider-legs/test/world.js';
import { purchase, shop } from './shop.js';
import { paidBy, useFakeStripe, world } from './world.js';

const fake = useFakeStripe();

/** A shop with as many delivered purchases of 100.00. */
async function delivered(count: number) {
  const s = shop(fake);
  for (let nth = 1; nth <= count; nth += 1) {
    const operationId = `op${nth}`;
    const order = purchase(paidBy('succeeds'));
    await s.provider.start({ ...order, operationId, intent: { ...order.intent, operationId } });
  }
  await s.pass(5);
  return s;
}

type Shop = Awaited<ReturnType<typeof delivered>>;

const paymentOf = (operationId: string) => fake.intentsOf(`${operationId}-authorize`)[0]?.id ?? '';

/** The balance of the account at Stripe, in EUR. */
const atStripe = () => decimal.normalise((fake.books.balance.reduce((sum, { net }) => sum + net, 0) / 100).toFixed(2));

async function readAfter(leg: FiatLeg, after: string | null): Promise<readonly StatementLine[]> {
  return (await leg.statement?.({ after, since: null, limit: 100 })) ?? [];
}

async function expectNoDifference(s: Shop): Promise<void> {
  await s.provider.bookStatement({ nowOf: () => s.at.now });
  expect(await balance(s.parts, 'fiat', 'EUR')).toBe(atStripe());
  const { positions } = await reconcileLedger(s.parts.store, await s.provider.positions());
  expect(positions.map(({ currency, difference }) => [currency, difference])).toEqual([['EUR', '0']]);
}

test('the ledger has what Stripe has: payments, refunds, disputes and their fees', async () => {
  const s = await delivered(5);
  await expectNoDifference(s);
  expect(await balance(s.parts, 'costs', 'EUR')).toBe('8.75');
  fake.books.refundByHand(paymentOf('op1'), 2_500);
  fake.books.dispute(paymentOf('op2'), 'needs_response', { dispute: 'du_lost' });
  fake.books.dispute(paymentOf('op3'), 'needs_response', { dispute: 'du_won' });
  fake.books.dispute(paymentOf('op3'), 'won', { dispute: 'du_won' });
  await s.deliver();
  await expectNoDifference(s);
  expect(await balance(s.parts, 'costs', 'EUR')).toBe('38.75');
});

test('a refund or dispute whose webhook was lost is found in the statement', async () => {
  const s = await delivered(3);
  fake.books.refundByHand(paymentOf('op1'), 2_500);
  fake.books.dispute(paymentOf('op2'), 'needs_response', { dispute: 'du_1' });
  fake.books.events.length = 0;
  await expectNoDifference(s);
  expect(s.alarms.toSorted()).toEqual(['payment_charged_back', 'payment_refunded_outside']);
  fake.books.dispute(paymentOf('op2'), 'won', { dispute: 'du_1' });
  fake.books.events.length = 0;
  await expectNoDifference(s);
  expect(s.alarms).toHaveLength(2);
});

test('a refund by hand that failed is owed again, also if both webhooks were lost', async () => {
  const s = await delivered(1);
  const { id } = fake.books.refundByHand(paymentOf('op1'));
  fake.books.events.length = 0;
  await expectNoDifference(s);
  fake.books.endRefund(id, 'failed');
  fake.books.events.length = 0;
  await expectNoDifference(s);
  expect(await balance(s.parts, 'losses', 'EUR')).toBe('0');
});

test('what the statement shows is reported to the gate, once per line', async () => {
  const s = await delivered(1);
  fake.books.refundByHand(paymentOf('op1'), 2_500);
  fake.books.events.length = 0;
  const reports: [Mode, ProviderReport][] = [];
  const book = () =>
    s.provider.bookStatement({
      nowOf: () => s.at.now,
      report: async (mode, report) => void reports.push([mode, report]),
    });
  await book();
  await book();
  const [line] = fake.books.balance.filter(({ type }) => type === 'refund');
  expect(reports).toMatchObject([
    ['test', { eventId: `statement:${line?.id}`, operationId: 'op1', outcome: { kind: 'succeeded' } }],
  ]);
  expect(JSON.stringify(reports[0]?.[1].details)).toContain('25.00');
});

test('a refund during the send whose webhook was lost is found in the statement', async () => {
  const s = shop(fake);
  await s.provider.start(purchase(paidBy('succeeds')));
  expect(s.chain.sends.size).toBe(1);
  expect((await s.lookup())?.outcome).toMatchObject({ kind: 'processing' });
  fake.books.refundByHand(paymentOf('op1'));
  fake.books.events.length = 0;
  await s.provider.bookStatement({ nowOf: () => s.at.now });
  await s.pass(5);
  expect(s.alarms).toEqual(['payment_refunded_outside']);
  await expectNoDifference(s);
});

test('payouts to the bank, fees of the account and payments of other systems are booked as such', async () => {
  const s = await delivered(1);
  const other = { currency: 'eur', source: null } as const;
  fake.books.book({ ...other, type: 'payout', amount: -5_000, fee: 25, source: 'po_1' });
  fake.books.book({ ...other, type: 'stripe_fee', amount: -200 });
  fake.books.book({ ...other, type: 'charge', amount: 700, fee: 50, source: 'ch_other' });
  await expectNoDifference(s);
  expect(await balance(s.parts, 'funding', 'EUR')).toBe('50');
  expect(await balance(s.parts, 'outside', 'EUR')).toBe('-7');
  expect(await balance(s.parts, 'costs', 'EUR')).toBe('4.5');
});

test('each line is read once and in order, page by page, and repeated after a lost answer', async () => {
  const { leg } = world(fake);
  for (let nth = 0; nth < 5; nth += 1)
    fake.books.book({ type: 'stripe_fee', amount: -nth, currency: 'eur', source: null });
  const read: string[] = [];
  for (let lines = await readAfter(leg, null); lines.length > 0; lines = await readAfter(leg, read.at(-1) ?? null))
    read.push(...lines.map(({ id }) => id));
  expect(read).toEqual(fake.books.balance.map(({ id }) => id));
  fake.fail('GET /v1/balance_transactions', 'error_before');
  await expect(readAfter(leg, null)).rejects.toThrow('balance_transactions.list');
});

test('a line waits until Stripe lists no other one before it', async () => {
  const { leg } = world(fake);
  fake.books.book({ type: 'stripe_fee', amount: -1, currency: 'eur', source: null });
  const [line] = fake.books.balance;
  if (line !== undefined) line.created = Math.floor(Date.now() / 1_000);
  expect(await readAfter(leg, null)).toEqual([]);
});
