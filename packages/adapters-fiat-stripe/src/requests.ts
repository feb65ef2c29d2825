import { systemDeadlines } from '@gateramp/core/runtime';
import type Stripe from 'stripe';
import { problemOf, StripeUnknownResultError, stripeErrorOf, type StripeProblem } from './errors.js';
import { CALL_ID } from './intent-params.js';
import type { StripeFiatOptions } from './options.js';

/** The result of a request to Stripe. An unknown result is thrown. */
export type Answered<Value> =
  | { readonly kind: 'done'; readonly value: Value }
  | Exclude<StripeProblem, { kind: 'unknown' }>;

/** The time limit of a request, with its retries; below the limit of a leg's call, so that the error names the request. */
export const REQUEST_MAX_MS = 30_000;

const deadlines = systemDeadlines();

/** Makes a request. Alarms contain the call, the codes and Stripe's request id, which the dashboard can search for. */
export async function request<Value>(
  { alarm }: Pick<StripeFiatOptions, 'alarm'>,
  call: string,
  send: () => Promise<Value>,
): Promise<Answered<Value>> {
  try {
    const waited = await deadlines.within(send(), REQUEST_MAX_MS);
    if (waited.kind === 'late') throw new StripeUnknownResultError(call, 'timeout', null);
    return waited;
  } catch (error) {
    const fields = stripeErrorOf(error);
    if (fields === null) throw error;
    const problem = problemOf(fields);
    if (problem.kind === 'unknown') throw new StripeUnknownResultError(call, problem.code, fields.requestId);
    if (problem.kind === 'refused' && fields.type !== 'StripeCardError' && !EXPECTED.has(problem.code))
      alarm?.('stripe_request_refused', {
        call,
        code: problem.code,
        param: fields.param ?? '',
        request_id: fields.requestId ?? '',
      });
    return problem;
  }
}

/** Error codes for a repeated or late call, which raise no alarm. */
const EXPECTED: ReadonlySet<string> = new Set([
  'payment_intent_unexpected_state',
  'charge_already_captured',
  'charge_already_refunded',
  'charge_disputed',
  'charge_expired_for_capture',
]);

/** Reads a PaymentIntent with its latest charge. */
export async function readIntent(options: StripeFiatOptions, id: string): Promise<Stripe.PaymentIntent> {
  const read = await request(options, 'payment_intents.retrieve', () =>
    options.stripe.paymentIntents.retrieve(id, EXPANDED),
  );
  if (read.kind === 'done') return read.value;
  throw new StripeUnknownResultError('payment_intents.retrieve', read.code, null);
}

/** The payment of a charge, refund or dispute; null for one that this leg did not make. */
export async function paymentOf(
  options: StripeFiatOptions,
  intent: string | Stripe.PaymentIntent | null,
): Promise<{ readonly intent: Stripe.PaymentIntent; readonly authorizationId: string } | null> {
  if (intent === null) return null;
  const paid = typeof intent === 'string' ? await readIntent(options, intent) : intent;
  const authorizationId = paid.metadata[CALL_ID];
  return authorizationId === undefined ? null : { intent: paid, authorizationId };
}

export const EXPANDED = { expand: ['latest_charge'] };
