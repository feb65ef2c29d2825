import assert = require('node:assert/strict');
import sdk = require('@gateramp/sdk-node');

/** The Node SDK in CommonJS. */
const { Gate, webhooks } = sdk;
const secret = 'whsec_a_consumers_own_secret';
const payload = JSON.stringify({ id: 'e1', type: 'webhook.test', data: {} });
const event: sdk.WebhookEvent = webhooks.constructEvent(
  payload,
  webhooks.generateTestHeader({ payload, secret }),
  secret,
);
assert.equal(event.type, 'webhook.test');
assert.throws(() => new Gate('pk_test_consumer'), sdk.AuthenticationError);
