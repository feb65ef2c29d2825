import { readEmbedSession } from '../../application/embed/read-embed-session.js';
import { endpoint } from '../endpoint.js';
import { EMBED_READ } from '../presets.js';
import { embedSession } from './embed-session.js';
import { EMBED_SESSION } from './embed-schemas.js';

export const readEmbedSessionEndpoint = endpoint({
  ...EMBED_READ,
  name: 'readEmbedSession',
  path: '/v1/embed/session',
  summary: 'Retrieve the session of the embed token',
  reply: EMBED_SESSION,
  refusals: ['session_not_found', 'invalid_embed_token'],
  run: async ({ engine, caller }) => (await readEmbedSession(engine, caller)).map(embedSession),
});
