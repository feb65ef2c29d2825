import type { Mode } from '../../domain/mode.js';
import { isAllowedOrigin } from '../../domain/origin/origin.js';
import type { Partner } from '../../domain/partner/partner.js';
import type { AnyEndpoint, HttpHost } from '../endpoint.js';

const EXPOSED = [
  'X-Request-Id',
  'X-RateLimit-Limit-short',
  'X-RateLimit-Remaining-short',
  'X-RateLimit-Reset-short',
  'Retry-After-short',
].join(', ');

/**
 * CORS headers of an answer. An origin is named only if it may read it: the partner's allow-list
 * at bootstrap, the checkout's own page on embed calls. Credentials never.
 */
export function corsHeaders(
  host: HttpHost,
  endpoint: AnyEndpoint,
  mode: Mode,
  origin: string | null,
  partner: Partner | null,
): Readonly<Record<string, string>> {
  if (endpoint.cors === null) return NONE;
  if (origin === null || !mayRead(host, endpoint, mode, origin, partner)) return VARY;
  return { ...VARY, 'access-control-allow-origin': origin, 'access-control-expose-headers': EXPOSED };
}

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

function mayRead(
  host: HttpHost,
  endpoint: AnyEndpoint,
  mode: Mode,
  origin: string,
  partner: Partner | null,
): boolean {
  if (origin === host.widgetOrigins[mode]) return true;
  return endpoint.cors === 'partner' && partner !== null && isAllowedOrigin(partner.allowedOrigins, origin);
}

const NONE: Readonly<Record<string, string>> = {};
const VARY: Readonly<Record<string, string>> = { vary: 'Origin' };
