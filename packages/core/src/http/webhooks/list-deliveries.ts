import { listDeliveries } from '../../application/webhooks/list-deliveries.js';
import { listedDelivery } from '../../domain/webhook/delivery-resource.js';
import { endpoint } from '../endpoint.js';
import { SECRET_READ } from '../presets.js';
import { GLOBAL_TIERS } from '../rate-rules.js';
import { listEnvelope, listOf } from '../schema/list-envelope.js';
import { LIST_DELIVERIES_QUERY, WEBHOOK_DELIVERY } from './webhook-schemas.js';

export const listDeliveriesEndpoint = endpoint({
  ...SECRET_READ,
  name: 'listDeliveries',
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
