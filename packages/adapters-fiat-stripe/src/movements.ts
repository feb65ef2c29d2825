import type { OnAuthorization, OutsideMovement } from '@gateramp/provider-legs';
import type Stripe from 'stripe';
import { fromStripeAmount } from './amounts.js';
import type { Authorizations } from './authorize.js';
import { StripeUnknownResultError } from './errors.js';
import { AUTHORIZATION_ID, CALL_ID } from './intent-params.js';
import type { StripeFiatOptions } from './options.js';
import { readIntent, request } from './requests.js';

/** Dispute statuses in which the bank has taken the money. An inquiry (`warning_…`) takes none. */
const WITHDRAWN: ReadonlySet<string> = new Set(['needs_response', 'under_review', 'lost']);
/** The id under which the part that was authorized and not captured is reported. */
const UNCAPTURED = 'uncaptured';

/**
 * Refunds, partial captures and disputes of a payment that no call made, as Stripe has them now. Disputes are listed only if the charge
 * shows that there are any.
 */
export async function movements(context: Authorizations, order: OnAuthorization): Promise<readonly OutsideMovement[]> {
  const payment = await context.payments.load(order.authorizationId);
  const intentId = payment?.entry.intentId ?? null;
  if (intentId === null) return [];
  const intent = await readIntent(context, intentId);
  const charge = typeof intent.latest_charge === 'object' ? intent.latest_charge : null;
  const missing = intent.status === 'succeeded' ? intent.amount - intent.amount_received : 0;
  const uncaptured = missing > 0 ? [refundOf(UNCAPTURED, missing, intent.currency)] : [];
  // Listed even if the charge shows none: a refund that failed no longer counts there.
  const refunds = intent.status === 'succeeded' ? await outsideRefunds(context, intentId) : [];
  const disputes = charge === null || charge.disputed ? await disputesOf(context, intent) : [];
  return [...uncaptured, ...refunds, ...disputes];
}

/** A dispute in the terms of the port; null for an inquiry, which moves no money. */
export function disputeOf(
  { id, status, amount, currency }: Stripe.Dispute,
  paid: Pick<Stripe.PaymentIntent, 'amount' | 'currency'>,
): OutsideMovement | null {
  const isWon = status === 'won';
  if (!isWon && !WITHDRAWN.has(status)) return null;
  // A dispute in another currency than the payment counts as a dispute of the full payment.
  const units = currency === paid.currency ? amount : paid.amount;
  const disputed = { disputeId: id, amount: fromStripeAmount(units, paid.currency.toUpperCase()) };
  if (isWon) return { kind: 'dispute_won', ...disputed };
  return { kind: 'charged_back', ...disputed, ...(status === 'lost' ? { isLost: true } : {}) };
}

/** A refund that no call made. One that is still on its way counts as made: its money has left the payment. */
export function outsideRefund({ id, status, amount, currency, metadata }: Stripe.Refund): OutsideMovement {
  const isBack = status === 'failed' || status === 'canceled';
  return refundOf(metadata?.[CALL_ID] ?? id, amount, currency, isBack ? 'outside_refund_failed' : 'refunded_outside');
}

/** Whether a call of this leg made the refund. */
export function isOurs({ metadata }: Stripe.Refund): boolean {
  return metadata?.[CALL_ID] !== undefined && metadata[AUTHORIZATION_ID] !== undefined;
}

function refundOf(
  refundId: string,
  units: number,
  currency: string,
  kind: 'refunded_outside' | 'outside_refund_failed' = 'refunded_outside',
): OutsideMovement {
  return { kind, refundId, amount: fromStripeAmount(units, currency.toUpperCase()) };
}

/** All refunds, also those of calls: the caller knows which calls it made, except after its database was restored from a backup. */
async function outsideRefunds(context: StripeFiatOptions, intentId: string): Promise<readonly OutsideMovement[]> {
  const all = await listed(context, 'refunds.list', () =>
    context.stripe.refunds.list({ payment_intent: intentId, limit: 100 }),
  );
  return all.map(outsideRefund);
}

async function disputesOf(
  context: StripeFiatOptions,
  intent: Stripe.PaymentIntent,
): Promise<readonly OutsideMovement[]> {
  const all = await listed(context, 'disputes.list', () =>
    context.stripe.disputes.list({ payment_intent: intent.id, limit: 100 }),
  );
  return all.map((one) => disputeOf(one, intent)).filter((one) => one !== null);
}

async function listed<Item extends { id: string }>(
  context: StripeFiatOptions,
  call: string,
  list: () => Stripe.ApiListPromise<Item>,
): Promise<readonly Item[]> {
  const read = await request(context, call, async () => {
    const all: Item[] = [];
    for await (const one of list()) all.push(one);
    return all;
  });
  if (read.kind === 'done') return read.value;
  throw new StripeUnknownResultError(call, read.code, null);
}
