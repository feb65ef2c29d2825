import { retrieveSession } from '../../application/sessions/retrieve-session.js';
import { sessionResource } from '../../domain/session/session-resource.js';
import { endpoint } from '../endpoint.js';
import { param } from '../param.js';
import { SECRET_READ } from '../presets.js';
import { GATE_SESSION } from './session-schemas.js';

export const retrieveSessionEndpoint = endpoint({
  ...SECRET_READ,
  name: 'retrieveSession',
  path: '/v1/gate_sessions/{id}',
  summary: 'Retrieve a session',
  reply: GATE_SESSION,
  refusals: ['session_not_found'],
  run: async ({ engine, caller, params }) => {
    const session = await retrieveSession(engine, caller.scope, param(params, 'id'));
    return session.map(sessionResource);
  },
});
