import { rotateSecret, type RotatedSecret } from '../../application/webhooks/rotate-secret.js';
import { endpoint } from '../endpoint.js';
import { KEY_REFUSALS, SECRET_WRITE } from '../presets.js';
import { GLOBAL_TIERS } from '../rate-rules.js';
import { webhookSecret } from './webhook-resources.js';
import { ROTATE_SECRET_BODY, WEBHOOK_SECRET } from './webhook-schemas.js';

export const rotateSecretEndpoint = endpoint({
  ...SECRET_WRITE,
  name: 'rotateWebhookSecret',
  path: '/portal/webhook-secret/rotate',
  summary: 'Replace the webhook signing secret; the new one is shown once',
  limits: GLOBAL_TIERS,
  body: ROTATE_SECRET_BODY,
  reply: WEBHOOK_SECRET,
  refusals: [...KEY_REFUSALS, 'route_not_found'],
  run: async ({ engine, caller, mode, body, keyed, answer }) => {
    const render = (rotated: RotatedSecret) => webhookSecret(mode, rotated);
    const done = await rotateSecret(engine, caller.scope, body.graceMs, keyed(render));
    return done.map((answered) => answer(answered, render));
  },
});
