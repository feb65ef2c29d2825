import { replayDelivery } from '../../application/webhooks/replay-delivery.js';
import { deliveryResource, type TracedDelivery } from '../../domain/webhook/delivery-resource.js';
import { endpoint } from '../endpoint.js';
import { param } from '../param.js';
import { KEY_REFUSALS, SECRET_WRITE } from '../presets.js';
import { GLOBAL_TIERS } from '../rate-rules.js';
import { WEBHOOK_DELIVERY } from './webhook-schemas.js';

export const replayDeliveryEndpoint = endpoint({
  ...SECRET_WRITE,
  name: 'replayDelivery',
  path: '/v1/webhooks/deliveries/{id}/replay',
  summary: 'Replay a dead-lettered delivery',
  limits: GLOBAL_TIERS,
  reply: WEBHOOK_DELIVERY,
  success: 202,
  refusals: [...KEY_REFUSALS, 'delivery_not_found', 'delivery_not_dead_lettered', 'webhook_url_not_configured'],
  run: async ({ engine, caller, params, keyed, answer }) => {
    const render = (record: TracedDelivery) => deliveryResource(record, engine.policy);
    const done = await replayDelivery(engine, caller.scope, param(params, 'id'), keyed(render));
    return done.map((answered) => answer(answered, render));
  },
});
