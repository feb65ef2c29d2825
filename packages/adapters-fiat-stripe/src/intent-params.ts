import type { AuthorizeOrder } from '@gateramp/provider-legs';
import type Stripe from 'stripe';
import type { StripeMethodType } from './options.js';

/** Names the call in the metadata of what it made, where callbacks and operators find it. */
export const CALL_ID = 'gate_call_id';
/** Names the authorization in the metadata of its refunds. */
export const AUTHORIZATION_ID = 'gate_authorization_id';

/**
 * The PaymentIntent of an order, not confirmed: it moves no money. A repeat of the call has the same parameters whatever the buyer gave,
 * or Stripe would refuse its idempotency key.
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

/** Whether the buyer is shown an account to transfer to. */
export function isTransfer(type: StripeMethodType): boolean {
  return type !== 'card' && type !== 'sepa_debit';
}

function countryOf(type: StripeMethodType): string {
  return type.slice(-2).toUpperCase();
}
