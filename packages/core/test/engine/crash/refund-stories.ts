import { runs } from '../../../../../tests/depth.js';
import { sandboxProvider } from '@gateramp/adapters-provider-sandbox';
import type { Scope } from '@gateramp/core';
import type { RefundAnswer, RefundOrder } from '@gateramp/core/ports';
import { createTestGate, type TestGate, type TestResponse } from '@gateramp/testing';
import { expect } from 'vitest';
import type { Buyer } from './buyer.js';
import { expectNothingUnderWay } from './expect-whole.js';
import type { Grounds } from './ground.js';
import type { Lived } from './lives.js';
import { cardOrder, open, pay } from './purchases.js';

/** A purchase of 100.00 that is refunded, and the amounts that must be returned in the end. */
export interface RefundStory extends Lived {
  readonly refunds: readonly string[];
}

export const REFUNDS = {
  'a refund of the whole': story(['100.00']),
  'a refund that is declined, then one that takes its time': story(['13.13', '14.14']),
} satisfies Readonly<Record<string, RefundStory>>;

/** A full refund whose first call is refused, repeated with another key after it failed. */
export const NOT_SENT = {
  'a refund that was not sent, then one that was': { refunds: ['100.00'], live: refundUntilSent },
} satisfies Readonly<Record<string, RefundStory>>;

/** A provider that refuses the first call of the first refund and outlives every process. */
export const refusingOnce: Grounds = {
  every: runs(40, 1),
  make: async () => {
    const first = await createTestGate();
    const sandbox = sandboxProvider({ ledger: first.ledger });
    let refused: string | null = null;
    const refund = async (order: RefundOrder): Promise<RefundAnswer> => {
      if (refused !== null) return sandbox.refund(order);
      refused = order.refundId;
      return { kind: 'not_sent', retryable: true, reason: 'connection refused' };
    };
    const t = first.restart({ providers: [{ ...sandbox, refund }] });
    return { t, nextStore: async () => t.store, close: async () => undefined };
  },
};

function story(refunds: readonly string[]): RefundStory {
  return { refunds, live: (buyer) => refundEach(buyer, refunds) };
}

/** Returns the refid of the transaction. */
async function refundEach(buyer: Buyer, amounts: readonly string[]): Promise<string> {
  const refid = await paidByCard(buyer);
  for (const [n, amount] of amounts.entries()) await refund(buyer, refid, n, amount);
  return refid;
}

async function refundUntilSent(buyer: Buyer): Promise<string> {
  const refid = await paidByCard(buyer);
  const first = await refund(buyer, refid, 0, '100.00');
  const known = await buyer.t.store.find('transaction', scopeOf(buyer.t), refid);
  if (known?.refunds?.[0]?.status === 'failed') await refund(buyer, refid, 1, '100.00');
  else expect(first.json['refunds'], 'a refund was answered as failed and was made').not.toMatchObject([FAILED]);
  return refid;
}

const FAILED = { status: 'failed' };

async function paidByCard(buyer: Buyer): Promise<string> {
  const order = cardOrder(() => '4242424242424242');
  const { id, embed } = await open(buyer, order);
  await pay(buyer, embed, order);
  const session = await buyer.t.store.find('session', scopeOf(buyer.t), id);
  return session?.txRefid ?? '';
}

async function refund(buyer: Buyer, refid: string, n: number, amount: string): Promise<TestResponse> {
  const done = await buyer.ask(`refund ${n}`, { refund: refid }, { body: { amount } });
  expect(done.status, done.text).toBe(201);
  await buyer.workFor('3m');
  return done;
}

function scopeOf(t: TestGate): Scope {
  return { partnerId: t.partner.id, mode: 'test' };
}

const DECLINED = '13.13';

/**
 * Invariants of a refunded transaction at the end, whatever happened before: every refund was made once and announced once, and the
 * provider's books agree with the transaction.
 */
export async function expectRefundedOnce(t: TestGate, refid: string, { refunds }: RefundStory): Promise<void> {
  await t.clock.advance('10m');
  const transaction = await t.store.find('transaction', scopeOf(t), refid);
  const made = transaction?.refunds?.filter(({ failure }) => failure?.retryable !== true);
  const intent = await t.store.find('intent', scopeOf(t), transaction?.intentId ?? '');
  const expected = refunds.map((amount) => [amount, amount === DECLINED ? 'failed' : 'succeeded']);
  expect(made?.map(({ amount, status }) => [amount, status])).toEqual(expected);
  const returned = refunds.filter((amount) => amount !== DECLINED);
  const moved = await t.ledger.effects(intent?.operationId ?? '', t.clock.now('test'));
  expect(moved.filter(({ kind }) => kind === 'refund').map(({ amount }) => amount)).toEqual(returned);
  const sum = returned.reduce((total, amount) => total + Number(amount), 0);
  expect(transaction?.status).toBe(sum === 100 ? 'refunded' : 'completed');
  const events = await t.store.list('session_event', scopeOf(t), transaction?.sessionId ?? '');
  expect(events.filter(({ type }) => type === 'transaction.updated')).toHaveLength(transaction?.refunds?.length ?? 0);
  expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, index) => index + 1));
  await expectNothingUnderWay(t);
}
