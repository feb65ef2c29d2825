import { toJsonText, type JsonText } from '../json/json-text.js';
import type { Mode, Scope } from '../mode.js';

/** The data of `webhook.test`. `livemode` is false on both hosts: nothing has happened (spec: Webhook events). */
export type WebhookTest = {
  readonly object: 'webhook_test';
  readonly livemode: false;
  readonly partner_id: string;
  readonly mode: Mode;
  readonly message: string;
};

/** The data of `webhook.test`. */
export function webhookTest({ partnerId, mode }: Scope): JsonText<WebhookTest> {
  return toJsonText({
    object: 'webhook_test',
    livemode: false,
    partner_id: partnerId,
    mode,
    message: 'This is a test. If its signature verifies, your endpoint receives webhooks.',
  } satisfies WebhookTest);
}
