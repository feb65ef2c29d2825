import { createSession as openSession, type CreatedSession } from '../../application/sessions/create-session.js';
import { withMembers, type JsonText } from '../../domain/json/json-text.js';
import { BOTH_MODES } from '../both-modes.js';
import { endpoint } from '../endpoint.js';
import { noQuery } from '../pipeline/read-query.js';
import { perMinute } from '../rate-rules.js';
import { readCreateSession } from './create-session-body.js';

export const createSession = endpoint({
  method: 'POST',
  path: '/v1/gate_sessions',
  summary: 'Create a session; its client_secret is shown once',
  auth: 'secret',
  limits: perMinute(10),
  idempotency: 'required',
  modes: BOTH_MODES,
  cors: null,
  query: noQuery,
  body: readCreateSession,
  success: 201,
  errors: {
    origin_not_allowed: 403,
    kyc_package_not_trusted: 403,
    swap_not_enabled: 403,
    operation_in_progress: 409,
    idempotency_key_mismatch: 422,
  },
  run: async ({ engine, caller, mode, body, keyed, answer }) => {
    const done = await openSession(engine, { partner: caller.partner, mode }, body, keyed(createdSession));
    return done.map((answered) => answer(answered, createdSession));
  },
});

/** The GateSession plus its `client_secret` (spec: Create response). */
export function createdSession({ resource, clientSecret }: CreatedSession): JsonText {
  return withMembers(resource, { client_secret: clientSecret });
}
