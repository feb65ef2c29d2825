import * as z from 'zod';
import { createIntent as begin, type CreateIntent } from '../../application/intents/create-intent.js';
import { isIban } from '../../domain/intent/iban.js';
import { intentResource } from '../../domain/intent/intent-resource.js';
import type { PaymentDetails, PayoutDetails } from '../../ports/provider.js';
import { BOTH_MODES } from '../both-modes.js';
import { endpoint, type BodyInput, type Read } from '../endpoint.js';
import { optional, pattern, readFields, text } from '../fields.js';
import { noQuery } from '../pipeline/read-query.js';
import { perMinute } from '../rate-rules.js';
import { ATTEMPT_FIELDS, attemptOf } from './attempt-fields.js';

const paymentDetails = z.strictObject({
  card_number: pattern(/^[0-9]{12,19}$/, 'must be 12 to 19 digits'),
  expiry: pattern(/^(0[1-9]|1[0-2])\/[0-9]{2}$/, 'must be MM/YY'),
  cvc: pattern(/^[0-9]{3,4}$/, 'must be 3 or 4 digits'),
});

const IBAN = /^[A-Za-z0-9 ]{8,42}$/;

const iban = pattern(IBAN, 'must be an IBAN').refine((value) => !IBAN.test(value) || isIban(value), {
  message: 'must be an IBAN with the right check digits',
  params: { code: 'invalid_format' },
});

const payoutDetails = z.strictObject({
  type: text(30, 1),
  iban,
  account_holder: text(140, 1),
});

const schema = z.strictObject({
  ...ATTEMPT_FIELDS,
  quote_id: optional(text(255, 1)),
  wallet_address: optional(text(128, 1)),
  refund_address: optional(text(128, 1)),
  payout_details: optional(payoutDetails),
  payment_details: optional(paymentDetails),
});

export const createIntent = endpoint({
  method: 'POST',
  path: '/v1/embed/intents',
  summary: 'Begin one attempt of the session',
  auth: 'embed',
  limits: perMinute(120),
  idempotency: 'honoured',
  modes: BOTH_MODES,
  cors: 'widget',
  query: noQuery,
  body: readCreateIntent,
  success: 201,
  errors: {
    validation_failed: 400,
    amount_mismatch: 400,
    terms_mismatch: 400,
    invalid_embed_token: 401,
    swap_not_enabled: 403,
    session_not_found: 404,
    quote_not_found: 404,
    operation_in_progress: 409,
    session_not_open: 409,
    session_required: 409,
    intent_in_progress: 409,
    quota_exhausted: 409,
    too_many_attempts: 409,
    idempotency_key_mismatch: 422,
    corridor_not_supported: 422,
    amount_below_minimum: 422,
    amount_above_maximum: 422,
    asset_network_mismatch: 422,
    wallet_address_invalid: 422,
    quote_expired: 422,
  },
  run: async ({ engine, caller, body, keyed, answer }) => {
    const done = await begin(engine, caller, body, keyed(intentResource));
    return done.map((answered) => answer(answered, intentResource));
  },
});

function readCreateIntent({ document }: BodyInput): Read<CreateIntent> {
  return readFields(schema, document.value).map((body) => ({
    ...attemptOf(body),
    walletAddress: body.wallet_address ?? null,
    refundAddress: body.refund_address ?? null,
    quoteId: body.quote_id ?? null,
    paymentDetails: paymentDetailsOf(body.payment_details ?? null),
    payoutDetails: payoutDetailsOf(body.payout_details ?? null),
  }));
}

function paymentDetailsOf(details: z.infer<typeof paymentDetails> | null): PaymentDetails | null {
  if (details === null) return null;
  return { cardNumber: details.card_number, expiry: details.expiry, cvc: details.cvc };
}

function payoutDetailsOf(details: z.infer<typeof payoutDetails> | null): PayoutDetails | null {
  if (details === null) return null;
  return { type: details.type, iban: details.iban, accountHolder: details.account_holder };
}
