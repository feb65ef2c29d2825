import type { ReplayedMany } from '../../application/webhooks/replay-deliveries.js';
import type { EndpointState, QueuedTest, RotatedSecret } from '../../application/webhooks/webhook-endpoint.js';
import { type Instant, isoTime, isoTimeOrNull } from '../../domain/instant.js';
import { toJsonText } from '../../domain/json.js';
import type { Mode } from '../../domain/mode.js';
import { webhookSecretPrefix } from '../../domain/webhook/endpoint.js';

export function testResult({ eventId, deliveryId, url, queuedAt }: QueuedTest) {
  return toJsonText({
    object: 'webhook_test_result',
    event_id: eventId,
    delivery_id: deliveryId,
    type: 'webhook.test',
    url,
    queued_at: isoTime(queuedAt),
  });
}

export function webhookReplay({ replayed, hasMore }: ReplayedMany) {
  return toJsonText({ object: 'webhook_replay', replayed, has_more: hasMore });
}

export function webhookSecret(mode: Mode, { secret, createdAt, previousExpiresAt }: RotatedSecret) {
  return toJsonText({
    object: 'webhook_secret',
    mode,
    secret,
    prefix: webhookSecretPrefix(secret),
    created_at: isoTime(createdAt),
    previous_expires_at: isoTimeOrNull(previousExpiresAt),
  });
}

export const ENDPOINT_STATUSES = ['not_configured', 'paused', 'healthy', 'failing'] as const;

export function webhookEndpoint(mode: Mode, { url, secretPrefix, pausedAt, health }: EndpointState) {
  const { consecutiveFailures } = health;
  return toJsonText({
    object: 'webhook_endpoint',
    mode,
    url,
    secret_prefix: secretPrefix,
    status: statusOf(url, pausedAt, consecutiveFailures),
    paused_at: isoTimeOrNull(pausedAt),
    consecutive_failures: consecutiveFailures,
    last_success_at: isoTimeOrNull(health.lastSuccessAt),
    last_failure_at: isoTimeOrNull(health.lastFailureAt),
    last_error: health.lastError,
  });
}

function statusOf(
  url: string | null,
  pausedAt: Instant | null,
  consecutiveFailures: number,
): (typeof ENDPOINT_STATUSES)[number] {
  if (url === null) return 'not_configured';
  if (pausedAt !== null) return 'paused';
  return consecutiveFailures > 0 ? 'failing' : 'healthy';
}
