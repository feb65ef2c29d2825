import type { ErrorCode } from '../domain/error-code.js';
import { HOUR, SECOND } from '../domain/instant.js';
import type { RateRule } from '../domain/limits/rate-window.js';
import type { Requirement } from './endpoint.js';
import { CHECKOUT_HOSTS } from './hosts.js';
import { noBody, noQuery } from './schema/request.js';

/** A route's own limit: hits per 60 seconds (spec: Limits). */
export function perMinute(limit: number): readonly RateRule[] {
  return [{ name: 'route', limit, windowMs: 60 * SECOND }];
}

/** Tiers shared by all routes without their own limit. */
export const GLOBAL_TIERS: readonly RateRule[] = [
  { name: 'short', limit: 10, windowMs: 10 * SECOND },
  { name: 'medium', limit: 60, windowMs: 60 * SECOND },
  { name: 'long', limit: 300, windowMs: HOUR },
];

/** Presets for the usual kinds of endpoint. An endpoint spreads a preset and then adds or overrides members. */
const READ = {
  method: 'GET',
  hosts: CHECKOUT_HOSTS,
  requires: null,
  idempotency: 'ignored',
  cors: null,
  caching: null,
  query: noQuery,
  body: noBody,
  success: 200,
  known: null,
} as const;

/** Public, without a rate limit. */
export const PUBLIC_READ = { ...READ, auth: 'none', scope: null, limits: null } as const;

/** Each endpoint states the scope it needs. */
export const SECRET_READ = { ...READ, auth: 'secret', limits: perMinute(60) } as const;

/** A change that is made once per idempotency key, if the caller sends one. */
export const SECRET_WRITE = { ...SECRET_READ, method: 'POST', idempotency: 'honoured', limits: perMinute(30) } as const;

/** Moves money or creates a resource; an idempotency key is required. */
export const KEYED_WRITE = { ...SECRET_WRITE, idempotency: 'required', success: 201 } as const;

/** Calls of the checkout from a browser. */
export const EMBED_READ = { ...READ, auth: 'embed', scope: null, limits: perMinute(120), cors: 'widget' } as const;

export const EMBED_WRITE = { ...EMBED_READ, method: 'POST', idempotency: 'honoured' } as const;

/** Refusals of every endpoint that honours idempotency keys. */
export const KEY_REFUSALS = [
  'operation_in_progress',
  'idempotency_key_mismatch',
] as const satisfies readonly ErrorCode[];

/** The entitlement for executable quotes, pay-ins and pay-outs. */
export const RAILS_ENTITLEMENT: Requirement = {
  entitlement: 'rails',
  code: 'rails_api_not_enabled',
  message: 'The rails API is not enabled for your account.',
};
