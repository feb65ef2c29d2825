import { POOLS_HOST } from '../../../extensions/src/pools/endpoints.js';
import type { ErrorCode } from '../../src/domain/error-code.js';
import { errorBody, STATUSES, statusOn } from '../../src/http/errors.js';

/** The retry policy of every server SDK (contract of the SDKs: retries). */
export const RETRY_POLICY = {
  max_retries: 2,
  /** Full jitter: a random wait between zero and `backoff_base_ms * 2 ** retries_made`, at most `backoff_max_ms`. */
  backoff_base_ms: 500,
  backoff_max_ms: 8000,
  /** If the service requests a longer wait, the error is thrown immediately. */
  retry_after_max_seconds: 60,
} as const;

/** The error thrown if the response is not retried, or no retries are left. */
type ErrorClass =
  | 'AuthenticationError'
  | 'PermissionError'
  | 'InvalidRequestError'
  | 'IdempotencyError'
  | 'RateLimitError'
  | 'NotFoundError'
  | 'ConflictError'
  | 'APIError'
  | 'APIConnectionError'
  | 'TimeoutError';

type Answer =
  | { readonly status: number; readonly headers: Readonly<Record<string, string>>; readonly body: string }
  /** `connection`: refused, reset or interrupted; `timeout`: no complete response in time. */
  | { readonly failure: 'connection' | 'timeout' };

export interface RetryVector {
  readonly name: string;
  readonly answer: Answer;
  /** Retries of this operation before this response. */
  readonly retries_made: number;
  /** Epoch milliseconds, for a `Retry-After` with a date. */
  readonly now: number;
  readonly retried: boolean;
  /** Bounds of the random wait, inclusive; null if it is not retried. The jitter is added to a wait that the header requests. */
  readonly wait_ms: { readonly least: number; readonly most: number } | null;
  readonly error: ErrorClass;
  readonly type: string;
  /** The code of the envelope in either format; the error type if there is no envelope. */
  readonly code: string;
  readonly request_id?: string;
  readonly messages?: readonly string[];
  readonly retry_after_seconds?: number;
}

const NOW = 1_893_499_440_000;
const REQUEST = 'req_68a1f0c2b7e94d1f3a5c7e90';
const { backoff_base_ms: BASE } = RETRY_POLICY;

const RETRIED = [408, 425, 429, 500, 502, 503, 504];

function classOf(status: number, code: string): ErrorClass {
  if (code === 'operation_in_progress' || code === 'idempotency_key_mismatch') return 'IdempotencyError';
  if (status === 401) return 'AuthenticationError';
  if (status === 403) return 'PermissionError';
  if (status === 404) return 'NotFoundError';
  if (status === 409) return 'ConflictError';
  if (status === 429) return 'RateLimitError';
  return status < 400 || status >= 500 || RETRIED.includes(status) ? 'APIError' : 'InvalidRequestError';
}

/** The wire names of the classes (spec: Server SDK error classes), which are also the code of a response without one. */
const TYPES: Readonly<Record<ErrorClass, string>> = {
  AuthenticationError: 'authentication_error',
  PermissionError: 'permission_error',
  InvalidRequestError: 'invalid_request',
  IdempotencyError: 'idempotency_error',
  RateLimitError: 'rate_limit',
  NotFoundError: 'invalid_request',
  ConflictError: 'idempotency_error',
  APIError: 'api_error',
  APIConnectionError: 'connection_error',
  TimeoutError: 'timeout',
};
const errorOf = (error: ErrorClass, code = TYPES[error]) => ({ error, type: TYPES[error], code });

type Headers = Readonly<Record<string, string>>;

/** A response of the engine: code, status and body come from its tables. */
function refused(code: ErrorCode, status: number = STATUSES[code]): RetryVector {
  const retried = RETRIED.includes(status);
  return {
    name: `${status} ${code}`,
    answer: {
      status,
      headers: { 'content-type': 'application/json', 'x-request-id': REQUEST },
      body: errorBody({ code, message: 'What happened, for people.' }, REQUEST, status, `/docs#${code}`),
    },
    retries_made: 0,
    now: NOW,
    retried,
    wait_ms: retried ? { least: 0, most: BASE } : null,
    ...errorOf(classOf(status, code), code),
    request_id: REQUEST,
    messages: ['What happened, for people.'],
  };
}

/** A response of an intermediary, without an envelope. */
const bare = (status: number, retried: boolean): RetryVector => ({
  name: `${status} without an envelope`,
  answer: { status, headers: { 'content-type': 'text/html' }, body: '<h1>Bad gateway</h1>' },
  retries_made: 0,
  now: NOW,
  retried,
  wait_ms: retried ? { least: 0, most: BASE } : null,
  ...errorOf(classOf(status, '')),
});

function headed(name: string, headers: Headers, least: number | null, changes: Partial<RetryVector> = {}): RetryVector {
  const { answer, ...limited } = refused('rate_limit_exceeded');
  if (!('headers' in answer)) throw new Error('A refusal is an answer.');
  return {
    ...limited,
    name,
    answer: { ...answer, headers: { ...answer.headers, ...headers } },
    retried: least !== null,
    wait_ms: least === null ? null : { least, most: least + BASE },
    ...changes,
  };
}

const failed = (failure: 'connection' | 'timeout', retriesMade: number, retried: boolean): RetryVector => ({
  name: `${failure} after ${retriesMade} retries`,
  answer: { failure },
  retries_made: retriesMade,
  now: NOW,
  retried,
  wait_ms: retried ? { least: 0, most: BASE * 2 ** retriesMade } : null,
  ...errorOf(failure === 'timeout' ? 'TimeoutError' : 'APIConnectionError'),
});

// `Object.keys` loses the type of the keys.
const CODES = Object.keys(STATUSES) as readonly ErrorCode[];

/** Responses and failures: whether each is retried, after which wait, and the resulting error. */
export const RETRY_VECTORS: readonly RetryVector[] = [
  ...CODES.map((code) => refused(code)),
  refused('idempotency_key_mismatch', statusOn(POOLS_HOST, 'idempotency_key_mismatch')),

  ...RETRIED.map((status) => bare(status, true)),
  ...[301, 302, 400, 401, 402, 403, 404, 405, 409, 410, 413, 422, 501, 505].map((status) => bare(status, false)),
  {
    name: 'a success that is not JSON: the answer was lost, so the operation is asked for again',
    answer: { status: 200, headers: { 'content-type': 'text/html' }, body: '<h1>Welcome</h1>' },
    retries_made: 0,
    now: NOW,
    retried: true,
    wait_ms: { least: 0, most: BASE },
    ...errorOf('APIConnectionError'),
  },
  {
    ...refused('validation_failed'),
    name: 'the other form of the envelope, with several messages',
    answer: {
      status: 400,
      headers: { 'content-type': 'application/json' },
      body: `{"error":"invalid_request","code":"validation_failed","message":["amount is missing","currency is missing"],"requestId":"${REQUEST}","doc_url":null,"statusCode":400}`,
    },
    messages: ['amount is missing', 'currency is missing'],
  },

  ...[0, 1].map((made) => failed('connection', made, true)),
  failed('connection', 2, false),
  ...[0, 1].map((made) => failed('timeout', made, true)),
  failed('timeout', 2, false),
  {
    ...refused('try_again'),
    name: '503 after one retry: twice the wait',
    retries_made: 1,
    wait_ms: { least: 0, most: 2 * BASE },
  },
  { ...refused('try_again'), name: '503 after two retries', retries_made: 2, retried: false, wait_ms: null },

  headed('429 with Retry-After-short', { 'retry-after-short': '7' }, 7000, { retry_after_seconds: 7 }),
  headed('429 with Retry-After-short of nothing', { 'retry-after-short': '0' }, 0, { retry_after_seconds: 0 }),
  headed('429 with the longest wait that is slept', { 'retry-after-short': '60' }, 60_000, { retry_after_seconds: 60 }),
  headed('429 with a second more is reported at once', { 'retry-after-short': '61' }, null, {
    retry_after_seconds: 61,
  }),
  headed('429 with an hour is reported at once', { 'retry-after-short': '3600' }, null, { retry_after_seconds: 3600 }),
  headed('Retry-After where there is nothing else', { 'retry-after': '5' }, 5000, { retry_after_seconds: 5 }),
  headed('Retry-After-short wins', { 'retry-after-short': '3', 'retry-after': '50' }, 3000, { retry_after_seconds: 3 }),
  headed('a Retry-After-short that says nothing', { 'retry-after-short': 'soon', 'retry-after': '4' }, 4000, {
    retry_after_seconds: 4,
  }),
  ...['-1', '1.5', '1e1', ''].map((value) =>
    headed(`a Retry-After-short of "${value}" says nothing`, { 'retry-after-short': value }, 0),
  ),
  headed('Retry-After with a date', { 'retry-after': new Date(NOW + 9000).toUTCString() }, 9000, {
    retry_after_seconds: 9,
  }),
  headed('Retry-After with a date that is past', { 'retry-after': new Date(NOW - 9000).toUTCString() }, 0, {
    retry_after_seconds: 0,
  }),
  headed('Retry-After with a date an hour away', { 'retry-after': new Date(NOW + 3_600_000).toUTCString() }, null, {
    retry_after_seconds: 3600,
  }),
  headed('429 after one retry: the wait that is asked for, then twice the jitter', { 'retry-after-short': '2' }, 2000, {
    retries_made: 1,
    wait_ms: { least: 2000, most: 2000 + 2 * BASE },
    retry_after_seconds: 2,
  }),
  {
    ...refused('service_unavailable'),
    name: '503 with Retry-After',
    answer: { status: 503, headers: { 'retry-after': '2', 'x-request-id': REQUEST }, body: '' },
    wait_ms: { least: 2000, most: 2000 + BASE },
    code: 'api_error',
    messages: [],
  },
];
