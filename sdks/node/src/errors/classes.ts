import { GateError, type GateErrorDetails } from './gate-error.js';

/** 401: the key is missing, malformed, unknown, revoked or expired. */
export class AuthenticationError extends GateError {
  constructor(details: GateErrorDetails) {
    super(details, 'authentication_error', 'AuthenticationError');
  }
}

/** 403: the key may not do this: its mode, its entitlements, or an origin. */
export class PermissionError extends GateError {
  constructor(details: GateErrorDetails) {
    super(details, 'permission_error', 'PermissionError');
  }
}

/** 400, 402, 413, 415, 422: the request itself is refused. Also what this SDK refuses to send. */
export class InvalidRequestError extends GateError {
  constructor(details: GateErrorDetails) {
    super(details, 'invalid_request', 'InvalidRequestError');
  }
}

/**
 * 409, and 422 `idempotency_key_mismatch`: the request collides with another one or with the present state. Itself it is a reused key
 * (`idempotency_key_mismatch`) or one whose first request is still running (`operation_in_progress`); state conflicts are `ConflictError`.
 */
export class IdempotencyError extends GateError {
  constructor(details: GateErrorDetails, type = 'idempotency_error', name = 'IdempotencyError') {
    super(details, type, name);
  }
}

/** 409: the object's state does not allow the operation (`session_not_open`, `quota_exhausted`). Test for it before `IdempotencyError`. */
export class ConflictError extends IdempotencyError {
  constructor(details: GateErrorDetails) {
    super(details, 'conflict', 'ConflictError');
  }
}

/** 404: there is no such thing for this key. */
export class NotFoundError extends GateError {
  constructor(details: GateErrorDetails) {
    super(details, 'not_found', 'NotFoundError');
  }
}

/** 429, after the retries, or at once where the service asks for more than a minute. */
export class RateLimitError extends GateError {
  /** How long the service wants to be left alone; null where it does not say. */
  readonly retryAfterSeconds: number | null;

  constructor(details: GateErrorDetails & { readonly retryAfterSeconds: number | null }) {
    super(details, 'rate_limit', 'RateLimitError');
    this.retryAfterSeconds = details.retryAfterSeconds;
  }
}

/** 5xx after the retries, and answers that this service cannot have sent. */
export class APIError extends GateError {
  constructor(details: GateErrorDetails) {
    super(details, 'api_error', 'APIError');
  }
}

/** No whole answer arrived: refused, reset, cut off, or not JSON. A write may have happened; its key makes a repeat safe. */
export class APIConnectionError extends GateError {
  constructor(details: GateErrorDetails, type = 'connection_error', name = 'APIConnectionError') {
    super(details, type, name);
  }
}

/** No whole answer in `timeoutMs`. A write may have happened; its key makes a repeat safe. */
export class TimeoutError extends APIConnectionError {
  constructor(details: GateErrorDetails) {
    super(details, 'timeout', 'TimeoutError');
  }
}
