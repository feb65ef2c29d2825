import type { FiatAmount, LegFailure, LegPending, OnAuthorization } from '@gateramp/provider-legs';
import type Stripe from 'stripe';
import { toStripeAmount } from './amounts.js';
import { StripeUnknownResultError } from './errors.js';
import { AUTHORIZATION_ID, CALL_ID } from './intent-params.js';
import type { Authorizations } from './authorize.js';
import { type EntryStore, keyOf, type StoredEntry, type Refund } from './payments.js';
import { request } from './requests.js';

/** The context of refunds. */
export interface Refunds extends Authorizations {
  readonly refunds: EntryStore<Refund>;
}

type RefundResult =
  | { readonly kind: 'refunded' }
  | LegPending
  | { readonly kind: 'failed'; readonly failure: LegFailure };

/**
 * Creates the refund of this call once. A repeat first looks among the refunds of the payment, so that it is found even after a lost
 * response and an expired idempotency key.
 */
export async function refund(context: Refunds, order: OnAuthorization & FiatAmount): Promise<RefundResult> {
  const payment = await context.payments.load(order.authorizationId);
  const intentId = payment?.entry.intentId ?? null;
  const amount = toStripeAmount(order.amount, order.currency);
  if (intentId === null || amount === null) return failed(NOTHING_TO_REFUND);
  const at = await context.refunds.begin(order.callId, { failure: null, spentKeys: 0 });
  if (at.entry.failure !== null) return failed(at.entry.failure);
  const known = at.isNew ? null : await findRefund(context, intentId, order.callId);
  return known === null ? create(context, at, order, { intentId, amount }) : resultOf(known);
}

async function create(
  context: Refunds,
  at: StoredEntry<Refund>,
  order: OnAuthorization,
  { intentId, amount }: { readonly intentId: string; readonly amount: number },
): Promise<RefundResult> {
  const params: Stripe.RefundCreateParams = {
    payment_intent: intentId,
    amount,
    metadata: { [CALL_ID]: order.callId, [AUTHORIZATION_ID]: order.authorizationId },
  };
  const made = await request(context, 'refunds.create', () =>
    context.stripe.refunds.create(params, { idempotencyKey: keyOf(order, at.entry.spentKeys) }),
  );
  switch (made.kind) {
    case 'done':
      return resultOf(made.value);
    case 'key_spent':
      await context.refunds.write(at, { ...at.entry, spentKeys: at.entry.spentKeys + 1 });
      throw new StripeUnknownResultError('refunds.create', made.code, null);
    case 'refused': {
      // `made.failure` has the messages of card payments, which do not fit refunds.
      const failure = REFUSED[made.code] ?? REFUND_REFUSED;
      const kept = await context.refunds.write(at, { ...at.entry, failure });
      return failed(kept === null ? ((await context.refunds.reload(at.id)).entry.failure ?? failure) : failure);
    }
  }
}

async function findRefund(context: Refunds, intentId: string, callId: string): Promise<Stripe.Refund | null> {
  const found = await request(context, 'refunds.list', async () => {
    for await (const one of context.stripe.refunds.list({ payment_intent: intentId, limit: 100 }))
      if (one.metadata?.[CALL_ID] === callId) return one;
    return null;
  });
  if (found.kind === 'done') return found.value;
  throw new StripeUnknownResultError('refunds.list', found.code, null);
}

function resultOf({ status }: Stripe.Refund): RefundResult {
  switch (status) {
    case 'succeeded':
      return { kind: 'refunded' };
    case 'failed':
    case 'canceled':
      return failed(REFUND_FAILED);
    default:
      return { kind: 'pending', checkAfterMs: CHECK_MS };
  }
}

const failed = (failure: LegFailure): RefundResult => ({ kind: 'failed', failure });

const CHECK_MS = 60_000;
const NOTHING_TO_REFUND = failureOf('Nothing was captured that could be refunded.');
const REFUND_REFUSED = failureOf('The payment processor refused the refund.');
const REFUND_FAILED = failureOf('The bank rejected the refund.');
const REFUSED: Readonly<Record<string, LegFailure>> = {
  charge_already_refunded: failureOf('The payment has been refunded already.'),
  charge_disputed: failureOf('The payment is disputed; the bank decides about it.'),
};

function failureOf(message: string): LegFailure {
  return { code: 'error', message, retryable: false };
}
