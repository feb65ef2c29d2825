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
  readonly source_token: string | null;
  readonly source_network: string | null;
  readonly target_token: string | null;
  readonly target_network: string | null;
  readonly payment_method: 'card' | 'bank_transfer' | 'crypto' | null;
  readonly country_code: string | null;
}) {
  return {
    flow: body.flow,
    amount: body.amount,
    currency: body.currency.toUpperCase(),
    sourceToken: body.source_token,
    sourceNetwork: body.source_network,
    targetToken: body.target_token,
    targetNetwork: body.target_network,
    paymentMethod: body.payment_method,
    countryCode: body.country_code?.toUpperCase() ?? null,
  };
}
