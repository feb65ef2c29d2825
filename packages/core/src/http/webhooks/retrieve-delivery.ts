import { findDelivery } from '../../application/webhooks/find-delivery.js';
import { deliveryResource } from '../../domain/webhook/delivery-resource.js';
import { endpoint } from '../endpoint.js';
import { param } from '../param.js';
import { SECRET_READ } from '../presets.js';
import { GLOBAL_TIERS } from '../rate-rules.js';
import { WEBHOOK_DELIVERY } from './webhook-schemas.js';

export const retrieveDeliveryEndpoint = endpoint({
  ...SECRET_READ,
  name: 'retrieveDelivery',
  path: '/v1/webhooks/deliveries/{id}',
  summary: 'Retrieve a webhook delivery with its attempts',
  limits: GLOBAL_TIERS,
  reply: WEBHOOK_DELIVERY,
  refusals: ['delivery_not_found'],
  run: async ({ engine, caller, params }) => {
    const found = await findDelivery(engine, caller.scope, param(params, 'id'));
    return found.map((record) => deliveryResource(record, engine.policy));
  },
});
