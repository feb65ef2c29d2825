import { cancelSession } from '../../application/sessions/cancel-session.js';
import { sessionResource } from '../../domain/session/session-resource.js';
import { endpoint } from '../endpoint.js';
import { param } from '../param.js';
import { SECRET_WRITE } from '../presets.js';
import { GATE_SESSION } from './session-schemas.js';

export const cancelSessionEndpoint = endpoint({
  ...SECRET_WRITE,
  name: 'cancelSession',
  path: '/v1/gate_sessions/{id}/cancel',
  summary: 'Cancel an open session',
  // Cancelling twice is refused by the session's own state (spec: Idempotency 2).
  idempotency: 'ignored',
  reply: GATE_SESSION,
  refusals: ['session_not_found', 'session_not_open', 'session_processing'],
  run: async ({ engine, caller, params }) => {
    const session = await cancelSession(engine, caller.scope, param(params, 'id'));
    return session.map(sessionResource);
  },
});
