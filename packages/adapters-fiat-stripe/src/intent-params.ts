import type { AuthorizeOrder } from '@gateramp/provider-legs';
import type Stripe from 'stripe';
import type { StripeMethodType } from './options.js';

/** Metadata key of the call id, for callbacks and operators. */
export const CALL_ID = 'gate_call_id';
/** Metadata key of the authorization id on its refunds. */
export const AUTHORIZATION_ID = 'gate_authorization_id';

/**
 * The unconfirmed PaymentIntent of an order, which moves no money. Its parameters do not depend on the buyer's input: Stripe refuses an
 * idempotency key that is repeated with other parameters.
 */
export function intentParams(
  { callId, currency, reference }: AuthorizeOrder,
  {
    type,
    amount,
    customer,
  }: { readonly type: StripeMethodType; readonly amount: number; readonly customer: string | null },
): Stripe.PaymentIntentCreateParams {
  const shared = {
    amount,
    currency: currency.toLowerCase(),
    description: reference,
    metadata: { [CALL_ID]: callId },
  };
  if (type === 'card') return { ...shared, allowed_payment_method_types: ['card'], capture_method: 'manual' };
  if (type === 'sepa_debit' || customer === null) return { ...shared, allowed_payment_method_types: ['sepa_debit'] };
  return {
    ...shared,
    customer,
    allowed_payment_method_types: ['customer_balance'],
    payment_method_data: { type: 'customer_balance' },
    payment_method_options: {
      customer_balance: {
        funding_type: 'bank_transfer',
        bank_transfer: { type: 'eu_bank_transfer', eu_bank_transfer: { country: countryOf(type) } },
      },
    },
  };
}

/** Whether the buyer pays by transfer to a displayed account. */
export function isTransfer(type: StripeMethodType): boolean {
  return type !== 'card' && type !== 'sepa_debit';
}

function countryOf(type: StripeMethodType): string {
  return type.slice(-2).toUpperCase();
}
