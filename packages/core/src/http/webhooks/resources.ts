import type { ReplayedMany } from '../../application/webhooks/replay-deliveries.js';
import type { QueuedTest } from '../../application/webhooks/test-webhook.js';
import type { EndpointState, RotatedSecret } from '../../application/webhooks/webhook-endpoint.js';
import { type Instant, isoTime, isoTimeOrNull } from '../../domain/instant.js';
import { type JsonText, toJsonText } from '../../domain/json.js';
import type { Mode } from '../../domain/mode.js';
import { webhookSecretPrefix } from '../../domain/webhook/endpoint.js';

export type WebhookTestResult = {
  readonly object: 'webhook_test_result';
  readonly event_id: string;
  readonly delivery_id: string;
  readonly type: 'webhook.test';
  readonly url: string;
  readonly queued_at: string;
};

export function testResult({ eventId, deliveryId, url, queuedAt }: QueuedTest): JsonText<WebhookTestResult> {
  return toJsonText({
    object: 'webhook_test_result',
    event_id: eventId,
    delivery_id: deliveryId,
    type: 'webhook.test',
    url,
    queued_at: isoTime(queuedAt),
  } satisfies WebhookTestResult);
}

export type WebhookReplay = {
  readonly object: 'webhook_replay';
  readonly replayed: number;
  readonly has_more: boolean;
};

export function webhookReplay({ replayed, hasMore }: ReplayedMany): JsonText<WebhookReplay> {
  return toJsonText({ object: 'webhook_replay', replayed, has_more: hasMore } satisfies WebhookReplay);
}

export type GateWebhookSecret = {
  readonly object: 'webhook_secret';
  readonly mode: Mode;
  readonly secret: string;
  readonly prefix: string;
  readonly created_at: string;
  readonly previous_expires_at: string | null;
};

export function webhookSecret(
  mode: Mode,
  { secret, createdAt, previousExpiresAt }: RotatedSecret,
): JsonText<GateWebhookSecret> {
  return toJsonText({
    object: 'webhook_secret',
    mode,
    secret,
    prefix: webhookSecretPrefix(secret),
    created_at: isoTime(createdAt),
    previous_expires_at: isoTimeOrNull(previousExpiresAt),
  } satisfies GateWebhookSecret);
}

export const ENDPOINT_STATUSES = ['not_configured', 'paused', 'healthy', 'failing'] as const;

export type GateWebhookEndpoint = {
  readonly object: 'webhook_endpoint';
  readonly mode: Mode;
  readonly url: string | null;
  readonly secret_prefix: string | null;
  readonly status: (typeof ENDPOINT_STATUSES)[number];
  readonly paused_at: string | null;
  readonly consecutive_failures: number;
  readonly last_success_at: string | null;
  readonly last_failure_at: string | null;
  readonly last_error: string | null;
};

export function webhookEndpoint(
  mode: Mode,
  { url, secretPrefix, pausedAt, health }: EndpointState,
): JsonText<GateWebhookEndpoint> {
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
  } satisfies GateWebhookEndpoint);
}

function statusOf(
  url: string | null,
  pausedAt: Instant | null,
  consecutiveFailures: number,
): GateWebhookEndpoint['status'] {
  if (url === null) return 'not_configured';
  if (pausedAt !== null) return 'paused';
  return consecutiveFailures > 0 ? 'failing' : 'healthy';
}
