import { err, ok } from 'neverthrow';
import type { Instant } from '../../domain/instant.js';
import type { Scope } from '../../domain/mode.js';
import { webhookTest } from '../../domain/webhook/event.js';
import { emptyChange } from '../../ports/change.js';
import { loadAudience, partnerEvent } from '../commit/row-writes.js';
import type { Engine } from '../engine.js';
import type { Idempotent } from '../idempotency/idempotent.js';
import { executeKeyed, type Keyed } from '../idempotency/keyed.js';
import { type NoWebhookUrl, webhookUrl } from './webhook-endpoint.js';

/** A queued `webhook.test`. */
export interface QueuedTest {
  readonly eventId: string;
  readonly deliveryId: string;
  readonly url: string;
  readonly queuedAt: Instant;
}

/** Sends `webhook.test` to the partner's endpoint like any other event: signed, retried and listed (spec: POST /v1/webhooks/test). */
export function testWebhook(
  engine: Engine,
  scope: Scope,
  idempotent: Idempotent<QueuedTest> | null,
): Keyed<QueuedTest, NoWebhookUrl> {
  return executeKeyed(
    engine,
    {
      load: async () => {
        const url = await webhookUrl(engine, scope);
        if (url.isErr()) return err(url.error);
        return ok({ url: url.value, audience: await loadAudience(engine, scope) });
      },
      decide: ({ url, audience }) => {
        const now = engine.clock.now(scope);
        // The response names the delivery, so it is written even if the URL is removed between the check and the commit.
        const wanted = { ...audience, webhook: 'always' } as const;
        const announced = { type: 'webhook.test', data: webhookTest(scope) } as const;
        const writes = partnerEvent(engine, wanted, scope, announced, now);
        const delivery = writes.deliveries.find(({ row }) => row.target === 'webhook')?.row;
        if (delivery === undefined) throw new Error('A test event was written without its delivery.');
        const value = { eventId: delivery.eventId, deliveryId: delivery.id, url, queuedAt: now };
        return ok({ change: { ...emptyChange(scope, now), ...writes }, value });
      },
    },
    idempotent,
  );
}
