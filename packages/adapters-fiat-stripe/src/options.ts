import type { AlarmMeaning } from '@gateramp/core/ports';
import type { FiatComponent, FiatMethod, LegsStore } from '@gateramp/provider-legs';
import type Stripe from 'stripe';
import { COMPONENT_TOKEN } from './component-pages.js';

/** The Stripe account, its payment methods, and the store of the leg. */
export interface StripeFiatOptions {
  /** A client with the secret key of the account. Give it a `timeout` of at most 20 seconds. */
  readonly stripe: Stripe;
  /** The publishable key (`pk_…`) of the same account, which opens the component. */
  readonly publicKey: string;
  /** The signing secret (`whsec_…`) of the webhook endpoint. */
  readonly webhookSecret: string;
  /** Use a durable store in production. */
  readonly store: LegsStore;
  /** Payment methods to offer, by currency. */
  readonly methods: readonly StripeMethod[];
  /** The name of the provider that has this leg, for next actions. `legs` by default. */
  readonly provider?: string;
  /** The URL of the component's page (`stripePages`), which the checkout frames. Without it, components are not offered to buyers. */
  readonly componentUrl?: string;
  /** Reports a condition that needs an operator. The fields contain no secrets. */
  readonly alarm?: (name: keyof typeof ALARMS, fields: Readonly<Record<string, string>>) => void;
}

/** The alarms of this leg. */
export const ALARMS = {
  stripe_request_refused: {
    severity: 'critical',
    meaning:
      "Stripe refused a request for a reason other than the buyer's card, such as a revoked key or a payment method that the account does not have. The log has the call, Stripe's code and the `request_id` to search for in its dashboard. Until it is fixed, attempts fail and no money is taken",
  },
} as const satisfies Readonly<Record<string, AlarmMeaning>>;

/** A payment method at Stripe, in one currency. */
export interface StripeMethod extends Pick<FiatMethod, 'currency' | 'minAmount' | 'maxAmount' | 'feeBps' | 'feeFixed'> {
  readonly type: StripeMethodType;
}

/**
 * `card`: cards and the wallets of the Payment Element, authorized first and captured later. `sepa_debit`: a debit of a bank account in
 * the SEPA area; the money arrives after days, and the payer can reverse the debit for weeks. `eu_bank_transfer_…`: an account in this
 * country for the buyer's transfer. The last two are the payment method `bank_transfer`, in EUR.
 */
export type StripeMethodType = 'card' | 'sepa_debit' | `eu_bank_transfer_${'de' | 'es' | 'fr' | 'ie' | 'nl'}`;

const DAYS = 24 * 60 * 60;
const SETTLES: Readonly<Record<string, number>> = { card: 60, sepa_debit: 14 * DAYS };
const TRANSFER_SETTLES = 3 * DAYS;

/** The method in the terms of the port. Payouts are not supported. */
export function fiatMethodOf({ type, ...terms }: StripeMethod): FiatMethod {
  if (type !== 'card' && terms.currency !== 'EUR')
    throw new TypeError(`The Stripe method ${type} supports only EUR, not ${terms.currency}.`);
  return {
    ...terms,
    method: type === 'card' ? 'card' : 'bank_transfer',
    direction: 'in',
    refundable: true,
    settlesWithinSeconds: SETTLES[type] ?? TRANSFER_SETTLES,
  };
}

/** The Payment Element, in place of the checkout's own card form. */
export function componentsOf({ methods, componentUrl }: StripeFiatOptions): readonly FiatComponent[] {
  if (componentUrl === undefined) return [];
  const entered = methods.filter(({ type }) => type === 'card' || type === 'sepa_debit').map(fiatMethodOf);
  return [...new Set(entered.map(({ method }) => method))].map((paymentMethod) => ({
    paymentMethod,
    wallet: null,
    token: COMPONENT_TOKEN,
    frameUrl: componentUrl,
  }));
}
