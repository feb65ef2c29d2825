import type { ErrorCode } from '../domain/error-code.js';
import type { Refusal } from '../domain/refusal.js';
import type { Host } from './hosts.js';

/** The status of every code: the error table of `docs/spec-notes.md`. */
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
  wrong_key_type: 403,
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

/** The HTTP status that this code is answered with. */
export type StatusOf<Code extends ErrorCode> = (typeof STATUSES)[Code];

export const ERROR_TYPES = [
  'invalid_request',
  'unauthorized',
  'forbidden',
  'not_found',
  'conflict',
  'rate_limited',
  'server_error',
] as const;

export type ErrorType = (typeof ERROR_TYPES)[number];

/** The status of a code on a host: of pools a key that was used for another request is a conflict (spec: Pools product). */
export function statusOn(host: Host, code: ErrorCode): number {
  return host === 'pools' && code === 'idempotency_key_mismatch' ? 409 : STATUSES[code];
}

/** The envelope, the same for every refusal (spec: Errors). */
export function errorBody(
  refusal: Refusal,
  requestId: string,
  status: number = STATUSES[refusal.code],
  prefix: string | null = '',
): string {
  const fields = refusal.fields ?? [];
  const envelope = {
    type: typeOf(status),
    code: refusal.code,
    message: fields.length > 1 ? fields.map((field) => field.message) : refusal.message,
    request_id: requestId,
    doc_url: docUrl(refusal.code, prefix),
    statusCode: status,
  };
  return JSON.stringify(fields.length === 0 ? envelope : { ...envelope, errors: fields });
}

/** The code's entry in `/docs`, beneath the public URL or the mount prefix; null when neither is known. */
function docUrl(code: ErrorCode, prefix: string | null): string | null {
  return prefix === null ? null : `${prefix}/docs#${code}`;
}

export function typeOf(status: number): ErrorType {
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
