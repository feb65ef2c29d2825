import { acceptCallback } from '../../application/providers/accept-callback.js';
import { toJsonText } from '../../domain/json/json-text.js';
import { BOTH_MODES } from '../both-modes.js';
import { endpoint } from '../endpoint.js';
import { param } from '../param.js';
import { anyQuery } from '../pipeline/read-query.js';

/** Authenticated by the provider's adapter over the raw bytes, and never throttled. */
export const providerCallback = endpoint({
  method: 'POST',
  path: '/v1/providers/{name}/callbacks',
  summary: 'A provider reports the outcome of an operation',
  auth: 'none',
  limits: null,
  idempotency: 'ignored',
  modes: BOTH_MODES,
  cors: null,
  query: anyQuery,
  body: 'raw',
  success: 200,
  errors: { route_not_found: 404, malformed_credential: 401, validation_failed: 400, intent_not_found: 404 },
  run: async ({ engine, mode, params, body, headers }) => {
    // A `raw` endpoint is given the bytes as they came.
    const rawBody = body as Uint8Array;
    const done = await acceptCallback(engine, mode, param(params, 'name'), { rawBody, headers: headers() });
    return done.map(() => toJsonText({ object: 'provider_callback', received: true }));
  },
});
