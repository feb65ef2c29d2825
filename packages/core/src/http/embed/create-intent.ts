import { keepRefusal } from '../../application/timeline/keep-refusal.js';
import { createIntent } from '../../application/intents/create-intent.js';
import type { ErrorCode } from '../../domain/error-code.js';
import { intentResource } from '../../domain/intent/intent-resource.js';
import { endpoint } from '../endpoint.js';
import { EMBED_WRITE, KEY_REFUSALS } from '../presets.js';
import { CREATE_INTENT_BODY, GATE_INTENT } from './intent-schemas.js';
import { QUOTE_REFUSALS } from './quote-schemas.js';

export const INTENT_REFUSALS = [
  ...KEY_REFUSALS,
  ...QUOTE_REFUSALS,
  'validation_failed',
  'session_required',
  'intent_in_progress',
  'quota_exhausted',
  'too_many_attempts',
  'quote_not_found',
  'quote_expired',
  'wallet_address_invalid',
] as const satisfies readonly ErrorCode[];

export const createIntentEndpoint = endpoint({
  ...EMBED_WRITE,
  name: 'createIntent',
  path: '/v1/embed/intents',
  summary: 'Create an intent: one attempt to pay',
  body: CREATE_INTENT_BODY,
  reply: GATE_INTENT,
  success: 201,
  refusals: INTENT_REFUSALS,
  run: async ({ engine, caller, body, keyed, answer, requestId }) => {
    const done = await createIntent(engine, caller, body, keyed(intentResource));
    if (done.isErr()) {
      const { scope, sessionId } = caller.token;
      await keepRefusal(engine, { scope, sessionId, code: done.error.code, asked: body, requestId });
    }
    return done.map((answered) => answer(answered, intentResource));
  },
});
