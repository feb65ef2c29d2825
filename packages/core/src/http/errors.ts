import * as z from 'zod';
import { ERROR_CODES, type ErrorCode, type RequestRefusalCode } from '../domain/error-code.js';
import type { WireReply } from '../domain/idempotency/idempotency.js';
import type { Policy } from '../domain/policy.js';
import type { Refusal } from '../domain/refusal.js';
import type { Host } from './hosts.js';
import { isOutage } from '../ports/edge.js';
import { headerOf, type HttpRequest, NO_BODY } from './message.js';
import { documented } from './schema/members.js';

/** The HTTP status of each code, as in the error table of `docs/spec-notes.md`. */
export const STATUSES = {
  malformed_request: 400,
  validation_failed: 400,
  malformed_json: 400,
  unknown_field: 400,
  unknown_parameter: 400,
  amount_mismatch: 400,
  terms_mismatch: 400,
  idempotency_key_required: 400,
  idempotency_key_invalid: 400,
  webhook_url_not_configured: 400,
  missing_credential: 401,
  malformed_credential: 401,
  invalid_api_key: 401,
  revoked_api_key: 401,
  expired_api_key: 401,
  invalid_embed_token: 401,
  expired_embed_token: 401,
  insufficient_balance: 402,
  test_key_on_live: 403,
  live_key_on_sandbox: 403,
  live_keys_not_allowed: 403,
  partner_suspended: 403,
  wrong_key_type: 403,
  insufficient_scope: 403,
  ip_not_allowed: 403,
  invalid_publishable_key: 403,
  origin_not_allowed: 403,
  kyc_package_not_trusted: 403,
  swap_not_enabled: 403,
  rails_api_not_enabled: 403,
  pools_not_enabled: 403,
  pool_access_suspended: 403,
  kyc_not_approved: 403,
  pool_not_allowed: 403,
  key_mode_mismatch: 403,
  route_not_found: 404,
  session_not_found: 404,
  intent_not_found: 404,
  transaction_not_found: 404,
  event_not_found: 404,
  delivery_not_found: 404,
  quote_not_found: 404,
  pool_not_found: 404,
  payment_method_not_found: 404,
  quota_exhausted: 409,
  too_many_attempts: 409,
  operation_in_progress: 409,
  session_not_open: 409,
  session_processing: 409,
  session_required: 409,
  intent_in_progress: 409,
  intent_not_confirmable: 409,
  delivery_not_dead_lettered: 409,
  quote_already_used: 409,
  refund_not_possible: 409,
  request_timeout: 408,
  body_too_large: 413,
  unsupported_media_type: 415,
  expectation_failed: 417,
  idempotency_key_mismatch: 422,
  corridor_not_supported: 422,
  amount_below_minimum: 422,
  amount_above_maximum: 422,
  asset_network_mismatch: 422,
  wallet_address_invalid: 422,
  quote_expired: 422,
  refund_exceeds_amount: 422,
  rate_limit_exceeded: 429,
  headers_too_large: 431,
  internal_error: 500,
  off_ramp_not_available: 501,
  service_unavailable: 503,
  try_again: 503,
} as const satisfies Record<ErrorCode, number>;

/** The HTTP status of a code. */
export type StatusOf<Code extends ErrorCode> = (typeof STATUSES)[Code];

const ERROR_TYPES = [
  'invalid_request',
  'unauthorized',
  'forbidden',
  'not_found',
  'conflict',
  'rate_limited',
  'server_error',
] as const;

type ErrorType = (typeof ERROR_TYPES)[number];

/** The status of a code on a host. */
export function statusOn(host: Host, code: ErrorCode): number {
  return host.statuses?.[code] ?? STATUSES[code];
}

/** A refusal of the contract, or of another API with the same envelope and codes of its own. */
interface Refused extends Pick<Refusal, 'message' | 'fields'> {
  readonly code: string;
}

/** Renders the envelope of a refusal (spec: Errors) as JSON. `url` explains the code. */
export function errorBody(
  { code, message, fields = [] }: Refused,
  requestId: string,
  status: number,
  url: string | null = null,
): string {
  const envelope = {
    type: errorType(status),
    code,
    message: fields.length > 1 ? fields.map((field) => field.message) : message,
    request_id: requestId,
    doc_url: url,
    statusCode: status,
  };
  return JSON.stringify(fields.length === 0 ? envelope : { ...envelope, errors: fields });
}

/** The `type` of an error with this status. */
export function errorType(status: number): ErrorType {
  switch (status) {
    case 401:
      return 'unauthorized';
    case 403:
      return 'forbidden';
    case 404:
      return 'not_found';
    case 409:
      return 'conflict';
    case 429:
      return 'rate_limited';
    default:
      return status >= 500 ? 'server_error' : 'invalid_request';
  }
}

/** The schema of the envelope, the same for all refusals (spec: Errors). */
export const ERROR = documented(
  z.object({
    type: z.enum(ERROR_TYPES),
    code: z.enum(ERROR_CODES),
    message: documented(z.union([z.string(), z.array(z.string())]), {
      description: 'Human-readable: one message, or one per failed field. Never branch on it.',
    }),
    request_id: documented(z.string().regex(/^req_[0-9A-Za-z]{24}$/), { description: 'The value of `X-Request-Id`.' }),
    doc_url: documented(z.string().nullable(), {
      description: 'What the code means and what to do: a path on the same host, or an absolute URL.',
    }),
    statusCode: z.int(),
    errors: documented(
      z
        .array(z.object({ field: z.string(), code: z.string(), message: z.string() }))
        .min(1)
        .optional(),
      { description: 'One entry per failed field; absent if no field failed.' },
    ),
  }),
  {
    id: 'Error',
    description: 'The body of every error response. Branch on `code`.',
    examples: [
      {
        type: 'not_found',
        code: 'session_not_found',
        message: 'There is no such session for this key.',
        request_id: 'req_4fQ9bTzW1kLmX7cVn2RsAb3D',
        doc_url: '/docs#session_not_found',
        statusCode: 404,
      },
    ],
  },
);

/**
 * A request that could not be read. It has no path, so code that mounts the gate under a prefix must pass the prefix; null if that varies
 * per request.
 */
export function unreadRequest(
  refusedAs: RequestRefusalCode,
  clientIp: string,
  prefix: string | null = '',
): HttpRequest {
  return { method: '', path: '', prefix, query: '', headers: {}, body: NO_BODY, clientIp, refusedAs };
}

/** The refusal of requests over a rate limit. */
export const RATE_LIMITED: Refusal = {
  code: 'rate_limit_exceeded',
  message: 'Too many requests; wait for the number of seconds in Retry-After-short, and add jitter.',
};

/** The refusal of requests over the capacity of the process. */
export const TOO_BUSY: Refusal = {
  code: 'service_unavailable',
  message:
    'The service is at capacity; retry with the same Idempotency-Key after the number of seconds in Retry-After-short.',
};

/** The refusal of requests that take too long. Their work continues, and a repeat gets its result. */
export const LATE: Refusal = {
  code: 'service_unavailable',
  message:
    'The request was not answered in time and may still take effect; retry with the same Idempotency-Key to learn its outcome.',
};

/** HTTP/1.1 requires a `Host` header. With Node's own check disabled, this check responds with the error envelope. */
export function hostRefusalCode({ httpVersion, headers }: ReceivedRequest): RequestRefusalCode | null {
  return httpVersion === '1.1' && headers.host === undefined ? 'malformed_request' : null;
}

/** Node's data of an incoming request. */
interface ReceivedRequest {
  readonly httpVersion: string;
  readonly headers: { readonly host?: string | undefined };
}

/** The refusal after a bug or an outage, without details. */
export function failureRefusal(error: unknown): Refusal {
  const code = isOutage(error) ? 'service_unavailable' : 'internal_error';
  return { code, message: SCRUBBED[code] };
}

const SCRUBBED = {
  service_unavailable: 'The service is temporarily unavailable; retry with the same Idempotency-Key.',
  internal_error: 'Something went wrong on our side; retry with the same Idempotency-Key.',
} as const;

/** A refusal because of how the request was sent, independent of its content; null if there is none. */
export function requestRefusal(request: HttpRequest): Refusal | null {
  if (request.refusedAs !== undefined) return { code: request.refusedAs, message: MESSAGES[request.refusedAs] };
  const expected = request.headers['expect'] === undefined ? null : headerOf(request, 'expect');
  if (expected === null || CONTINUE.test(expected)) return null;
  return {
    code: 'expectation_failed',
    message: 'Unsupported Expect header. Only 100-continue is supported; remove the header.',
  };
}

/** The same pattern as Node's. */
const CONTINUE = /(?:^|\W)100-continue(?:$|\W)/i;

const MESSAGES = {
  malformed_request: 'Malformed HTTP/1.1 request.',
  headers_too_large: 'The URL and headers of the request are too large; the usual limit is 16 KiB in total.',
  request_timeout: 'The request was not received in full within the time limit.',
  body_too_large: 'The extensions of a body chunk are too large.',
  service_unavailable: 'The server is starting or stopping; try again in a moment.',
} as const satisfies Record<RequestRefusalCode, string>;

/** Responses contain secrets and amounts, so they must not be cached. */
export const JSON_HEADERS = { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' } as const;

/** Sent with every 503: its causes pass within seconds or are outages, and clients back off on their own. */
const RETRY_AFTER_SECONDS = '1';

export function errorReply(refusal: Refusal, { at, requestId, policy, ...links }: ErrorContext): WireReply {
  const status = statusOn(at, refusal.code);
  const standard = policy.standardRateLimitHeaders ? { 'retry-after': RETRY_AFTER_SECONDS } : {};
  const retry = status === 503 ? { 'retry-after-short': RETRY_AFTER_SECONDS, ...standard } : {};
  return {
    status,
    headers: { ...JSON_HEADERS, 'x-request-id': requestId, ...retry },
    body: errorBody(refusal, requestId, status, docUrl(refusal.code, links)),
  };
}

/** The code's entry on the page that explains errors; null if there is no such page, or its address is unknown. */
function docUrl(code: ErrorCode, { base, errorPath }: Pick<ErrorContext, 'base' | 'errorPath'>): string | null {
  return base === null || errorPath === null ? null : `${base}${errorPath}#${code}`;
}

interface ErrorContext {
  readonly at: Host;
  readonly requestId: string;
  /** The public URL, or the mount prefix of the request; null if neither is known. */
  readonly base: string | null;
  /** The path of the page that explains errors; null if there is none. */
  readonly errorPath: string | null;
  readonly policy: Policy;
}
