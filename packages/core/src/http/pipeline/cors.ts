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

/** The properties of a call that CORS depends on. */
export interface CorsContext {
  readonly endpoint: AnyEndpoint | null;
  readonly mode: Mode;
  readonly origin: string | null;
  /** Set once the call is authenticated. */
  readonly partner: Partner | null;
}

/**
 * CORS headers of a response. The origin is allowed only if it may read the response: the partner's allowed origins at bootstrap, the
 * hosted checkout on embed calls. Refusals of bootstrap contain nothing confidential and are readable from any origin, so that a page can
 * show its developer the reason. Credentials are never allowed.
 */
export function corsHeaders(host: HttpHost, context: CorsContext, status: number): Readonly<Record<string, string>> {
  const { endpoint, origin } = context;
  if (origin === null || endpoint === null || endpoint.cors === null) return VARY;
  const isReadableRefusal = endpoint.cors === 'partner' && status >= 400;
  if (!isReadableRefusal && !mayRead(host, context, origin)) return VARY;
  const exposed = host.engine.policy.standardRateLimitHeaders ? EXPOSED_WITH_STANDARD : EXPOSED;
  return { ...VARY, 'access-control-allow-origin': origin, 'access-control-expose-headers': exposed };
}

/**
 * Refuses calls whose response the origin may not read: browsers send such requests anyway, and a payment would be made without the buyer
 * seeing it. Calls without `Origin` are not cross-origin browser calls and pass (`docs/spec-notes.md`).
 */
export function originRefusal(host: HttpHost, context: CorsContext): Refusal<'origin_not_allowed'> | null {
  const { endpoint, origin } = context;
  if (origin === null || endpoint === null || endpoint.cors === null || mayRead(host, context, origin)) return null;
  return { code: 'origin_not_allowed', message: UNREADABLE[endpoint.cors] };
}

const UNREADABLE = {
  partner: "The Origin header must name one of the partner's allowed domains.",
  widget:
    'The Origin header must be that of the hosted checkout. The request was not processed, because no other page could read the response.',
} as const;

/** Preflights pass for any origin: they reveal nothing, and the response itself decides. */
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

/** On every response, so that a shared cache does not serve one origin's headers to another. */
const VARY: Readonly<Record<string, string>> = { vary: 'Origin' };
