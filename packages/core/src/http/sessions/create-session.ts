import { createSession, type CreatedSession } from '../../application/sessions/create-session.js';
import { withMembers, type JsonText } from '../../domain/json/json-text.js';
import type { CreatedGateSession } from '../../domain/session/session-resource.js';
import { endpoint } from '../endpoint.js';
import { KEYED_WRITE, KEY_REFUSALS } from '../presets.js';
import { perMinute } from '../rate-rules.js';
import { CREATE_SESSION_BODY } from './create-session-body.js';
import { CREATED_GATE_SESSION } from './session-schemas.js';

export const createSessionEndpoint = endpoint({
  ...KEYED_WRITE,
  name: 'createSession',
  path: '/v1/gate_sessions',
  summary: 'Create a session; its client_secret is shown once',
  limits: perMinute(10),
  body: CREATE_SESSION_BODY,
  reply: CREATED_GATE_SESSION,
  refusals: [...KEY_REFUSALS, 'origin_not_allowed', 'kyc_package_not_trusted', 'swap_not_enabled'],
  run: async ({ engine, caller, mode, body, keyed, answer }) => {
    const done = await createSession(engine, { partner: caller.partner, mode }, body, keyed(createdSession));
    return done.map((answered) => answer(answered, createdSession));
  },
});

/** The GateSession plus its `client_secret` (spec: Create response). */
export function createdSession({ resource, clientSecret }: CreatedSession): JsonText<CreatedGateSession> {
  return withMembers(resource, { client_secret: clientSecret });
}
