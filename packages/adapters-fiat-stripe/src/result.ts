import type { AuthorizeResult } from '@gateramp/provider-legs';
import type Stripe from 'stripe';
import { fromStripeAmount } from './amounts.js';
import { declined } from './errors.js';
import type { Payment } from './payments.js';

/** The input of the mapping in addition to the PaymentIntent. */
export interface ResultContext {
  readonly payment: Payment;
  readonly provider: string;
  readonly publicKey: string;
}

/** The time that a buyer has for an action. The engine closes the attempt after 30 minutes at the latest. */
const ACTION_MS = 30 * 60_000;
/** The time that a buyer has for a bank transfer. At Stripe, its account stays open until the PaymentIntent is cancelled. */
const TRANSFER_MS = 7 * 24 * 60 * 60_000;
const CARD_CHECK_MS = 2_000;
const DEBIT_CHECK_MS = 10 * 60_000;

/** The state of an authorization; null for one without an action of the buyer that can no longer be paid. */
export function resultOf(intent: Stripe.PaymentIntent, context: ResultContext): AuthorizeResult | null {
  switch (intent.status) {
    case 'requires_capture':
      return { kind: 'authorized', expiresAt: captureBefore(intent) };
    case 'succeeded':
      return { kind: 'authorized', expiresAt: null };
    case 'processing':
      return {
        kind: 'pending',
        checkAfterMs: intent.payment_method_types.includes('card') ? CARD_CHECK_MS : DEBIT_CHECK_MS,
      };
    case 'requires_action':
      return actionOf(intent, context);
    case 'requires_payment_method':
    case 'requires_confirmation': {
      const error = intent.last_payment_error ?? null;
      if (error !== null && context.payment.endsOnDecline)
        return { kind: 'failed', failure: declined(error.code ?? null, error.decline_code ?? null) };
      return intent.payment_method_types.includes('customer_balance') ? null : component(intent, context);
    }
    default:
      return { kind: 'voided' };
  }
}

function actionOf(intent: Stripe.PaymentIntent, context: ResultContext): AuthorizeResult {
  const action = intent.next_action;
  const transfer = action?.display_bank_transfer_instructions ?? null;
  if (transfer !== null) return transferOf(intent, transfer, context);
  const url = action?.redirect_to_url?.url ?? null;
  // In the component, Stripe's script follows the redirect.
  if (url === null || !context.payment.endsOnDecline) return component(intent, context);
  const expiresAt = context.payment.beganAt + ACTION_MS;
  return { kind: 'requires_action', nextAction: { type: 'redirect', url, expiresAt } };
}

function component(intent: Stripe.PaymentIntent, { provider, publicKey, payment }: ResultContext): AuthorizeResult {
  const { client_secret: clientSecret } = intent;
  if (clientSecret === null) throw new Error('A PaymentIntent came without its client secret.');
  const expiresAt = payment.beganAt + ACTION_MS;
  return {
    kind: 'requires_action',
    nextAction: { type: 'provider_component', provider, publicKey, clientSecret, expiresAt },
  };
}

type Instructions = Stripe.PaymentIntent.NextAction.DisplayBankTransferInstructions;

function transferOf(intent: Stripe.PaymentIntent, transfer: Instructions, { payment }: ResultContext): AuthorizeResult {
  const account = transfer.financial_addresses?.find(({ type }) => type === 'iban')?.iban ?? null;
  if (account === null || account === undefined) throw new Error('Stripe named no IBAN for a bank transfer.');
  const currency = intent.currency.toUpperCase();
  return {
    kind: 'requires_action',
    nextAction: {
      type: 'bank_transfer',
      iban: account.iban,
      bic: account.bic,
      accountHolder: account.account_holder_name,
      reference: transfer.reference ?? '',
      // The missing rest, after a part has arrived.
      amount: fromStripeAmount(transfer.amount_remaining ?? intent.amount, currency),
      currency,
      expiresAt: payment.beganAt + TRANSFER_MS,
    },
  };
}

/** The time until which the card network reserves the money. */
function captureBefore({ latest_charge: charge }: Stripe.PaymentIntent): number | null {
  if (charge === null || typeof charge === 'string') return null;
  const seconds = charge.payment_method_details?.card?.capture_before;
  return seconds === undefined ? null : seconds * 1_000;
}
