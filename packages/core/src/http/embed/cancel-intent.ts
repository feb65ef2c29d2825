import { cancelIntent as cancel } from '../../application/intents/cancel-intent.js';
import { intentResource } from '../../domain/intent/intent-resource.js';
import { BOTH_MODES } from '../both-modes.js';
import { endpoint } from '../endpoint.js';
import { param } from '../param.js';
import { noQuery } from '../pipeline/read-query.js';
import { perMinute } from '../rate-rules.js';

export const cancelIntent = endpoint({
  method: 'POST',
  path: '/v1/embed/intents/{id}/cancel',
  summary: 'End an attempt before money moves',
  auth: 'embed',
  limits: perMinute(120),
  idempotency: 'honoured',
  modes: BOTH_MODES,
  cors: 'widget',
  query: noQuery,
  body: 'none',
  success: 200,
  errors: {
    invalid_embed_token: 401,
    intent_not_found: 404,
    session_not_found: 404,
    operation_in_progress: 409,
    session_required: 409,
    session_processing: 409,
    intent_not_confirmable: 409,
    idempotency_key_mismatch: 422,
  },
  run: async ({ engine, caller, params, keyed, answer }) => {
    const done = await cancel(engine, caller, { intentId: param(params, 'id') }, keyed(intentResource));
    return done.map((answered) => answer(answered, intentResource));
  },
});
