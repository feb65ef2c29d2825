import type { ErrorCode } from '../domain/error-code.js';
import { HOUR, SECOND } from '../domain/instant.js';
import type { RateRule } from '../domain/limits/rate-window.js';
import type { Requirement } from './endpoint.js';
import { CHECKOUT_HOSTS, TEST_HOST } from './hosts.js';
import { noBody, noQuery } from './schema/request.js';

/** A route's own limit: hits per 60 seconds (spec: Limits). */
export function perMinute(limit: number): readonly RateRule[] {
  return [{ name: 'route', limit, windowMs: 60 * SECOND }];
}

/** Tiers that all routes without a limit of their own share. */
export const GLOBAL_TIERS: readonly RateRule[] = [
  { name: 'short', limit: 10, windowMs: 10 * SECOND },
  { name: 'medium', limit: 60, windowMs: 60 * SECOND },
  { name: 'long', limit: 300, windowMs: HOUR },
];

/**
 * The usual kinds of endpoint. One spreads the kind it is and then says what is its own; what it says after the
 * spread wins.
 */
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

/** Public, and without a rate limit. */
export const PUBLIC_READ = { ...READ, auth: 'none', scope: null, limits: null } as const;

/** Each endpoint states the scope it needs. */
export const SECRET_READ = { ...READ, auth: 'secret', limits: perMinute(60) } as const;

/** A change that a repeat does not do twice if the caller sends a key. */
export const SECRET_WRITE = { ...SECRET_READ, method: 'POST', idempotency: 'honoured', limits: perMinute(30) } as const;

/** Money or a new resource: nothing happens without a key. */
export const KEYED_WRITE = { ...SECRET_WRITE, idempotency: 'required', success: 201 } as const;

/** The checkout's own calls, from a browser. */
export const EMBED_READ = { ...READ, auth: 'embed', scope: null, limits: perMinute(120), cors: 'widget' } as const;

export const EMBED_WRITE = { ...EMBED_READ, method: 'POST', idempotency: 'honoured' } as const;

export const TEST_HELPER_READ = {
  ...SECRET_READ,
  scope: 'test_helpers:write',
  hosts: TEST_HOST,
  limits: null,
} as const;

export const TEST_HELPER = { ...TEST_HELPER_READ, method: 'POST', idempotency: 'honoured' } as const;

/** What every endpoint that honours a key may refuse. */
export const KEY_REFUSALS = [
  'operation_in_progress',
  'idempotency_key_mismatch',
] as const satisfies readonly ErrorCode[];

/** Executable quotes, pay-ins and pay-outs. */
export const RAILS_ENTITLEMENT: Requirement = {
  entitlement: 'rails',
  code: 'rails_api_not_enabled',
  message: 'The rails API is not enabled for your account.',
};
