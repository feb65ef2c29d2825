import assert from 'node:assert/strict';
import type { RefundOutcome } from '@gateramp/core/domain';
import type { RefundingProvider, RefundOrder, StartOrder } from '@gateramp/core/ports';
import { tenths } from './drive-payment.js';
import type { ProviderOnTrial } from './provider-subject.js';

/** A trial of a provider that can refund. */
export type RefundTrial = ProviderOnTrial & { readonly provider: RefundingProvider };

type Refund = Omit<RefundOrder, 'now'>;

/** A refund of so many tenths of a payment. */
export function refundOf({ operationId, mode, intent }: StartOrder, id: string, count: number): Refund {
  const { amount, currency } = intent;
  return { operationId, mode, refundId: `${operationId}-${id}`, amount: tenths(amount, count), currency, reason: null };
}

export function refund({ provider, now }: RefundTrial, order: Refund) {
  return provider.refund({ ...order, now: now() });
}

export function lookupRefund({ provider, now }: RefundTrial, { operationId, mode, refundId }: Refund) {
  return provider.lookupRefund({ operationId, mode, refundId, now: now() });
}

const LOOKS_MAX = 100;

/** The end of a refund that was requested. */
export async function refundEnd(trial: RefundTrial, order: Refund): Promise<RefundOutcome> {
  for (let looks = 0; looks < LOOKS_MAX; looks += 1) {
    const outcome = await lookupRefund(trial, order);
    assert.ok(outcome !== null, 'A refund that was requested is known.');
    if (outcome.kind !== 'pending') return outcome;
    await trial.wait(outcome.checkAfterMs);
  }
  return assert.fail(`The refund has not ended after ${LOOKS_MAX} lookups.`);
}
