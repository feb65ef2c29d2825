import { replayDeliveries } from '../../application/webhooks/replay-deliveries.js';
import { endpoint } from '../endpoint.js';
import { KEY_REFUSALS, SECRET_WRITE } from '../presets.js';
import { GLOBAL_TIERS } from '../rate-rules.js';
import { webhookReplay } from './webhook-resources.js';
import { REPLAY_BODY, WEBHOOK_REPLAY } from './webhook-schemas.js';

export const replayDeliveriesEndpoint = endpoint({
  ...SECRET_WRITE,
  name: 'replayDeliveries',
  path: '/v1/webhooks/deliveries/replay',
  summary: 'Replay dead-lettered deliveries, oldest first',
  limits: GLOBAL_TIERS,
  body: REPLAY_BODY,
  reply: WEBHOOK_REPLAY,
  success: 202,
  refusals: [...KEY_REFUSALS, 'webhook_url_not_configured'],
  run: async ({ engine, caller, body, keyed, answer }) => {
    const done = await replayDeliveries(engine, caller.scope, body, keyed(webhookReplay));
    return done.map((answered) => answer(answered, webhookReplay));
  },
});
