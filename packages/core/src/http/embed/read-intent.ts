import { readIntent } from '../../application/intents/read-intent.js';
import { intentResource } from '../../domain/intent/intent-resource.js';
import { stageMembers } from '../../domain/transaction/transaction-resource.js';
import { endpoint } from '../endpoint.js';
import { param } from '../param.js';
import { EMBED_READ } from '../presets.js';
import { GATE_INTENT } from './intent-schemas.js';

export const readIntentEndpoint = endpoint({
  ...EMBED_READ,
  name: 'readIntent',
  path: '/v1/embed/intents/{id}',
  summary: 'Retrieve an intent of the bound session',
  reply: GATE_INTENT,
  refusals: ['intent_not_found', 'session_not_found', 'session_required', 'invalid_embed_token'],
  run: async ({ engine, caller, params }) => {
    const found = await readIntent(engine, caller.token, param(params, 'id'));
    return found.map(({ intent, transaction }) => intentResource(intent, stageMembers(transaction.stages)));
  },
});
