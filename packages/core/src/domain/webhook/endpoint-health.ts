import { MINUTE, type Instant } from '../instant.js';
import { isAcknowledged, type Delivery, type DeliveryAttempt } from './delivery.js';

/** How the attempts at a partner's endpoint of one mode have gone, whatever its URL was. */
export interface EndpointHealth {
  /** Failed attempts since the last one that was acknowledged. */
  readonly consecutiveFailures: number;
  readonly lastSuccessAt: Instant | null;
  readonly lastFailureAt: Instant | null;
  readonly lastError: string | null;
}

/** Of an endpoint that nothing has been sent to yet. */
export const UNTRIED: EndpointHealth = {
  consecutiveFailures: 0,
  lastSuccessAt: null,
  lastFailureAt: null,
  lastError: null,
};

/** What an attempt says of the endpoint. */
export interface EndpointResult {
  readonly at: Instant;
  /** Null when it was acknowledged. */
  readonly error: string | null;
}

/** While all goes well a success is noted once in so long, so that most attempts write nothing of it. */
export const SUCCESS_NOTED_EVERY = MINUTE;

/** Null where no endpoint was tried: what was parked, or was for a consumer of the host. */
export function endpointResult(next: Delivery, attempt: DeliveryAttempt | null): EndpointResult | null {
  if (attempt === null || next.target !== 'webhook') return null;
  if (isAcknowledged(attempt)) return { at: attempt.startedAt, error: null };
  return { at: attempt.startedAt, error: attempt.error ?? `http_${attempt.responseStatus ?? 0}` };
}

/** The same object when there is nothing to note. Attempts that ran concurrently may be noted in any order; instants never go back. */
export function noteResult(health: EndpointHealth, { at, error }: EndpointResult): EndpointHealth {
  if (error !== null) {
    const lastFailureAt = Math.max(at, health.lastFailureAt ?? at);
    return { ...health, consecutiveFailures: health.consecutiveFailures + 1, lastFailureAt, lastError: error };
  }
  const isNoted = health.lastSuccessAt !== null && at - health.lastSuccessAt < SUCCESS_NOTED_EVERY;
  if (isNoted && health.consecutiveFailures === 0) return health;
  return { ...health, consecutiveFailures: 0, lastSuccessAt: Math.max(at, health.lastSuccessAt ?? at) };
}
