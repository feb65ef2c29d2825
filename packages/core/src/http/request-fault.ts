import type { RequestFault } from '../domain/error-code.js';
import type { Refusal } from '../domain/refusal.js';
import { headerOf, NO_BODY, type HttpRequest } from './message.js';

/**
 * A request that could not be read, as far as anything is known of it. It has no path, so code that mounts the gate
 * beneath a prefix tells it; null where that differs from request to request.
 */
export function unreadRequest(fault: RequestFault, clientIp: string, prefix: string | null = ''): HttpRequest {
  return { method: '', path: '', prefix, query: '', headers: {}, body: NO_BODY, clientIp, fault };
}

/** HTTP/1.1 wants a `Host`. Node may be told not to look, so that its answer is not a bare one. */
export function hostFault({ httpVersion, headers }: Arrived): RequestFault | null {
  return httpVersion === '1.1' && headers.host === undefined ? 'malformed_request' : null;
}

/** What Node knows of a request that has come in. */
interface Arrived {
  readonly httpVersion: string;
  readonly headers: { readonly host?: string | undefined };
}

/** Why a request is refused for how it was sent, whatever it asks for; null when it is not. */
export function requestRefusal(request: HttpRequest): Refusal | null {
  if (request.fault !== undefined) return { code: request.fault, message: MESSAGES[request.fault] };
  const expected = request.headers['expect'] === undefined ? null : headerOf(request, 'expect');
  if (expected === null || CONTINUE.test(expected)) return null;
  return {
    code: 'expectation_failed',
    message: 'Unsupported Expect header. Only 100-continue is supported; remove the header.',
  };
}

/** As Node looks for it. */
const CONTINUE = /(?:^|\W)100-continue(?:$|\W)/i;

const MESSAGES = {
  malformed_request: 'Malformed HTTP/1.1 request.',
  headers_too_large: 'The URL and headers of the request are too large; the usual limit is 16 KiB in total.',
  request_timeout: 'The request was not received in full within the time limit.',
  body_too_large: 'The extensions of a body chunk are too large.',
  service_unavailable: 'The server is starting or stopping; try again in a moment.',
} as const satisfies Record<RequestFault, string>;
