import * as z from 'zod';
import { acceptCallback } from '../../application/providers/accept-callback.js';
import { toJsonText } from '../../domain/json.js';
import { endpoint } from '../endpoint.js';
import { param } from '../pipeline/router.js';
import { PUBLIC_READ } from '../presets.js';
import { wireType } from '../schema/members.js';
import { anyQuery, rawBody } from '../schema/request.js';

const RECEIVED = toJsonText({ object: 'provider_callback', received: true });

const PROVIDER_CALLBACK = wireType(
  'ProviderCallback',
  z.object({ object: z.literal('provider_callback'), received: z.literal(true) }),
  { description: 'The report of the provider was accepted.', example: RECEIVED },
);

/** Authenticated by the provider's adapter from the raw bytes; never throttled. */
export const providerCallbackEndpoint = endpoint({
  ...PUBLIC_READ,
  name: 'providerCallback',
  method: 'POST',
  path: '/v1/providers/{name}/callbacks',
  summary: 'Report the outcome of an operation (providers)',
  query: anyQuery,
  body: rawBody,
  reply: PROVIDER_CALLBACK,
  refusals: ['route_not_found', 'malformed_credential', 'validation_failed', 'intent_not_found'],
  run: async ({ engine, mode, params, body, headers }) => {
    const done = await acceptCallback(engine, mode, param(params, 'name'), { rawBody: body, headers: headers() });
    return done.map(() => RECEIVED);
  },
});
