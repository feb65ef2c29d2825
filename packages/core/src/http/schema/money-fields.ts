import type * as z from 'zod';
import { isIban } from '../../domain/intent/iban.js';
import { isRoutingNumber } from '../../domain/intent/routing-number.js';
import { currencyDecimals, fitsCurrency } from '../../domain/money/currency-decimals.js';
import { isPositive } from '../../domain/money/decimal.js';
import { pattern } from './fields.js';

const AMOUNT = /^(?=.{1,40}$)\d+(\.\d{1,8})?$/;

/** A positive decimal string (spec: Create-session request body, `amount`). */
export const amount: z.ZodType<string> = pattern(
  AMOUNT,
  'must be a decimal number with at most 8 decimal places and 40 characters',
).refine((value) => !AMOUNT.test(value) || isPositive(value), {
  message: 'must be greater than 0',
  params: { code: 'not_positive' },
});

/** Holds an amount to the decimals of its currency, wherever money is priced or moved. */
export function fitsItsCurrency(
  body: { readonly amount: string; readonly currency: string },
  refinement: z.RefinementCtx,
): void {
  // What is wrong with the amount itself has been said at its field.
  if (!AMOUNT.test(body.amount) || fitsCurrency(body.amount, body.currency)) return;
  const decimals = currencyDecimals(body.currency);
  const message = `must have at most ${decimals} decimals in ${body.currency.toUpperCase()}`;
  refinement.addIssue({ code: 'custom', path: ['amount'], message, params: { code: 'too_many_decimals' } });
}

export const currency = pattern(/^[A-Za-z]{3}$/, 'must be three letters (ISO 4217)');
export const token = pattern(/^[A-Za-z0-9]{2,12}$/, 'must be 2 to 12 letters or digits');
export const network = pattern(/^[A-Za-z0-9_-]{2,30}$/, 'must be 2 to 30 letters, digits, underscores or hyphens');
export const country = pattern(/^[A-Za-z]{2}$/, 'must be two letters (ISO 3166-1)');

const IBAN = /^[A-Za-z0-9 ]{8,42}$/;

export const iban = pattern(IBAN, 'must be an IBAN').refine((value) => !IBAN.test(value) || isIban(value), {
  message: 'must be an IBAN with valid check digits',
  params: { code: 'invalid_format' },
});

const ROUTING_NUMBER = /^[0-9]{9}$/;

export const routingNumber = pattern(ROUTING_NUMBER, 'must be 9 digits').refine(
  (value) => !ROUTING_NUMBER.test(value) || isRoutingNumber(value),
  { message: 'must be a routing number with a valid check digit', params: { code: 'invalid_format' } },
);

export const accountNumber = pattern(/^[0-9]{4,17}$/, 'must be 4 to 17 digits');
