import {
  APIError,
  AuthenticationError,
  ConflictError,
  IdempotencyError,
  InvalidRequestError,
  NotFoundError,
  PermissionError,
  RateLimitError,
} from './classes.js';
import { type FieldError, type GateError, type GateErrorDetails } from './gate-error.js';

/** A response without a success status, as received. */
interface RefusedAnswer {
  readonly status: number;
  readonly body: string;
  /** The address that was asked. */
  readonly url: string;
  /** Of the `X-Request-Id` header, which is present even if a proxy replaced the body. */
  readonly requestId: string | null;
  /** The wait of `Retry-After-short` or `Retry-After`. */
  readonly retryAfterSeconds: number | null;
}

const KEY_CODES = ['operation_in_progress', 'idempotency_key_mismatch'];
/** 4xx statuses that are temporary rather than caused by the request. */
const TEMPORARY_STATUSES = [408, 425];

/** Maps a response to its error. Reads every form of the error envelope (spec: Errors). */
export function errorOfAnswer({ status, body, url, requestId, retryAfterSeconds }: RefusedAnswer): GateError {
  const envelope = readEnvelope(body, url);
  const details: GateErrorDetails = {
    message: envelope.messages.join('; ') || `The service answered ${status} without an error message.`,
    status,
    rawBody: body,
    ...envelope,
    requestId: requestId ?? envelope.requestId,
  };
  if (envelope.code !== null && KEY_CODES.includes(envelope.code)) return new IdempotencyError(details);
  switch (status) {
    case 401:
      return new AuthenticationError(details);
    case 403:
      return new PermissionError(details);
    case 404:
      return new NotFoundError(details);
    case 409:
      return new ConflictError(details);
    case 429:
      return new RateLimitError({ ...details, retryAfterSeconds });
    default:
      return status < 400 || status >= 500 || TEMPORARY_STATUSES.includes(status)
        ? new APIError(details)
        : new InvalidRequestError(details);
  }
}

function readEnvelope(body: string, url: string) {
  const json = parsed(body);
  const { message, errors } = json;
  return {
    code: textOrNull(json['code']),
    messages: (Array.isArray(message) ? message : [message]).filter((text) => typeof text === 'string'),
    requestId: textOrNull(json['request_id']) ?? textOrNull(json['requestId']),
    docUrl: linkOf(json['doc_url'], url),
    fields: Array.isArray(errors) ? errors.filter(isFieldError) : [],
  };
}

function parsed(body: string): Readonly<Record<string, unknown>> {
  try {
    const json: unknown = JSON.parse(body);
    return isObject(json) ? json : {};
  } catch {
    return {};
  }
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

const textOrNull = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);

/** A path leads to a page of the service that answered. Null for what is no link to a page. */
function linkOf(value: unknown, base: string): string | null {
  if (typeof value !== 'string' || value === '' || !URL.canParse(value, base)) return null;
  const { protocol, href } = new URL(value, base);
  return protocol === 'https:' || protocol === 'http:' ? href : null;
}

const isFieldError = (value: unknown): value is FieldError =>
  isObject(value) && ['field', 'code', 'message'].every((name) => typeof value[name] === 'string');
