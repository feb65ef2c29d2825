import type { FiatLeg, LegFailed, LegPending, OnAuthorization } from '@gateramp/provider-legs';
import type Stripe from 'stripe';
import { type Authorizations, authorize, cancel, change, confirm, lookup, spend } from './authorize.js';
import { readCallback } from './callbacks.js';
import { componentsOf, fiatMethodOf, type StripeFiatOptions } from './options.js';
import { movements } from './movements.js';
import { EntryStore, keyOf, newPayment, type Payment, type Refund } from './payments.js';
import { refund } from './refunds.js';
import { EXPANDED, readIntent, request } from './requests.js';
import { readStatement } from './statement.js';

/**
 * Takes cards, SEPA debits and bank transfers with Stripe. Card data goes from the buyer's browser to Stripe alone: a card number that is
 * sent here is not passed on, and the buyer has to enter it again in Stripe's own component.
 */
export function stripeFiat(options: StripeFiatOptions): FiatLeg {
  const payments = new EntryStore<Payment>(options.store, 'stripe_payment');
  const refunds = new EntryStore<Refund>(options.store, 'stripe_refund');
  const context = { ...options, payments, refunds };
  return {
    contract: 2,
    name: 'stripe',
    methods: options.methods.map(fiatMethodOf),
    components: componentsOf(options),
    authorize: (order) => authorize(context, order),
    confirm: (order) => confirm(context, order),
    lookupAuthorization: (call) => lookup(context, call),
    capture: (order) => capture(context, order),
    void: (order) => release(context, order),
    refund: (order) => refund(context, order),
    movements: (order) => movements(context, order),
    registerPayee: async () => NO_PAYOUTS,
    payOut: async () => NO_PAYOUTS,
    parseCallback: (callback) => readCallback(options, callback),
    statement: (query) => readStatement(options, query),
  };
}

async function capture(
  context: Authorizations,
  order: OnAuthorization,
): Promise<{ readonly kind: 'captured' } | LegPending | LegFailed> {
  const at = await context.payments.load(order.authorizationId);
  const intentId = at?.entry.intentId ?? null;
  if (at === null || intentId === null || at.entry.state !== 'open') return NOT_VALID;
  const intent = await readIntent(context, intentId);
  if (intent.status !== 'requires_capture') return capturedOf(intent);
  const options = { idempotencyKey: keyOf(order, at.entry.spentKeys) };
  const done = await request(context, 'payment_intents.capture', () =>
    context.stripe.paymentIntents.capture(intentId, EXPANDED, options),
  );
  if (done.kind === 'done') return capturedOf(done.value);
  if (done.kind === 'key_spent') return spend(context, at, 'payment_intents.capture', done.code);
  const after = await readIntent(context, intentId);
  return after.status === 'requires_capture' ? NOT_VALID : capturedOf(after);
}

function capturedOf({ status }: Stripe.PaymentIntent): { readonly kind: 'captured' } | LegPending | LegFailed {
  if (status === 'succeeded') return { kind: 'captured' };
  return status === 'processing' ? { kind: 'pending', checkAfterMs: CHECK_MS } : NOT_VALID;
}

async function release(
  context: Authorizations,
  order: OnAuthorization,
): Promise<{ readonly kind: 'voided' | 'captured' } | LegPending> {
  // An unknown id is stored as voided, so that a late authorization is refused.
  const begun = await context.payments.begin(order.authorizationId, { ...newPayment(order.now), state: 'voided' });
  const at = begun.entry.state === 'creating' ? await change(context, begun, { state: 'voided' }) : begun;
  const { state, intentId } = at.entry;
  // Another process has just created the PaymentIntent or given up a key: the next try sees it.
  if (state === 'creating') return { kind: 'pending', checkAfterMs: CHECK_MS };
  if (state !== 'open' || intentId === null) return { kind: 'voided' };
  const intent = await cancel(context, intentId);
  switch (intent.status) {
    case 'canceled':
      await change(context, at, { state: 'voided' });
      return { kind: 'voided' };
    case 'succeeded':
      return { kind: 'captured' };
    default:
      return { kind: 'pending', checkAfterMs: CHECK_MS };
  }
}

const CHECK_MS = 5_000;

const NOT_VALID: LegFailed = {
  kind: 'failed',
  failure: { code: 'payment_declined', message: 'The authorization is no longer valid.', retryable: true },
};

/** Stripe pays out to the account's own bank and to connected accounts, but not to buyers. */
const NO_PAYOUTS: LegFailed = {
  kind: 'failed',
  failure: { code: 'payout_rejected', message: 'Payouts are not available here.', retryable: false },
};
