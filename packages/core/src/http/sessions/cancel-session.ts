import { cancelSession as cancelOne } from '../../application/sessions/cancel-session.js';
import { sessionResource } from '../../domain/session/session-resource.js';
import { BOTH_MODES } from '../both-modes.js';
import { endpoint } from '../endpoint.js';
import { param } from '../param.js';
import { noQuery } from '../pipeline/read-query.js';
import { perMinute } from '../rate-rules.js';

export const cancelSession = endpoint({
  method: 'POST',
  path: '/v1/gate_sessions/{id}/cancel',
  summary: 'Cancel an open session',
  auth: 'secret',
  limits: perMinute(30),
  idempotency: 'ignored',
  modes: BOTH_MODES,
  cors: null,
  query: noQuery,
  body: 'none',
  success: 200,
  errors: { session_not_found: 404, session_not_open: 409, session_processing: 409 },
  run: async ({ engine, caller, params }) => {
    const session = await cancelOne(engine, caller.scope, param(params, 'id'));
    return session.map(sessionResource);
  },
});
