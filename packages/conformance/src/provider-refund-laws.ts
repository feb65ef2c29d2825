import assert from 'node:assert/strict';
import { decimal, type RefundOutcome } from '@gateramp/core/domain';
import type { OperationOrder, RefundingProvider, RefundOrder } from '@gateramp/core/ports';
import { lawsOnTrial, type Law } from './law.js';

/** The provider under test, for the laws of refunds. */
export interface ProviderRefundSubject {
  /** A new settled payment each time. */
  create(): Promise<ProviderRefundOnTrial>;
}

/** A provider with one of its operations, which has succeeded. */
export interface ProviderRefundOnTrial {
  readonly provider: Pick<RefundingProvider, 'refund' | 'lookupRefund'>;
  readonly operation: OperationOrder;
  /** The amount that the buyer paid: divisible by ten at the currency's decimals. */
  readonly amount: string;
  readonly currency: string;
  /** Lets the time pass and returns the instant at its end. */
  readonly wait: (ms: number) => Promise<number>;
  readonly close: () => Promise<void>;
}

/** The engine's requirements for `refund` and `lookupRefund` of a provider. */
export const providerRefundLaws: readonly Law<ProviderRefundSubject>[] = lawsOnTrial<ProviderRefundOnTrial>(
  'refunds of a provider',
  {
    async 'are made once per refund id, however often they are requested'(trial) {
      const order = orderOf(trial, 'a', 6);
      await Promise.all([trial.provider.refund(order), trial.provider.refund(order)]);
      await trial.provider.refund(order);
      assert.equal((await ended(trial, order)).kind, 'succeeded');
      // Six tenths were refunded once: if they had been refunded twice, the rest would not be left.
      const rest = orderOf(trial, 'b', 4);
      await trial.provider.refund(rest);
      assert.equal((await ended(trial, rest)).kind, 'succeeded');
    },
    async 'never exceed the captured amount in total, even when they race'(trial) {
      const orders = ['a', 'b', 'c'].map((id) => orderOf(trial, id, 4));
      await Promise.all(orders.map((order) => trial.provider.refund(order)));
      const outcomes = [];
      for (const order of orders) outcomes.push((await ended(trial, order)).kind);
      assert.deepEqual(outcomes.sort(), ['failed', 'succeeded', 'succeeded']);
    },
    async 'are unknown until they are requested, and a lookup changes nothing'(trial) {
      const order = orderOf(trial, 'a', 10);
      assert.equal(await trial.provider.lookupRefund(order), null);
      assert.equal(await trial.provider.lookupRefund(order), null);
      await trial.provider.refund(order);
      const outcome = await ended(trial, order);
      assert.equal(outcome.kind, 'succeeded');
      assert.deepEqual(await trial.provider.lookupRefund(order), outcome);
    },
    async 'keep their end'(trial) {
      const [whole, tooMuch] = [orderOf(trial, 'a', 10), orderOf(trial, 'b', 1)];
      await trial.provider.refund(whole);
      assert.equal((await ended(trial, whole)).kind, 'succeeded');
      await trial.provider.refund(tooMuch);
      assert.equal((await ended(trial, tooMuch)).kind, 'failed');
      for (const [order, kind] of [
        [whole, 'succeeded'],
        [tooMuch, 'failed'],
      ] as const)
        assert.equal((await trial.provider.refund(order)).kind, kind);
    },
    async 'fail for a payment that the provider does not know'(trial) {
      const order = { ...orderOf(trial, 'a', 1), operationId: `${trial.operation.operationId}-unknown` };
      assert.equal((await trial.provider.refund(order)).kind, 'failed');
    },
  },
);

/** A refund of this many tenths. */
function orderOf({ operation, amount, currency }: ProviderRefundOnTrial, id: string, tenths: number): RefundOrder {
  const part = decimal.divideDown(decimal.multiply(amount, String(tenths)), '10', 8);
  return { ...operation, refundId: `${operation.operationId}-${id}`, amount: part, currency, reason: null };
}

const LOOKS_MAX = 100;

/** The final state of a refund, waiting as the provider requests. */
async function ended({ provider, wait }: ProviderRefundOnTrial, order: RefundOrder): Promise<RefundOutcome> {
  let now = order.now;
  for (let look = 0; look < LOOKS_MAX; look += 1) {
    const outcome = await provider.lookupRefund({ ...order, now });
    assert.ok(outcome !== null, 'a refund that was asked for is known');
    if (outcome.kind !== 'pending') return outcome;
    now = await wait(outcome.checkAfterMs);
  }
  throw new Error('The refund stays pending.');
}
