import { expect } from 'vitest';
import type { Scope } from '@gateramp/core';
import type { TestGate } from '@gateramp/testing';
import type { Buyer } from './buyer.js';
import { expectNothingUnderWay } from './expect-whole.js';
import type { Lived } from './lives.js';
import { cardOrder, open, pay } from './purchases.js';

/** A purchase of 100.00 that is refunded, and what must have gone back in the end. */
export interface RefundStory extends Lived {
  readonly refunds: readonly string[];
}

export const REFUNDS = {
  'a refund of the whole': story(['100.00']),
  'a refund that is declined, then one that takes its time': story(['13.13', '14.14']),
} satisfies Readonly<Record<string, RefundStory>>;

function story(refunds: readonly string[]): RefundStory {
  return { refunds, live: (buyer) => refundEach(buyer, refunds) };
}

/** Answers the refid of the transaction. */
async function refundEach(buyer: Buyer, amounts: readonly string[]): Promise<string> {
  const order = cardOrder(() => '4242424242424242');
  const { id, embed } = await open(buyer, order);
  await pay(buyer, embed, order);
  const session = await buyer.t.store.find('session', scopeOf(buyer.t), id);
  const refid = session?.txRefid ?? '';
  const key = buyer.t.keys.secret.test;
  for (const [n, amount] of amounts.entries()) {
    const done = await buyer.ask(`refund ${n}`, `/v1/transactions/${refid}/refund`, { key, body: { amount } });
    expect(done.status, done.text).toBe(201);
    await buyer.workFor('3m');
  }
  return refid;
}

function scopeOf(t: TestGate): Scope {
  return { partnerId: t.partner.id, mode: 'test' };
}

const DECLINED = '13.13';

/**
 * What must hold of a refunded transaction when all is done, whatever happened on the way: every refund was made once and announced once,
 * and the provider's books say of each what the transaction says.
 */
export async function expectRefundedOnce(t: TestGate, refid: string, { refunds }: RefundStory): Promise<void> {
  await t.clock.advance('10m');
  const transaction = await t.store.find('transaction', scopeOf(t), refid);
  const intent = await t.store.find('intent', scopeOf(t), transaction?.intentId ?? '');
  const expected = refunds.map((amount) => [amount, amount === DECLINED ? 'failed' : 'succeeded']);
  expect(transaction?.refunds?.map(({ amount, status }) => [amount, status])).toEqual(expected);
  const returned = refunds.filter((amount) => amount !== DECLINED);
  const moved = await t.ledger.effects(intent?.operationId ?? '', t.clock.now('test'));
  expect(moved.filter(({ kind }) => kind === 'refund').map(({ amount }) => amount)).toEqual(returned);
  const sum = returned.reduce((total, amount) => total + Number(amount), 0);
  expect(transaction?.status).toBe(sum === 100 ? 'refunded' : 'completed');
  const events = await t.store.list('session_event', scopeOf(t), transaction?.sessionId ?? '');
  expect(events.filter(({ type }) => type === 'transaction.updated')).toHaveLength(refunds.length);
  expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, index) => index + 1));
  await expectNothingUnderWay(t);
}
