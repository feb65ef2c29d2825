import { testWebhook } from '../../application/webhooks/test-webhook.js';
import { endpoint } from '../endpoint.js';
import { KEY_REFUSALS, SECRET_WRITE } from '../presets.js';
import { GLOBAL_TIERS } from '../rate-rules.js';
import { testResult } from './webhook-resources.js';
import { WEBHOOK_TEST_RESULT } from './webhook-schemas.js';

export const testWebhookEndpoint = endpoint({
  ...SECRET_WRITE,
  name: 'testWebhook',
  path: '/v1/webhooks/test',
  summary: 'Send a webhook.test event to your endpoint',
  limits: GLOBAL_TIERS,
  reply: WEBHOOK_TEST_RESULT,
  success: 202,
  refusals: [...KEY_REFUSALS, 'webhook_url_not_configured'],
  run: async ({ engine, caller, keyed, answer }) => {
    const done = await testWebhook(engine, caller.scope, keyed(testResult));
    return done.map((answered) => answer(answered, testResult));
  },
});
