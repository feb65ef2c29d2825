import { replayable } from '../../application/idempotency/replayable.js';
import { simulate } from '../../application/test-helpers/simulate.js';
import { intentResource } from '../../domain/intent/intent-resource.js';
import { INTENT_REFUSALS } from '../embed/create-intent.js';
import { GATE_INTENT } from '../embed/intent-schemas.js';
import { endpoint } from '../endpoint.js';
import { param } from '../param.js';
import { TEST_HELPER } from '../presets.js';
import { SIMULATE_BODY } from './test-helper-schemas.js';

export const simulateEndpoint = endpoint({
  ...TEST_HELPER,
  name: 'simulate',
  path: '/v1/test_helpers/gate_sessions/{id}/simulate',
  summary: 'Simulate a checkout scenario',
  body: SIMULATE_BODY,
  reply: GATE_INTENT,
  // Whatever the buyer's own calls may refuse.
  refusals: [...INTENT_REFUSALS, 'intent_not_found', 'intent_not_confirmable', 'session_processing'],
  run: async ({ engine, caller, params, body, keyed, answer }) => {
    const done = await replayable(engine, caller.scope, keyed(intentResource), () =>
      simulate(engine, caller.partner, param(params, 'id'), body.scenario),
    );
    return done.map((answered) => answer(answered, intentResource));
  },
});
