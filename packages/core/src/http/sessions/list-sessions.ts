import { listSessions } from '../../application/sessions/list-sessions.js';
import { sessionResource } from '../../domain/session/session-resource.js';
import { endpoint } from '../endpoint.js';
import { SECRET_READ } from '../presets.js';
import { listEnvelope, listOf } from '../schema/list-envelope.js';
import { GATE_SESSION, LIST_SESSIONS_QUERY } from './session-schemas.js';

export const listSessionsEndpoint = endpoint({
  ...SECRET_READ,
  name: 'listSessions',
  path: '/v1/gate_sessions',
  summary: 'List sessions, newest first',
  query: LIST_SESSIONS_QUERY,
  reply: listOf(GATE_SESSION, '/v1/gate_sessions'),
  refusals: ['session_not_found'],
  run: async ({ engine, caller, query, path }) => {
    const page = await listSessions(engine, caller.scope, query.filter, query.page);
    return page.map((found) => listEnvelope(found, path, sessionResource));
  },
});
