import { cancelIntent } from '../../application/intents/cancel-intent.js';
import { intentResource } from '../../domain/intent/intent-resource.js';
import { endpoint } from '../endpoint.js';
import { param } from '../param.js';
import { EMBED_WRITE, KEY_REFUSALS } from '../presets.js';
import { GATE_INTENT } from './intent-schemas.js';

export const cancelIntentEndpoint = endpoint({
  ...EMBED_WRITE,
  name: 'cancelIntent',
  path: '/v1/embed/intents/{id}/cancel',
  summary: 'Cancel an intent before money moves',
  reply: GATE_INTENT,
  refusals: [
    ...KEY_REFUSALS,
    'invalid_embed_token',
    'intent_not_found',
    'session_not_found',
    'session_required',
    'session_processing',
    'intent_not_confirmable',
  ],
  run: async ({ engine, caller, params, keyed, answer }) => {
    const done = await cancelIntent(engine, caller, { intentId: param(params, 'id') }, keyed(intentResource));
    return done.map((answered) => answer(answered, intentResource));
  },
});
