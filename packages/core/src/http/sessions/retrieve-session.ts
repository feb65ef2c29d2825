import { retrieveSession as readOne } from '../../application/sessions/retrieve-session.js';
import { sessionResource } from '../../domain/session/session-resource.js';
import { BOTH_MODES } from '../both-modes.js';
import { endpoint } from '../endpoint.js';
import { noQuery } from '../pipeline/read-query.js';
import { perMinute } from '../rate-rules.js';
import { param } from '../param.js';

export const retrieveSession = endpoint({
  method: 'GET',
  path: '/v1/gate_sessions/{id}',
  summary: 'Retrieve a session',
  auth: 'secret',
  limits: perMinute(60),
  idempotency: 'ignored',
  modes: BOTH_MODES,
  cors: null,
  query: noQuery,
  body: 'none',
  success: 200,
  errors: { session_not_found: 404 },
  run: async ({ engine, caller, params }) => {
    const session = await readOne(engine, caller.scope, param(params, 'id'));
    return session.map(sessionResource);
  },
});
