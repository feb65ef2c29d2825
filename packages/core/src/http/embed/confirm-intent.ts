import { confirmIntent } from '../../application/intents/confirm-intent.js';
import { intentResource } from '../../domain/intent/intent-resource.js';
import { endpoint } from '../endpoint.js';
import { param } from '../param.js';
import { EMBED_WRITE, KEY_REFUSALS } from '../presets.js';
import { CONFIRM_INTENT_BODY, GATE_INTENT } from './intent-schemas.js';

export const confirmIntentEndpoint = endpoint({
  ...EMBED_WRITE,
  name: 'confirmIntent',
  path: '/v1/embed/intents/{id}/confirm',
  summary: 'Confirm the next action of an intent',
  body: CONFIRM_INTENT_BODY,
  reply: GATE_INTENT,
  refusals: [
    ...KEY_REFUSALS,
    'invalid_embed_token',
    'intent_not_found',
    'session_not_found',
    'session_required',
    'intent_not_confirmable',
    'validation_failed',
  ],
  run: async ({ engine, caller, params, body, keyed, answer }) => {
    const input = { intentId: param(params, 'id'), confirmation: body };
    const done = await confirmIntent(engine, caller, input, keyed(intentResource));
    return done.map((answered) => answer(answered, intentResource));
  },
});
