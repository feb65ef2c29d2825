import { isoTime, isoTimeOrNull } from '../instant.js';
import { type JsonText, type Rendered, toJsonText } from '../json.js';
import type { Policy } from '../policy.js';
import { type Delivery, type DeliveryAttempt, deliveryAttemptsMax } from './delivery.js';

/** A delivery with its attempts, oldest first. */
export interface TracedDelivery {
  readonly delivery: Delivery;
  readonly attempts: readonly DeliveryAttempt[];
}

/** A delivery to the partner's endpoint, on the wire. */
type GateDelivery = Rendered<typeof render>;

/** Includes the response bodies of receivers. */
export function deliveryResource({ delivery, attempts }: TracedDelivery, policy: Policy): JsonText<GateDelivery> {
  return render(delivery, attempts.map(attemptMembers), policy);
}

/** Rendered for lists, without response bodies. */
export function listedDelivery({ delivery, attempts }: TracedDelivery, policy: Policy): JsonText<GateDelivery> {
  const bodiless = attempts.map((attempt) => ({ ...attemptMembers(attempt), response_body: null }));
  return render(delivery, bodiless, policy);
}

function render(delivery: Delivery, attempts: ReturnType<typeof attemptMembers>[], policy: Policy) {
  return toJsonText({
    id: delivery.id,
    object: 'webhook_delivery',
    event_id: delivery.eventId,
    event_type: delivery.eventType,
    session_id: delivery.sessionId,
    partner_id: delivery.partnerId,
    mode: delivery.mode,
    url: delivery.url,
    status: delivery.status,
    attempt_count: delivery.attemptCount,
    max_attempts: deliveryAttemptsMax(policy),
    replay_count: delivery.replayCount,
    last_response_status: delivery.lastResponseStatus,
    last_error: openText(delivery.lastError),
    // A parked delivery waits for an operator, so it has no next attempt.
    next_attempt_at: delivery.parkedAt === null ? isoTimeOrNull(delivery.dueAt) : null,
    created_at: isoTime(delivery.createdAt),
    last_attempt_at: isoTimeOrNull(delivery.lastAttemptAt),
    delivered_at: isoTimeOrNull(delivery.deliveredAt),
    dead_lettered_at: isoTimeOrNull(delivery.deadLetteredAt),
    attempts,
  });
}

function attemptMembers(attempt: DeliveryAttempt) {
  return {
    number: attempt.number,
    trigger: attempt.trigger,
    started_at: isoTime(attempt.startedAt),
    duration_ms: attempt.durationMs,
    response_status: attempt.responseStatus,
    response_body: attempt.responseBody,
    error: openText(attempt.error),
  };
}

/** The wire schema declares errors as open text. */
function openText(error: string | null): string | null {
  return error;
}
