import { type Instant, MINUTE } from '../instant.js';
import { type Scope, scopeOf } from '../mode.js';
import type { WebhookEndpoint, WebhookSecret } from '../partner/partner.js';
import { type Delivery, type DeliveryAttempt, isAcknowledged } from './delivery.js';

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
interface EndpointResult {
  readonly at: Instant;
  /** Null when it was acknowledged. */
  readonly error: string | null;
}

/** While all goes well a success is noted once in so long, so that most attempts write nothing of it. */
const SUCCESS_NOTED_EVERY = MINUTE;

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

/** What comes after `whsec_`; the prefix that is shown of a secret is these and the first few characters. */
export const WEBHOOK_SECRET_START = 'whsec_';

/** Random characters that follow `whsec_`. */
export const WEBHOOK_SECRET_RANDOM_LENGTH = 32;
const PREFIX_LENGTH = WEBHOOK_SECRET_START.length + 4;

/** What may be shown of a webhook secret later. */
export function webhookSecretPrefix(secret: string): string {
  return secret.slice(0, PREFIX_LENGTH);
}

/** An endpoint with its new secret. */
interface Rotation {
  readonly endpoint: WebhookEndpoint;
  /** Until when what it replaces goes on signing; null when it ends now, or there was nothing. */
  readonly previousExpiresAt: Instant | null;
}

/**
 * Puts a new secret in the place of the current one, which keeps signing as well for `graceMs`. An earlier grace period ends
 * now: no delivery ever carries more than two signatures.
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
