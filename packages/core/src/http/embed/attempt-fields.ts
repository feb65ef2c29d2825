import type * as z from 'zod';
import { PAYMENT_METHODS } from '../../domain/intent/intent.js';
import { FLOWS } from '../../domain/session/terms.js';
import { oneOf, optional } from '../schema/fields.js';
import { amount, country, currency, network, token } from '../schema/money-fields.js';

/** Fields that quotes and intents of the checkout share (`docs/spec-notes.md`, embed calls). */
export const ATTEMPT_FIELDS = {
  flow: oneOf(FLOWS),
  amount,
  currency,
  source_token: optional(token),
  source_network: optional(network),
  target_token: optional(token),
  target_network: optional(network),
  payment_method: optional(oneOf(PAYMENT_METHODS)),
  country_code: optional(country),
} as const;

/** The shared fields as the application names them. */
export function attemptOf(body: z.output<z.ZodObject<typeof ATTEMPT_FIELDS>>) {
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

export const ATTEMPT_EXAMPLE = {
  flow: 'on_ramp',
  amount: '100.00',
  currency: 'EUR',
  target_token: 'USDC',
  target_network: 'base',
  country_code: 'DE',
} as const;
