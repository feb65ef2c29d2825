import type {
  AuthorizeOrder,
  AuthorizeResult,
  ConfirmAuthorization,
  LegCall,
  LegFailure,
} from '@gateramp/provider-legs';
import type Stripe from 'stripe';
import { toStripeAmount } from './amounts.js';
import { StripeUnknownResultError } from './errors.js';
import { CALL_ID, intentParams, isTransfer } from './intent-params.js';
import type { StripeFiatOptions, StripeMethodType } from './options.js';
import { type EntryStore, keyOf, newPayment, type StoredEntry, type Payment } from './payments.js';
import { EXPANDED, readIntent, request } from './requests.js';
import { resultOf } from './result.js';

/** The options and stored payments, which every call about an authorization uses. */
export interface Authorizations extends StripeFiatOptions {
  readonly payments: EntryStore<Payment>;
}

/** The id of a payment method that Stripe's script created in the buyer's browser. */
const PAYMENT_METHOD = /^pm_[A-Za-z0-9_]{1,120}$/;

/**
 * Three repeatable steps: store the call, create an unconfirmed PaymentIntent, store its id. Only then can money move: the buyer pays in
 * the component, or the leg confirms with the payment method of the buyer's browser.
 */
export async function authorize(context: Authorizations, order: AuthorizeOrder): Promise<AuthorizeResult> {
  const type = methodOf(context, order);
  const begun = await context.payments.begin(order.callId, newPayment(order.now));
  const at = begun.entry.state === 'creating' ? await open(context, begun, order, type) : begun;
  const { intentId } = at.entry;
  if (at.entry.state !== 'open' || intentId === null) return closedResult(at.entry);
  const intent = await readIntent(context, intentId);
  const confirmed = await confirmOnce(context, at, intent, { order, type });
  return settled(context, at, confirmed);
}

/** Reads the result of the buyer's action from Stripe. The confirmation itself contains no data. */
export async function confirm(context: Authorizations, order: ConfirmAuthorization): Promise<AuthorizeResult> {
  const at = await context.payments.load(order.authorizationId);
  if (at === null) throw new Error('The Stripe leg does not know this authorization.');
  const { state, intentId } = at.entry;
  if (state !== 'open' || intentId === null) return closedResult(at.entry);
  return settled(context, at, await readIntent(context, intentId));
}

/** The state of an authorization. Changes nothing. Without a PaymentIntent it counts as unseen: the buyer was not asked for anything. */
export async function lookup(context: Authorizations, { callId }: LegCall): Promise<AuthorizeResult | null> {
  const at = await context.payments.load(callId);
  if (at === null || at.entry.state === 'creating') return null;
  const { state, intentId } = at.entry;
  if (state !== 'open' || intentId === null) return closedResult(at.entry);
  return resultOf(await readIntent(context, intentId), {
    ...context,
    provider: providerOf(context),
    payment: at.entry,
  });
}

function methodOf({ methods }: StripeFiatOptions, { method, currency }: AuthorizeOrder): StripeMethodType {
  const found = methods.find((one) => one.currency === currency && (one.type === 'card') === (method === 'card'));
  if (found === undefined) throw new Error(`The Stripe leg takes no ${method} in ${currency}.`);
  return found.type;
}

/** Creates the PaymentIntent and stores its id, unless another process has closed the authorization. */
async function open(
  context: Authorizations,
  at: StoredEntry<Payment>,
  order: AuthorizeOrder,
  type: StripeMethodType,
): Promise<StoredEntry<Payment>> {
  const amount = toStripeAmount(order.amount, order.currency);
  if (amount === null) return change(context, at, { state: 'failed', failure: NOT_EXPRESSIBLE });
  const key = keyOf(order, at.entry.spentKeys);
  const customer = isTransfer(type) ? await customerFor(context, at, order) : null;
  const params = intentParams(order, { type, amount, customer });
  const created = await request(context, 'payment_intents.create', () =>
    context.stripe.paymentIntents.create(params, { idempotencyKey: key }),
  );
  switch (created.kind) {
    case 'done': {
      const endsOnDecline = tokenOf(order) !== null;
      return change(context, at, { state: 'open', intentId: created.value.id, endsOnDecline });
    }
    case 'refused':
      return change(context, at, { state: 'failed', failure: created.failure });
    case 'key_spent':
      return spend(context, at, 'payment_intents.create', created.code);
  }
}

/** Creates the customer whose balance a bank transfer is credited to. Each payment has its own customer. */
async function customerFor(context: Authorizations, at: StoredEntry<Payment>, order: AuthorizeOrder): Promise<string> {
  const key = `${keyOf(order, at.entry.spentKeys)}-customer`;
  const params = { description: order.reference, metadata: { [CALL_ID]: order.callId } };
  const made = await request(context, 'customers.create', () =>
    context.stripe.customers.create(params, { idempotencyKey: key }),
  );
  if (made.kind === 'done') return made.value.id;
  if (made.kind === 'key_spent') return spend(context, at, 'customers.create', made.code);
  throw new StripeUnknownResultError('customers.create', made.code, null);
}

/** Confirms the PaymentIntent once, if the leg has to: with a payment method of the browser, or to get the account of a transfer. */
async function confirmOnce(
  context: Authorizations,
  at: StoredEntry<Payment>,
  intent: Stripe.PaymentIntent,
  { order, type }: { readonly order: AuthorizeOrder; readonly type: StripeMethodType },
): Promise<Stripe.PaymentIntent> {
  const isUntouched = intent.status === 'requires_payment_method' || intent.status === 'requires_confirmation';
  const token = tokenOf(order);
  const isOurs = isTransfer(type) || (token !== null && at.entry.endsOnDecline);
  if (!isUntouched || !isOurs || (intent.last_payment_error ?? null) !== null) return intent;
  const params = { ...EXPANDED, ...(token === null ? {} : { payment_method: token, ...returnTo(order) }) };
  const options = { idempotencyKey: `${keyOf(order, at.entry.spentKeys)}-confirm` };
  const confirmed = await request(context, 'payment_intents.confirm', () =>
    context.stripe.paymentIntents.confirm(intent.id, params, options),
  );
  if (confirmed.kind === 'done') return confirmed.value;
  if (confirmed.kind === 'key_spent') return spend(context, at, 'payment_intents.confirm', confirmed.code);
  // Declined, or cancelled by another process: the state of the PaymentIntent shows which.
  const after = await readIntent(context, intent.id);
  const isRefused = after.status === 'requires_payment_method' && (after.last_payment_error ?? null) === null;
  return isRefused ? refusedIntent(context, at, after, confirmed.failure) : after;
}

/** How a required authentication takes place: by redirect with a return URL, and otherwise in the component. */
function returnTo({ returnUrl }: AuthorizeOrder): Stripe.PaymentIntentConfirmParams {
  return returnUrl === null ? { use_stripe_sdk: true } : { return_url: returnUrl };
}

function tokenOf({ paymentDetails }: AuthorizeOrder): string | null {
  if (paymentDetails === null || !('token' in paymentDetails)) return null;
  return PAYMENT_METHOD.test(paymentDetails.token) ? paymentDetails.token : null;
}

/** Fails the payment after Stripe refused its confirmation, such as one with a payment method of another account. */
async function refusedIntent(
  context: Authorizations,
  at: StoredEntry<Payment>,
  intent: Stripe.PaymentIntent,
  failure: LegFailure,
): Promise<Stripe.PaymentIntent> {
  const cancelled = await cancel(context, intent.id);
  await change(context, at, { state: 'failed', failure });
  return cancelled;
}

/** The result of a PaymentIntent. A failure is final: it cancels the PaymentIntent, so that no late confirmation can take money. */
async function settled(
  context: Authorizations,
  at: StoredEntry<Payment>,
  intent: Stripe.PaymentIntent,
): Promise<AuthorizeResult> {
  const current = intent.status === 'canceled' ? await context.payments.reload(at.id) : at;
  if (current.entry.state !== 'open') return closedResult(current.entry);
  const result = resultOf(intent, { ...context, provider: providerOf(context), payment: current.entry });
  if (result === null) return { kind: 'pending', checkAfterMs: RETRY_MS };
  if (result.kind !== 'failed') return result;
  const closed = await cancel(context, intent.id);
  if (closed.status !== 'canceled') return settled(context, at, closed);
  return closedResult((await change(context, at, { state: 'failed', failure: result.failure })).entry);
}

/** Cancels the PaymentIntent if possible, and returns it. Cancelling twice is harmless, so there is no idempotency key. */
export async function cancel(context: StripeFiatOptions, intentId: string): Promise<Stripe.PaymentIntent> {
  const done = await request(context, 'payment_intents.cancel', () =>
    context.stripe.paymentIntents.cancel(intentId, EXPANDED),
  );
  return done.kind === 'done' ? done.value : readIntent(context, intentId);
}

/** Writes the change, or returns what another process has written. */
export async function change(
  { payments }: Pick<Authorizations, 'payments'>,
  at: StoredEntry<Payment>,
  changed: Partial<Payment>,
): Promise<StoredEntry<Payment>> {
  return (await payments.write(at, { ...at.entry, ...changed })) ?? payments.reload(at.id);
}

/** Makes the next try use another idempotency key. Safe, because a PaymentIntent is confirmed and captured once for all keys. */
export async function spend(
  context: Pick<Authorizations, 'payments'>,
  at: StoredEntry<Payment>,
  call: string,
  code: string,
): Promise<never> {
  await change(context, at, { spentKeys: at.entry.spentKeys + 1 });
  throw new StripeUnknownResultError(call, code, null);
}

function closedResult({ state, failure }: Payment): AuthorizeResult {
  if (state === 'creating' || state === 'open') return { kind: 'pending', checkAfterMs: RETRY_MS };
  return failure === null ? { kind: 'voided' } : { kind: 'failed', failure };
}

const RETRY_MS = 1_000;

export const providerOf = ({ provider = 'legs' }: StripeFiatOptions): string => provider;

const NOT_EXPRESSIBLE: LegFailure = {
  code: 'limit_exceeded',
  message: 'This amount cannot be paid in this currency.',
  retryable: false,
};
