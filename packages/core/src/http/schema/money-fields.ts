import type { ZodType } from 'zod';
import { isIban } from '../../domain/intent/iban.js';
import { isPositive } from '../../domain/money/decimal.js';
import { pattern } from './fields.js';

const AMOUNT = /^(?=.{1,40}$)\d+(\.\d{1,8})?$/;

/** A positive decimal string (spec: Create-session request body, `amount`). */
export const amount: ZodType<string> = pattern(
  AMOUNT,
  'must be digits with at most 8 after the dot, 40 characters in all',
).refine((value) => !AMOUNT.test(value) || isPositive(value), {
  message: 'must be greater than 0',
  params: { code: 'not_positive' },
});

export const currency = pattern(/^[A-Za-z]{3}$/, 'must be three letters (ISO 4217)');
export const token = pattern(/^[A-Za-z0-9]{2,12}$/, 'must be 2 to 12 letters or digits');
export const network = pattern(/^[A-Za-z0-9_-]{2,30}$/, 'must be 2 to 30 letters, digits, underscores or hyphens');
export const country = pattern(/^[A-Za-z]{2}$/, 'must be two letters (ISO 3166-1)');

const IBAN = /^[A-Za-z0-9 ]{8,42}$/;

export const iban = pattern(IBAN, 'must be an IBAN').refine((value) => !IBAN.test(value) || isIban(value), {
  message: 'must be an IBAN with the right check digits',
  params: { code: 'invalid_format' },
});
