import { readIntent as readOne } from '../../application/intents/read-intent.js';
import { intentResource } from '../../domain/intent/intent-resource.js';
import { BOTH_MODES } from '../both-modes.js';
import { endpoint } from '../endpoint.js';
import { param } from '../param.js';
import { noQuery } from '../pipeline/read-query.js';
import { perMinute } from '../rate-rules.js';

export const readIntent = endpoint({
  method: 'GET',
  path: '/v1/embed/intents/{id}',
  summary: 'An intent of the bound session',
  auth: 'embed',
  limits: perMinute(120),
  idempotency: 'ignored',
  modes: BOTH_MODES,
  cors: 'widget',
  query: noQuery,
  body: 'none',
  success: 200,
  errors: { intent_not_found: 404, session_not_found: 404, session_required: 409, invalid_embed_token: 401 },
  run: async ({ engine, caller, params }) => {
    const found = await readOne(engine, caller.token, param(params, 'id'));
    return found.map((purchase) => intentResource(purchase.intent));
  },
});
