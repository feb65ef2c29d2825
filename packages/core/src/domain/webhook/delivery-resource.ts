import { isoTime, isoTimeOrNull } from '../instant.js';
import { type JsonText, toJsonText } from '../json.js';
import type { Mode } from '../mode.js';
import type { Policy } from '../policy.js';
import {
  type Delivery,
  type DeliveryAttempt,
  deliveryAttemptsMax,
  type DeliveryAttemptTrigger,
  type DeliveryStatus,
} from './delivery.js';

/** A delivery to the partner's endpoint, on the wire. */
export type GateDelivery = {
  readonly id: string;
  readonly object: 'webhook_delivery';
  readonly event_id: string;
  readonly event_type: string;
  readonly session_id: string | null;
  readonly partner_id: string;
  readonly mode: Mode;
  readonly url: string | null;
  readonly status: DeliveryStatus;
  readonly attempt_count: number;
  readonly max_attempts: number;
  readonly replay_count: number;
  readonly last_response_status: number | null;
  readonly last_error: string | null;
  readonly next_attempt_at: string | null;
  readonly created_at: string;
  readonly last_attempt_at: string | null;
  readonly delivered_at: string | null;
  readonly dead_lettered_at: string | null;
  readonly attempts: readonly GateDeliveryAttempt[];
};

/** A delivery attempt as the wire shows it. */
export type GateDeliveryAttempt = {
  readonly number: number;
  readonly trigger: DeliveryAttemptTrigger;
  readonly started_at: string;
  readonly duration_ms: number;
  readonly response_status: number | null;
  readonly response_body: string | null;
  readonly error: string | null;
};

/** A delivery with all of its attempts, the first one first. */
export interface TracedDelivery {
  readonly delivery: Delivery;
  readonly attempts: readonly DeliveryAttempt[];
}

/** With what receivers answered. */
export function deliveryResource({ delivery, attempts }: TracedDelivery, policy: Policy): JsonText<GateDelivery> {
  return render(delivery, attempts.map(attemptMembers), policy);
}

/** As lists show it: without the bodies that receivers answered. */
export function listedDelivery({ delivery, attempts }: TracedDelivery, policy: Policy): JsonText<GateDelivery> {
  const bodiless = attempts.map((attempt) => ({ ...attemptMembers(attempt), response_body: null }));
  return render(delivery, bodiless, policy);
}

function render(delivery: Delivery, attempts: readonly GateDeliveryAttempt[], policy: Policy): JsonText<GateDelivery> {
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
    last_error: delivery.lastError,
    // What is parked waits for an operator, not for an instant.
    next_attempt_at: delivery.parkedAt === null ? isoTimeOrNull(delivery.dueAt) : null,
    created_at: isoTime(delivery.createdAt),
    last_attempt_at: isoTimeOrNull(delivery.lastAttemptAt),
    delivered_at: isoTimeOrNull(delivery.deliveredAt),
    dead_lettered_at: isoTimeOrNull(delivery.deadLetteredAt),
    attempts,
  } satisfies GateDelivery);
}

function attemptMembers(attempt: DeliveryAttempt): GateDeliveryAttempt {
  return {
    number: attempt.number,
    trigger: attempt.trigger,
    started_at: isoTime(attempt.startedAt),
    duration_ms: attempt.durationMs,
    response_status: attempt.responseStatus,
    response_body: attempt.responseBody,
    error: attempt.error,
  };
}
