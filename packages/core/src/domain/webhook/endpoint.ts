import { type Instant, MINUTE } from '../instant.js';
import { type Scope, scopeOf } from '../mode.js';
import type { WebhookEndpoint, WebhookSecret } from '../partner/partner.js';
import { type Delivery, type DeliveryAttempt, isAcknowledged } from './delivery.js';

/** The delivery record of a partner's endpoint in one mode, across changes of its URL. */
export interface EndpointHealth {
  /** Failed attempts since the last acknowledged one. */
  readonly consecutiveFailures: number;
  readonly lastSuccessAt: Instant | null;
  readonly lastFailureAt: Instant | null;
  readonly lastError: string | null;
}

/** The health of an endpoint before its first attempt. */
export const UNTRIED: EndpointHealth = {
  consecutiveFailures: 0,
  lastSuccessAt: null,
  lastFailureAt: null,
  lastError: null,
};

/** The effect of an attempt on endpoint health. */
interface EndpointResult {
  readonly at: Instant;
  /** Null if the attempt was acknowledged. */
  readonly error: string | null;
}

/** Minimum interval between recorded successes while there are no failures, so that most attempts need no write. */
const SUCCESS_NOTED_EVERY = MINUTE;

/** Null if no endpoint was called: the delivery was parked, or is for a consumer. */
export function endpointResult(next: Delivery, attempt: DeliveryAttempt | null): EndpointResult | null {
  if (attempt === null || next.target !== 'webhook') return null;
  if (isAcknowledged(attempt)) return { at: attempt.startedAt, error: null };
  return { at: attempt.startedAt, error: attempt.error ?? `http_${attempt.responseStatus ?? 0}` };
}

/**
 * Records a result; returns the same object when nothing changes. Concurrent attempts may be recorded in any order, so instants never move
 * back.
 */
export function noteResult(health: EndpointHealth, { at, error }: EndpointResult): EndpointHealth {
  if (error !== null) {
    const lastFailureAt = Math.max(at, health.lastFailureAt ?? at);
    return { ...health, consecutiveFailures: health.consecutiveFailures + 1, lastFailureAt, lastError: error };
  }
  const isNoted = health.lastSuccessAt !== null && at - health.lastSuccessAt < SUCCESS_NOTED_EVERY;
  if (isNoted && health.consecutiveFailures === 0) return health;
  return { ...health, consecutiveFailures: 0, lastSuccessAt: Math.max(at, health.lastSuccessAt ?? at) };
}

/** Start of every webhook secret. */
export const WEBHOOK_SECRET_START = 'whsec_';

/** Random characters that follow `whsec_`. */
export const WEBHOOK_SECRET_RANDOM_LENGTH = 32;
const PREFIX_LENGTH = WEBHOOK_SECRET_START.length + 4;

/** The part of a webhook secret that may be shown later. */
export function webhookSecretPrefix(secret: string): string {
  return secret.slice(0, PREFIX_LENGTH);
}

/** The endpoint with its new secret. */
interface Rotation {
  readonly endpoint: WebhookEndpoint;
  /** When the previous secret stops signing; null if it stops now or there was none. */
  readonly previousExpiresAt: Instant | null;
}

/**
 * Replaces the current secret, which keeps signing for `graceMs`. An earlier grace period ends immediately, so a delivery never has more
 * than two signatures.
 */
export function rotateSecret(
  scope: Scope,
  before: WebhookEndpoint | null,
  { sealed, graceMs, now }: { readonly sealed: string; readonly graceMs: number; readonly now: Instant },
): Rotation {
  const current = before?.secrets.find(({ expiresAt }) => expiresAt === null);
  const fresh: WebhookSecret = { sealed, createdAt: now, expiresAt: null };
  const isKept = current !== undefined && graceMs > 0;
  const secrets = isKept ? [fresh, { ...current, expiresAt: now + graceMs }] : [fresh];
  const endpoint: WebhookEndpoint = { ...before, ...scopeOf(scope), url: before?.url ?? null, secrets };
  return { endpoint, previousExpiresAt: isKept ? now + graceMs : null };
}
