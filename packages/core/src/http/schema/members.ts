import * as z from 'zod';
import type { Opaque } from '../../domain/json/json-text.js';
import { MODES } from '../../domain/mode.js';
import { FAILURE_CODES, PAYMENT_METHODS, STAGES } from '../../domain/intent/intent.js';
import { FLOWS } from '../../domain/session/terms.js';
import { documented } from './documented.js';

/** Members that many resources share, as answers hold them. */
export const time = documented(z.string().regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/), { format: 'date-time' });
export const decimal = z.string().regex(/^\d+(\.\d+)?$/);
export const objectId = z.string().regex(/^[0-9a-f]{24}$/);
export const refid = z.string().regex(/^gtx_[0-9A-Za-z]{20}$/);
/** Ids that a host may choose itself. */
export const partnerId = z.string();
export const mode = z.enum(MODES);
export const flow = z.enum(FLOWS);
export const paymentMethod = z.enum(PAYMENT_METHODS);

/** Of the partner's own: any object, as it was written. */
export const opaque = documented(z.record(z.string(), z.unknown()) satisfies z.ZodType<Opaque>, {
  description: 'Returned verbatim, including key order and number formatting.',
});

export const side = z.object({
  amount: decimal.nullable(),
  currency: z.string().nullable(),
  network: z.string().nullable(),
});

export const fee = z.object({ type: z.string(), amount: decimal, currency: z.string() });

/** Instructions of a bank transfer, as an intent and a pay-in show them. */
export const bankTransfer = z.object({
  type: z.literal('bank_transfer'),
  iban: z.string(),
  bic: z.string(),
  account_holder: z.string(),
  reference: z.string(),
  amount: decimal,
  currency: z.string(),
  expires_at: time,
});

export const failure = z.object({
  code: z.enum(FAILURE_CODES),
  stage: z.enum(STAGES),
  message: z.string(),
  retryable: z.boolean(),
});
