import type { Mode } from '../../domain/mode.js';
import { isAllowedOrigin } from '../../domain/origin/origin.js';
import type { Partner } from '../../domain/partner/partner.js';
import type { Refusal } from '../../domain/refusal.js';
import type { AnyEndpoint, HttpHost } from '../endpoint.js';

const EXPOSED = [
  'X-Request-Id',
  'X-RateLimit-Limit-short',
  'X-RateLimit-Remaining-short',
  'X-RateLimit-Reset-short',
  'Retry-After-short',
].join(', ');

const EXPOSED_WITH_STANDARD = `${EXPOSED}, Retry-After, RateLimit, RateLimit-Policy`;

/** A call and who made it, as far as CORS is concerned. */
export interface CorsContext {
  readonly endpoint: AnyEndpoint | null;
  readonly mode: Mode;
  readonly origin: string | null;
  /** StoredKeyResult once the call has been authenticated. */
  readonly partner: Partner | null;
}

/**
 * CORS headers of an answer. An origin is named only if it may read it: the partner's allow-list
 * at bootstrap, the checkout's own page on embed calls. A refusal of bootstrap says nothing that is
 * worth hiding and names the caller's origin, so that a page can show its developer why. Credentials never.
 */
export function corsHeaders(host: HttpHost, crossing: CorsContext, status: number): Readonly<Record<string, string>> {
  const { endpoint, origin } = crossing;
  if (origin === null || endpoint === null || endpoint.cors === null) return VARY;
  const isReadableRefusal = endpoint.cors === 'partner' && status >= 400;
  if (!isReadableRefusal && !mayRead(host, crossing, origin)) return VARY;
  const exposed = host.engine.policy.standardRateLimitHeaders ? EXPOSED_WITH_STANDARD : EXPOSED;
  return { ...VARY, 'access-control-allow-origin': origin, 'access-control-expose-headers': exposed };
}

/**
 * A browser sends what its page cannot read all the same, and a payment would be made behind the
 * buyer's back: so a call whose answer CORS will not name is refused. Without an `Origin` it is no
 * browser's call across origins, and this does not concern it (`docs/spec-notes.md`).
 */
export function originRefusal(host: HttpHost, crossing: CorsContext): Refusal<'origin_not_allowed'> | null {
  const { endpoint, origin } = crossing;
  if (origin === null || endpoint === null || endpoint.cors === null || mayRead(host, crossing, origin)) return null;
  return { code: 'origin_not_allowed', message: UNREADABLE[endpoint.cors] };
}

const UNREADABLE = {
  partner: "The Origin header must name one of the partner's allowed domains.",
  widget:
    'The Origin header must be that of the hosted checkout. The request was not processed, because no other page could read the response.',
} as const;

/** A preflight passes for any origin: it reveals nothing, and the answer itself decides. */
export function preflightHeaders(origin: string): Readonly<Record<string, string>> {
  return {
    ...VARY,
    'access-control-allow-origin': origin,
    'access-control-allow-methods': 'GET, POST',
    'access-control-allow-headers': 'Authorization, Content-Type, Idempotency-Key, X-Embed-Token',
    'access-control-max-age': '600',
  };
}

function mayRead(host: HttpHost, { endpoint, mode, partner }: CorsContext, origin: string): boolean {
  if (origin === host.widgetOrigins[mode]) return true;
  return endpoint?.cors === 'partner' && partner !== null && isAllowedOrigin(partner.allowedOrigins, origin);
}

/** On every answer: a cache between must not give one origin what was named for another. */
const VARY: Readonly<Record<string, string>> = { vary: 'Origin' };
