import { ok } from 'neverthrow';
import { readEndpoint } from '../../application/webhooks/read-endpoint.js';
import { endpoint } from '../endpoint.js';
import { SECRET_READ } from '../presets.js';
import { GLOBAL_TIERS } from '../rate-rules.js';
import { webhookEndpoint } from './webhook-resources.js';
import { WEBHOOK_ENDPOINT } from './webhook-schemas.js';

export const retrieveEndpointEndpoint = endpoint({
  ...SECRET_READ,
  name: 'retrieveWebhookEndpoint',
  path: '/v1/webhooks/endpoint',
  summary: 'Retrieve the webhook endpoint and its health',
  limits: GLOBAL_TIERS,
  reply: WEBHOOK_ENDPOINT,
  refusals: [],
  run: async ({ engine, caller, mode }) => ok(webhookEndpoint(mode, await readEndpoint(engine, caller.scope))),
});
