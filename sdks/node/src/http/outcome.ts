import { APIConnectionError, APIError, TimeoutError } from '../errors/classes.js';
import { errorOfAnswer } from '../errors/error-of-answer.js';
import { type GateError } from '../errors/gate-error.js';
import { ANSWER_BYTES_MAX, type Request, type Sent } from './attempt.js';
import { type WithResponse } from './gate-promise.js';
import { retryAfterSeconds, type Failure } from './retry.js';

/** The outcome of an attempt: the result, or an error with the failure that decides on a retry. */
type Outcome<T> =
  | { readonly ok: true; readonly answer: WithResponse<T> }
  | { readonly ok: false; readonly failure: Failure; readonly error: GateError };

type RequestSummary = Pick<Request, 'method' | 'url' | 'timeoutMs'>;

export function outcomeOf<T>(sent: Sent, request: RequestSummary, now = Date.now()): Outcome<T> {
  switch (sent.kind) {
    case 'timeout': {
      const message = `${request.method} ${whereOf(request)} was not answered in ${request.timeoutMs} ms.`;
      return { ok: false, failure: { kind: 'timeout' }, error: new TimeoutError({ message }) };
    }
    case 'connection': {
      const message = `${request.method} ${whereOf(request)} got no complete response: ${reasonOf(sent.cause)}.`;
      const error = new APIConnectionError({ message, cause: sent.cause });
      return { ok: false, failure: { kind: 'connection' }, error };
    }
    case 'too_large':
      return { ok: false, failure: { kind: 'too_large' }, error: tooLarge(sent.response, request) };
    case 'answer':
      return sent.response.ok ? successOf(sent, request) : refusalOf(sent, request, now);
  }
}

type HttpAnswer = Extract<Sent, { kind: 'answer' }>;

function successOf<T>({ response, text }: HttpAnswer, request: RequestSummary): Outcome<T> {
  const requestId = response.headers.get('x-request-id');
  try {
    // The service returns this type from this operation; members of newer versions are included.
    return { ok: true, answer: { data: JSON.parse(text) as T, response, requestId } };
  } catch (cause) {
    const message = `${request.method} ${whereOf(request)} was answered ${response.status} with a body that is not JSON. Check whether a proxy answered.`;
    const error = new APIConnectionError({ message, status: response.status, rawBody: text, requestId, cause });
    return { ok: false, failure: { kind: 'lost' }, error };
  }
}

function tooLarge({ status, headers }: Response, request: RequestSummary): APIError {
  return new APIError({
    message: `${request.method} ${whereOf(request)} was answered ${status} with more than ${ANSWER_BYTES_MAX} bytes, and the body was not read. Check that baseUrl is the address of the service.`,
    code: 'response_too_large',
    status,
    requestId: headers.get('x-request-id'),
  });
}

function refusalOf({ response, text }: HttpAnswer, { url }: RequestSummary, now: number): Outcome<never> {
  const { status, headers } = response;
  const seconds = retryAfterSeconds(headers, now);
  const requestId = headers.get('x-request-id');
  return {
    ok: false,
    failure: { kind: 'answer', status, retryAfterSeconds: seconds },
    error: errorOfAnswer({ status, body: text, url, requestId, retryAfterSeconds: seconds }),
  };
}

/** Without the query, which may contain personal data. */
const whereOf = ({ url }: RequestSummary): string => url.split('?')[0] ?? url;

/** `fetch` reports "fetch failed" and keeps the actual error in its cause. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error && error.cause.message !== '' ? error.cause.message : error.message;
}
