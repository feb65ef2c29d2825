import { sessionOfToken } from '../../application/embed/embed-token.js';
import type { JsonText } from '../../domain/json/json-text.js';
import { withMembers } from '../../domain/json/json-text.js';
import type { Session } from '../../domain/session/session.js';
import { BOTH_MODES } from '../both-modes.js';
import { endpoint } from '../endpoint.js';
import { noQuery } from '../pipeline/read-query.js';
import { perMinute } from '../rate-rules.js';
import { embedSession } from './embed-session.js';

export const readEmbedSession = endpoint({
  method: 'GET',
  path: '/v1/embed/session',
  summary: 'The session the embed token is bound to',
  auth: 'embed',
  limits: perMinute(120),
  idempotency: 'ignored',
  modes: BOTH_MODES,
  cors: 'widget',
  query: noQuery,
  body: 'none',
  success: 200,
  errors: { session_not_found: 404, invalid_embed_token: 401 },
  run: async ({ engine, caller }) => (await sessionOfToken(engine, caller.token)).map(boundSession),
});

/** With the intent to resume, if one is live. */
function boundSession(session: Session): JsonText {
  return withMembers(embedSession(session), {
    object: 'embed_session',
    flow: session.terms.flow,
    mode: session.mode,
    intent_id: session.intentId,
  });
}
