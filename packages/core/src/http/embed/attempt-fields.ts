import type { PaymentMethod } from '../../domain/intent/intent.js';
import { FLOWS } from '../../domain/session/terms.js';
import { oneOf, optional } from '../fields.js';
import { amount, country, currency, network, token } from '../money-fields.js';

/** Fields that quotes and intents of the checkout share (`docs/spec-notes.md`, embed calls). */
export const ATTEMPT_FIELDS = {
  flow: oneOf(FLOWS),
  amount,
  currency,
  source_token: optional(token),
  source_network: optional(network),
  target_token: optional(token),
  target_network: optional(network),
  payment_method: optional(oneOf(['card', 'bank_transfer', 'crypto'])),
  country_code: optional(country),
} as const;

/** The shared fields as the application names them. */
export function attemptOf(body: {
  readonly flow: (typeof FLOWS)[number];
  readonly amount: string;
  readonly currency: string;
  readonly source_token?: string | null | undefined;
  readonly source_network?: string | null | undefined;
  readonly target_token?: string | null | undefined;
  readonly target_network?: string | null | undefined;
  readonly payment_method?: PaymentMethod | null | undefined;
  readonly country_code?: string | null | undefined;
}) {
  return {
    flow: body.flow,
    amount: body.amount,
    currency: body.currency.toUpperCase(),
    sourceToken: body.source_token ?? null,
    sourceNetwork: body.source_network ?? null,
    targetToken: body.target_token ?? null,
    targetNetwork: body.target_network ?? null,
    paymentMethod: body.payment_method ?? null,
    countryCode: body.country_code?.toUpperCase() ?? null,
  };
}
