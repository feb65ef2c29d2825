import * as z from 'zod';
import { confirmIntent as confirm } from '../../application/intents/confirm-intent.js';
import { intentResource } from '../../domain/intent/intent-resource.js';
import type { Confirmation } from '../../ports/provider.js';
import { BOTH_MODES } from '../both-modes.js';
import { isCalendarDay } from '../calendar-day.js';
import { endpoint, type BodyInput, type Read } from '../endpoint.js';
import { pattern, readFields, text } from '../fields.js';
import { param } from '../param.js';
import { noQuery } from '../pipeline/read-query.js';
import { perMinute } from '../rate-rules.js';

const DAY = /^\d{4}-\d{2}-\d{2}$/;

const kyc = z.strictObject({
  first_name: text(100, 1),
  last_name: text(100, 1),
  date_of_birth: pattern(DAY, 'must be YYYY-MM-DD').refine(
    (day) => !DAY.test(day) || isCalendarDay(day),
    'must be a day of the calendar',
  ),
  document_number: text(100, 1),
});

const schema = z.discriminatedUnion(
  'action',
  [
    z.strictObject({ action: z.literal('kyc'), kyc }),
    z.strictObject({ action: z.literal('payment_authentication'), code: text(20, 1) }),
    z.strictObject({ action: z.literal('crypto_deposit') }),
  ],
  { error: 'must be kyc, payment_authentication or crypto_deposit' },
);

export const confirmIntent = endpoint({
  method: 'POST',
  path: '/v1/embed/intents/{id}/confirm',
  summary: 'Give the intent what its next_action asks for',
  auth: 'embed',
  limits: perMinute(120),
  idempotency: 'honoured',
  modes: BOTH_MODES,
  cors: 'widget',
  query: noQuery,
  body: readConfirmation,
  success: 200,
  errors: {
    invalid_embed_token: 401,
    intent_not_found: 404,
    session_not_found: 404,
    operation_in_progress: 409,
    session_required: 409,
    intent_not_confirmable: 409,
    idempotency_key_mismatch: 422,
  },
  run: async ({ engine, caller, params, body, keyed, answer }) => {
    const input = { intentId: param(params, 'id'), confirmation: body };
    const done = await confirm(engine, caller, input, keyed(intentResource));
    return done.map((answered) => answer(answered, intentResource));
  },
});

function readConfirmation({ document }: BodyInput): Read<Confirmation> {
  return readFields(schema, document.value).map((body) => {
    if (body.action !== 'kyc') return body;
    return {
      action: 'kyc',
      kyc: {
        firstName: body.kyc.first_name,
        lastName: body.kyc.last_name,
        dateOfBirth: body.kyc.date_of_birth,
        documentNumber: body.kyc.document_number,
      },
    };
  });
}
