import type { RawCallback } from '@gateramp/core/ports';
import type { FiatCallback } from '@gateramp/provider-legs';
import type Stripe from 'stripe';
import { stripeErrorOf } from './errors.js';
import { AUTHORIZATION_ID, CALL_ID } from './intent-params.js';
import { disputeOf, isOurs, outsideRefund } from './movements.js';
import type { StripeFiatOptions } from './options.js';
import { paymentOf } from './requests.js';

/** How long a signature is valid, in wall time. */
const TOLERANCE_SECONDS = 300;

/**
 * Reads a Stripe webhook. An event of a payment only causes it to be read again, so replays, duplicates and events out of order are
 * harmless. The payment of a dispute or of a refund by hand is read from Stripe.
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
      return refunded(options, event, event.data.object);
    case 'charge': {
      // Its refunds and disputes have events of their own, which may be lost.
      const paid = await paymentOf(options, event.data.object.payment_intent);
      return changed(event, paid?.authorizationId);
    }
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

/**
 * A refund of a call can fail weeks after it succeeded, when the buyer's bank sends it back. Any other refund was made in the dashboard or
 * by another system.
 */
async function refunded(options: StripeFiatOptions, event: Stripe.Event, refund: Stripe.Refund): Promise<FiatCallback> {
  const { status, metadata, payment_intent: intent } = refund;
  if (isOurs(refund)) {
    const { [AUTHORIZATION_ID]: authorizationId = '', [CALL_ID]: refundId = '' } = metadata ?? {};
    return status === 'failed' || status === 'canceled'
      ? { kind: 'refund_failed', eventId: event.id, authorizationId, refundId }
      : changed(event, authorizationId);
  }
  const paid = await paymentOf(options, intent);
  return paid === null
    ? IGNORED
    : { ...outsideRefund(refund), eventId: event.id, authorizationId: paid.authorizationId };
}

async function disputed(
  options: StripeFiatOptions,
  { id: eventId }: Stripe.Event,
  dispute: Stripe.Dispute,
): Promise<FiatCallback> {
  const paid = await paymentOf(options, dispute.payment_intent);
  const movement = paid === null ? null : disputeOf(dispute, paid.intent);
  return paid === null || movement === null ? IGNORED : { ...movement, eventId, authorizationId: paid.authorizationId };
}
