import { cancelSession } from '../../application/sessions/cancel-session.js';
import { createSession } from '../../application/sessions/create-session.js';
import { listSessions, retrieveSession } from '../../application/sessions/read-sessions.js';
import { listTimeline } from '../../application/timeline.js';
import { sessionResource } from '../../domain/session/session-resource.js';
import { timelineEntryResource } from '../../domain/timeline.js';
import { by, endpoint } from '../endpoint.js';
import { param } from '../pipeline/router.js';
import { GLOBAL_TIERS, KEY_REFUSALS, KEYED_WRITE, perMinute, SECRET_READ, SECRET_WRITE } from '../presets.js';
import { listEnvelope, listOf } from '../schema/lists.js';
import {
  CREATE_SESSION_BODY,
  CREATED_GATE_SESSION,
  createdSession,
  GATE_SESSION,
  LIST_SESSIONS_QUERY,
  TIMELINE_ENTRY,
} from './schemas.js';

export const createSessionEndpoint = endpoint({
  ...KEYED_WRITE,
  name: 'createSession',
  beginsPayment: true,
  scope: 'sessions:write',
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

export const listSessionsEndpoint = endpoint({
  ...SECRET_READ,
  name: 'listSessions',
  scope: 'sessions:read',
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

export const retrieveSessionEndpoint = endpoint({
  ...SECRET_READ,
  name: 'retrieveSession',
  scope: 'sessions:read',
  path: '/v1/gate_sessions/{id}',
  summary: 'Retrieve a session',
  reply: GATE_SESSION,
  refusals: ['session_not_found'],
  run: async ({ engine, caller, params }) => {
    const session = await retrieveSession(engine, caller.scope, param(params, 'id'));
    return session.map(sessionResource);
  },
});

export const cancelSessionEndpoint = endpoint({
  ...SECRET_WRITE,
  name: 'cancelSession',
  scope: 'sessions:write',
  path: '/v1/gate_sessions/{id}/cancel',
  summary: 'Cancel an open session',
  // A repeat is refused because of the session's state (spec: Idempotency 2).
  idempotency: 'ignored',
  reply: GATE_SESSION,
  refusals: ['session_not_found', 'session_not_open', 'session_processing'],
  run: async ({ engine, caller, requestId, params }) => {
    const session = await cancelSession(engine, caller.scope, param(params, 'id'), by(caller, requestId));
    return session.map(sessionResource);
  },
});

const TIMELINE_PATH = '/v1/gate_sessions/{id}/timeline';

export const listTimelineEndpoint = endpoint({
  ...SECRET_READ,
  name: 'listTimeline',
  scope: 'sessions:read',
  path: TIMELINE_PATH,
  summary: 'List the timeline of a session, oldest first',
  limits: GLOBAL_TIERS,
  reply: listOf(TIMELINE_ENTRY, '/v1/gate_sessions/68a1f0c2b7e94d1f3a5c7e90/timeline'),
  refusals: ['session_not_found'],
  run: async ({ engine, caller, params, path }) => {
    const entries = await listTimeline(engine, caller.scope, param(params, 'id'));
    return entries.map((items) => listEnvelope({ items, hasMore: false }, path, timelineEntryResource));
  },
});
