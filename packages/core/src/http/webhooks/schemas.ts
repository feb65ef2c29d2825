import * as z from 'zod';
import type { DeliveryListFilter } from '../../application/webhooks/read-deliveries.js';
import type { ReplayRequest } from '../../application/webhooks/replay-deliveries.js';
import { HOUR, MINUTE, SECOND } from '../../domain/instant.js';
import { scopeOf } from '../../domain/mode.js';
import { DEFAULT_POLICY } from '../../domain/policy.js';
import { deliveryResource } from '../../domain/webhook/delivery-resource.js';
import {
  DELIVERY_ATTEMPT_TRIGGERS,
  DELIVERY_STATUSES,
  newDelivery,
  recordDeliveryAttempt,
} from '../../domain/webhook/delivery.js';
import { EVENT_TYPES } from '../events/schemas.js';
import { COMPLETED, T0 } from '../examples.js';
import { oneOf, optional, text, wholeNumber } from '../schema/fields.js';
import { instant, listQuery } from '../schema/lists.js';
import { mode, objectId, partnerId, time, wireType } from '../schema/members.js';
import { jsonBody } from '../schema/request.js';
import { ENDPOINT_STATUSES, testResult, webhookEndpoint, webhookReplay, webhookSecret } from './resources.js';

const EXAMPLE_EVENT_ID = '0b8f8f5e-6d7a-4c39-9f0a-6b1d2f3c4e5a';
const EXAMPLE_URL = 'https://shop.example/hooks';

const attempt = z.object({
  number: z.int(),
  trigger: z.enum(DELIVERY_ATTEMPT_TRIGGERS),
  started_at: time,
  duration_ms: z.int(),
  response_status: z.int().nullable(),
  response_body: z.string().nullable(),
  error: z.string().nullable(),
});

export const WEBHOOK_DELIVERY = wireType(
  'WebhookDelivery',
  z.object({
    id: objectId,
    object: z.literal('webhook_delivery'),
    event_id: z.uuid(),
    event_type: z.string(),
    session_id: objectId.nullable(),
    partner_id: partnerId,
    mode,
    url: z.string().nullable(),
    status: z.enum(DELIVERY_STATUSES),
    attempt_count: z.int(),
    max_attempts: z.int(),
    replay_count: z.int(),
    last_response_status: z.int().nullable(),
    last_error: z.string().nullable(),
    next_attempt_at: time.nullable(),
    created_at: time,
    last_attempt_at: time.nullable(),
    delivered_at: time.nullable(),
    dead_lettered_at: time.nullable(),
    attempts: z.array(attempt),
  }),
  {
    description: 'The delivery of one event to your endpoint: every attempt, and when the next one is due.',
    example: exampleDelivery(),
  },
);

function exampleDelivery() {
  const { session } = COMPLETED.purchase;
  const owed = {
    ...scopeOf(session),
    id: '68a1f0c2b7e94d1f3a5c7e91',
    eventId: EXAMPLE_EVENT_ID,
    sessionId: session.id,
  };
  const at = T0 + 5 * MINUTE;
  const { delivery, attempt: made } = recordDeliveryAttempt(
    newDelivery({ ...owed, eventType: 'gate_session.completed', target: 'webhook' }, at),
    { url: EXAMPLE_URL, startedAt: at + 120, durationMs: 60, responseStatus: 200, responseBody: 'ok', error: null },
    at + 180,
    DEFAULT_POLICY,
  );
  return deliveryResource({ delivery, attempts: [made] }, DEFAULT_POLICY);
}

export const LIST_DELIVERIES_QUERY = listQuery(
  {
    status: oneOf(DELIVERY_STATUSES).optional(),
    event_type: oneOf(EVENT_TYPES).optional(),
    event_id: text(128).optional(),
    session_id: text(128).optional(),
    created_after: instant.optional(),
    created_before: instant.optional(),
  },
  (query): DeliveryListFilter => ({
    status: query.status ?? null,
    eventType: query.event_type ?? null,
    eventId: query.event_id ?? null,
    sessionId: query.session_id ?? null,
    createdAfter: query.created_after ?? null,
    createdBefore: query.created_before ?? null,
  }),
);

export const WEBHOOK_TEST_RESULT = wireType(
  'WebhookTestResult',
  z.object({
    object: z.literal('webhook_test_result'),
    event_id: z.uuid(),
    delivery_id: objectId,
    type: z.literal('webhook.test'),
    url: z.string(),
    queued_at: time,
  }),
  {
    description: 'The queued test event and its delivery.',
    example: testResult({
      eventId: EXAMPLE_EVENT_ID,
      deliveryId: '68a1f0c2b7e94d1f3a5c7e91',
      url: EXAMPLE_URL,
      queuedAt: T0,
    }),
  },
);

const REPLAY_LIMIT_DEFAULT = 100;
const REPLAY_LIMIT_MAX = 1000;

export const REPLAY_BODY = jsonBody(
  'ReplayDeliveries',
  z.strictObject({
    event_type: optional(oneOf(EVENT_TYPES)),
    session_id: optional(text(128)),
    created_after: optional(instant),
    created_before: optional(instant),
    limit: optional(wholeNumber(1, REPLAY_LIMIT_MAX)),
  }),
  {
    description: `Which dead-lettered deliveries to replay, oldest first: ${REPLAY_LIMIT_DEFAULT} by default.`,
    example: { event_type: 'gate_session.completed', created_after: '2030-01-01T12:00:00Z' },
    to: (body): ReplayRequest => ({
      eventType: body.event_type ?? null,
      sessionId: body.session_id ?? null,
      createdAfter: body.created_after ?? null,
      createdBefore: body.created_before ?? null,
      limit: body.limit ?? REPLAY_LIMIT_DEFAULT,
    }),
  },
);

export const WEBHOOK_REPLAY = wireType(
  'WebhookReplay',
  z.object({ object: z.literal('webhook_replay'), replayed: z.int(), has_more: z.boolean() }),
  {
    description: 'The number of replayed deliveries, and whether more are left.',
    example: webhookReplay({ replayed: 42, hasMore: false }),
  },
);

const GRACE_SECONDS_MAX = 86_400;

export const ROTATE_SECRET_BODY = jsonBody(
  'RotateWebhookSecret',
  z.strictObject({ grace_period_seconds: optional(wholeNumber(0, GRACE_SECONDS_MAX)) }),
  {
    description: 'How long the previous secret keeps signing, in seconds; 0 by default.',
    example: { grace_period_seconds: 3600 },
    to: (body) => ({ graceMs: (body.grace_period_seconds ?? 0) * SECOND }),
  },
);

export const WEBHOOK_SECRET = wireType(
  'WebhookSecret',
  z.object({
    object: z.literal('webhook_secret'),
    mode,
    secret: z.string(),
    prefix: z.string(),
    created_at: time,
    previous_expires_at: time.nullable(),
  }),
  {
    description: 'The new signing secret, shown once. The previous secret also signs until `previous_expires_at`.',
    example: webhookSecret('test', {
      secret: 'whsec_9fQ2bTzW1kLmX7cVn2Rs4yUe6iOp8aSd',
      createdAt: T0,
      previousExpiresAt: T0 + HOUR,
    }),
  },
);

export const WEBHOOK_ENDPOINT = wireType(
  'WebhookEndpoint',
  z.object({
    object: z.literal('webhook_endpoint'),
    mode,
    url: z.string().nullable(),
    secret_prefix: z.string().nullable(),
    status: z.enum(ENDPOINT_STATUSES),
    paused_at: time.nullable(),
    consecutive_failures: z.int(),
    last_success_at: time.nullable(),
    last_failure_at: time.nullable(),
    last_error: z.string().nullable(),
  }),
  {
    description: 'The webhook endpoint of a mode and its recent health.',
    example: webhookEndpoint('test', {
      url: EXAMPLE_URL,
      secretPrefix: 'whsec_9fQ2',
      pausedAt: null,
      health: { consecutiveFailures: 3, lastSuccessAt: T0, lastFailureAt: T0 + 36 * MINUTE, lastError: 'http_500' },
    }),
  },
);
