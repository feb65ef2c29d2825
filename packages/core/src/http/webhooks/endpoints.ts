import { ok } from 'neverthrow';
import { retrieveDelivery, listDeliveries } from '../../application/webhooks/read-deliveries.js';
import { replayDeliveries, replayDelivery } from '../../application/webhooks/replay-deliveries.js';
import {
  retrieveWebhookEndpoint,
  type RotatedSecret,
  rotateWebhookSecret,
  testWebhook,
} from '../../application/webhooks/webhook-endpoint.js';
import { deliveryResource, listedDelivery, type TracedDelivery } from '../../domain/webhook/delivery-resource.js';
import { by, endpoint } from '../endpoint.js';
import { param } from '../pipeline/router.js';
import { GLOBAL_TIERS, KEY_REFUSALS, SECRET_READ, SECRET_WRITE } from '../presets.js';
import { listEnvelope, listOf } from '../schema/lists.js';
import { testResult, webhookEndpoint, webhookReplay, webhookSecret } from './resources.js';
import {
  LIST_DELIVERIES_QUERY,
  REPLAY_BODY,
  ROTATE_SECRET_BODY,
  WEBHOOK_DELIVERY,
  WEBHOOK_ENDPOINT,
  WEBHOOK_REPLAY,
  WEBHOOK_SECRET,
  WEBHOOK_TEST_RESULT,
} from './schemas.js';

export const testWebhookEndpoint = endpoint({
  ...SECRET_WRITE,
  name: 'testWebhook',
  scope: 'webhooks:write',
  path: '/v1/webhooks/test',
  summary: 'Send a webhook.test event to your endpoint',
  limits: GLOBAL_TIERS,
  reply: WEBHOOK_TEST_RESULT,
  success: 202,
  refusals: [...KEY_REFUSALS, 'webhook_url_not_configured'],
  run: async ({ engine, caller, requestId, keyed, answer }) => {
    const done = await testWebhook(engine, caller.scope, by(caller, requestId), keyed(testResult));
    return done.map((answered) => answer(answered, testResult));
  },
});

export const listDeliveriesEndpoint = endpoint({
  ...SECRET_READ,
  name: 'listDeliveries',
  scope: 'webhooks:read',
  path: '/v1/webhooks/deliveries',
  summary: 'List webhook deliveries, newest first',
  limits: GLOBAL_TIERS,
  query: LIST_DELIVERIES_QUERY,
  reply: listOf(WEBHOOK_DELIVERY, '/v1/webhooks/deliveries'),
  refusals: ['delivery_not_found'],
  run: async ({ engine, caller, query, path }) => {
    const page = await listDeliveries(engine, caller.scope, query.filter, query.page);
    return page.map((found) => listEnvelope(found, path, (record) => listedDelivery(record, engine.policy)));
  },
});

export const retrieveDeliveryEndpoint = endpoint({
  ...SECRET_READ,
  name: 'retrieveDelivery',
  scope: 'webhooks:read',
  path: '/v1/webhooks/deliveries/{id}',
  summary: 'Retrieve a webhook delivery with its attempts',
  limits: GLOBAL_TIERS,
  reply: WEBHOOK_DELIVERY,
  refusals: ['delivery_not_found'],
  run: async ({ engine, caller, params }) => {
    const found = await retrieveDelivery(engine, caller.scope, param(params, 'id'));
    return found.map((record) => deliveryResource(record, engine.policy));
  },
});

export const replayDeliveriesEndpoint = endpoint({
  ...SECRET_WRITE,
  name: 'replayDeliveries',
  scope: 'webhooks:write',
  path: '/v1/webhooks/deliveries/replay',
  summary: 'Replay dead-lettered deliveries, oldest first',
  limits: GLOBAL_TIERS,
  body: REPLAY_BODY,
  reply: WEBHOOK_REPLAY,
  success: 202,
  refusals: [...KEY_REFUSALS, 'webhook_url_not_configured'],
  run: async ({ engine, caller, requestId, body, keyed, answer }) => {
    const done = await replayDeliveries(engine, caller.scope, body, by(caller, requestId), keyed(webhookReplay));
    return done.map((answered) => answer(answered, webhookReplay));
  },
});

export const replayDeliveryEndpoint = endpoint({
  ...SECRET_WRITE,
  name: 'replayDelivery',
  scope: 'webhooks:write',
  path: '/v1/webhooks/deliveries/{id}/replay',
  summary: 'Replay a dead-lettered delivery',
  limits: GLOBAL_TIERS,
  reply: WEBHOOK_DELIVERY,
  success: 202,
  refusals: [...KEY_REFUSALS, 'delivery_not_found', 'delivery_not_dead_lettered', 'webhook_url_not_configured'],
  run: async ({ engine, caller, requestId, params, keyed, answer }) => {
    const render = (record: TracedDelivery) => deliveryResource(record, engine.policy);
    const id = param(params, 'id');
    const done = await replayDelivery(engine, caller.scope, id, by(caller, requestId), keyed(render));
    return done.map((answered) => answer(answered, render));
  },
});

export const rotateWebhookSecretEndpoint = endpoint({
  ...SECRET_WRITE,
  name: 'rotateWebhookSecret',
  scope: 'webhooks:write',
  path: '/portal/webhook-secret/rotate',
  summary: 'Rotate the webhook signing secret; the new one is shown once',
  limits: GLOBAL_TIERS,
  body: ROTATE_SECRET_BODY,
  reply: WEBHOOK_SECRET,
  refusals: [...KEY_REFUSALS, 'route_not_found'],
  run: async ({ engine, caller, requestId, mode, body, keyed, answer }) => {
    const render = (rotated: RotatedSecret) => webhookSecret(mode, rotated);
    const done = await rotateWebhookSecret(engine, caller.scope, body.graceMs, by(caller, requestId), keyed(render));
    return done.map((answered) => answer(answered, render));
  },
});

export const retrieveWebhookEndpointEndpoint = endpoint({
  ...SECRET_READ,
  name: 'retrieveWebhookEndpoint',
  scope: 'webhooks:read',
  path: '/v1/webhooks/endpoint',
  summary: 'Retrieve the webhook endpoint and its health',
  limits: GLOBAL_TIERS,
  reply: WEBHOOK_ENDPOINT,
  refusals: [],
  run: async ({ engine, caller, mode }) =>
    ok(webhookEndpoint(mode, await retrieveWebhookEndpoint(engine, caller.scope))),
});
