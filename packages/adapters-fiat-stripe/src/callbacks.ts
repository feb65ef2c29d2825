import type { RawCallback } from '@gateramp/core/ports';
import type { FiatCallback } from '@gateramp/provider-legs';
import type Stripe from 'stripe';
import { fromStripeAmount } from './amounts.js';
import { stripeErrorOf } from './errors.js';
import { AUTHORIZATION_ID, CALL_ID } from './intent-params.js';
import type { StripeFiatOptions } from './options.js';
import { readIntent } from './requests.js';

/** How long a signature is valid, in wall time. */
const TOLERANCE_SECONDS = 300;

/** Dispute statuses in which the bank has taken the money. An inquiry (`warning_…`) takes none. */
const WITHDRAWN: ReadonlySet<string> = new Set(['needs_response', 'under_review', 'lost']);

/**
 * Reads a Stripe webhook. An event of a payment only causes it to be read again, so replays, duplicates and events out of order are
 * harmless. The payment of a dispute is read from Stripe.
 */
export async function readCallback(
  options: StripeFiatOptions,
  { rawBody, headers, mode, now }: RawCallback,
): Promise<FiatCallback> {
  const event = verified(options, rawBody, headers['stripe-signature'] ?? '', now);
  if ('kind' in event) return event;
  // A webhook of one mode must not affect payments of the other.
  if (event.livemode !== (mode === 'live')) return IGNORED;
  switch (event.data.object.object) {
    case 'payment_intent':
      return changed(event, event.data.object.metadata[CALL_ID]);
    case 'refund':
      return refunded(event, event.data.object);
    case 'dispute':
      return disputed(options, event, event.data.object);
    default:
      return IGNORED;
  }
}

const IGNORED: FiatCallback = { kind: 'ignored' };

function verified(
  { stripe, webhookSecret }: StripeFiatOptions,
  rawBody: Uint8Array,
  signature: string,
  now: number,
): Stripe.Event | Extract<FiatCallback, { kind: 'unauthenticated' | 'malformed' }> {
  try {
    const body = Buffer.from(rawBody);
    const event = stripe.webhooks.constructEvent(body, signature, webhookSecret, TOLERANCE_SECONDS, undefined, now);
    return isEvent(event) ? event : { kind: 'malformed', message: 'The body is not an event of Stripe.' };
  } catch (error) {
    if (stripeErrorOf(error)?.type === 'StripeSignatureVerificationError') return { kind: 'unauthenticated' };
    if (error instanceof SyntaxError) return { kind: 'malformed', message: 'The body is not valid JSON.' };
    throw error;
  }
}

/** The body is signed by Stripe, but may be an event of another format. */
function isEvent(event: Partial<Stripe.Event>): event is Stripe.Event {
  return event.object === 'event' && typeof event.data?.object === 'object';
}

function changed({ id }: Stripe.Event, callId: string | undefined): FiatCallback {
  return callId === undefined ? IGNORED : { kind: 'changed', eventId: id, callId };
}

/** A refund can fail weeks after it succeeded, when the buyer's bank sends it back. */
function refunded(event: Stripe.Event, { status, metadata }: Stripe.Refund): FiatCallback {
  const { [AUTHORIZATION_ID]: authorizationId, [CALL_ID]: refundId } = metadata ?? {};
  if (status !== 'failed' || authorizationId === undefined || refundId === undefined)
    return changed(event, authorizationId);
  return { kind: 'refund_failed', eventId: event.id, authorizationId, refundId };
}

async function disputed(
  options: StripeFiatOptions,
  { id: eventId }: Stripe.Event,
  { id: disputeId, status, amount, currency, payment_intent: intent }: Stripe.Dispute,
): Promise<FiatCallback> {
  const isWon = status === 'won';
  if ((!isWon && !WITHDRAWN.has(status)) || intent === null) return IGNORED;
  const paid = typeof intent === 'string' ? await readIntent(options, intent) : intent;
  const authorizationId = paid.metadata[CALL_ID];
  if (authorizationId === undefined) return IGNORED;
  // A dispute in another currency than the payment counts as a dispute of the full payment.
  const units = currency === paid.currency ? amount : paid.amount;
  return {
    kind: isWon ? 'dispute_won' : 'charged_back',
    eventId,
    authorizationId,
    disputeId,
    amount: fromStripeAmount(units, paid.currency.toUpperCase()),
    ...(status === 'lost' ? { isLost: true } : {}),
  };
}
