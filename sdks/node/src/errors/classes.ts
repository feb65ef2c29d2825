import { GateError, type GateErrorDetails } from './gate-error.js';

/** 401: the key is missing, malformed, unknown, revoked or expired. */
export class AuthenticationError extends GateError {
  constructor(details: GateErrorDetails) {
    super(details, 'authentication_error', 'AuthenticationError');
  }
}

/** 403: the key's mode or entitlements, or the origin of the request, do not allow the operation. */
export class PermissionError extends GateError {
  constructor(details: GateErrorDetails) {
    super(details, 'permission_error', 'PermissionError');
  }
}

/** 400, 402, 413, 415, 422: the request is invalid. Also thrown for requests that this SDK refuses to send. */
export class InvalidRequestError extends GateError {
  constructor(details: GateErrorDetails) {
    super(details, 'invalid_request', 'InvalidRequestError');
  }
}

/**
 * 409, and 422 `idempotency_key_mismatch`: the request conflicts with another request or with the current state. This class itself means a
 * reused key (`idempotency_key_mismatch`) or a key whose first request is still running (`operation_in_progress`); state conflicts are
 * `ConflictError`.
 */
export class IdempotencyError extends GateError {
  constructor(details: GateErrorDetails, name = 'IdempotencyError') {
    super(details, 'idempotency_error', name);
  }
}

/** 409: the object's state does not allow the operation (`session_not_open`, `quota_exhausted`). Test for it before `IdempotencyError`. */
export class ConflictError extends IdempotencyError {
  constructor(details: GateErrorDetails) {
    super(details, 'ConflictError');
  }
}

/** 404: the key has no access to such an object. */
export class NotFoundError extends GateError {
  constructor(details: GateErrorDetails) {
    super(details, 'invalid_request', 'NotFoundError');
  }
}

/** 429, after all retries, or at once if the service asks for a wait of more than a minute. */
export class RateLimitError extends GateError {
  /** The wait that the service asks for; null if it names none. */
  readonly retryAfterSeconds: number | null;

  constructor(details: GateErrorDetails & { readonly retryAfterSeconds: number | null }) {
    super(details, 'rate_limit', 'RateLimitError');
    this.retryAfterSeconds = details.retryAfterSeconds;
  }
}

/** 5xx after all retries, and responses that cannot come from this service. */
export class APIError extends GateError {
  constructor(details: GateErrorDetails) {
    super(details, 'api_error', 'APIError');
  }
}

/** No complete response: refused, reset, truncated, or not JSON. A write may have been executed; its key makes a repeat safe. */
export class APIConnectionError extends GateError {
  constructor(details: GateErrorDetails, type = 'connection_error', name = 'APIConnectionError') {
    super(details, type, name);
  }
}

/** No complete response within `timeoutMs`. A write may have been executed; its key makes a repeat safe. */
export class TimeoutError extends APIConnectionError {
  constructor(details: GateErrorDetails) {
    super(details, 'timeout', 'TimeoutError');
  }
}
