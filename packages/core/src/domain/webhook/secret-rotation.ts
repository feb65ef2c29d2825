import type { Instant } from '../instant.js';
import { scopeOf, type Scope } from '../mode.js';
import type { WebhookEndpoint, WebhookSecret } from '../partner/partner.js';

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
export interface Rotation {
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
