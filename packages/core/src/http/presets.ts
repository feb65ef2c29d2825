import type { ErrorCode } from '../domain/error-code.js';
import { CHECKOUT_HOSTS, TEST_HOST } from './hosts.js';
import { perMinute } from './rate-rules.js';
import { noBody } from './schema/body.js';
import { noQuery } from './schema/query.js';

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
export const PUBLIC_READ = { ...READ, auth: 'none', limits: null } as const;

export const SECRET_READ = { ...READ, auth: 'secret', limits: perMinute(60) } as const;

/** A change that a repeat does not do twice if the caller sends a key. */
export const SECRET_WRITE = { ...SECRET_READ, method: 'POST', idempotency: 'honoured', limits: perMinute(30) } as const;

/** Money or a new resource: nothing happens without a key. */
export const KEYED_WRITE = { ...SECRET_WRITE, idempotency: 'required', success: 201 } as const;

/** The checkout's own calls, from a browser. */
export const EMBED_READ = { ...READ, auth: 'embed', limits: perMinute(120), cors: 'widget' } as const;

export const EMBED_WRITE = { ...EMBED_READ, method: 'POST', idempotency: 'honoured' } as const;

export const TEST_HELPER_READ = { ...SECRET_READ, hosts: TEST_HOST, limits: null } as const;

export const TEST_HELPER = { ...TEST_HELPER_READ, method: 'POST', idempotency: 'honoured' } as const;

/** What every endpoint that honours a key may refuse. */
export const KEY_REFUSALS = [
  'operation_in_progress',
  'idempotency_key_mismatch',
] as const satisfies readonly ErrorCode[];
