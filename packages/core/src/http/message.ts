import type { TraceFields } from '../application/tracing.js';
import type { RequestRefusalCode } from '../domain/error-code.js';

/** A request as plain data, independent of the framework. */
export interface HttpRequest {
  readonly method: string;
  /** The path as sent, with percent-encoding and without the query. */
  readonly path: string;
  /**
   * The path prefix under which the host serves the gate, as sent, such as `/sandbox`. Links in responses to the same host start with it.
   * Absent at the root, null if unknown.
   */
  readonly prefix?: string | null;
  /** The part after `?`; empty if there is none. */
  readonly query: string;
  /** Names in lower case, as in Node. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: HttpBody;
  /** From the framework's trusted-proxy setting; forwarding headers are never read here. */
  readonly clientIp: string;
  /** Why the server could not read the request; the other members are then irrelevant. */
  readonly refusedAs?: RequestRefusalCode;
}

/**
 * `parsed` is for hosts whose framework has already parsed JSON: numbers and repeated keys are then as that parser left them, and provider
 * callbacks cannot be authenticated.
 */
export type HttpBody =
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array }
  | UnreadBody
  | { readonly kind: 'parsed'; readonly value: unknown; readonly rawBody: Uint8Array | null }
  | { readonly kind: 'too_large' };

/**
 * A body that is not read yet: a file, accepted only after its sender has been checked (`takesFile`). It is read at most once, and possibly
 * never.
 */
export interface UnreadBody {
  readonly kind: 'unread';
  /**
   * Reads at most `bytesMax` bytes; returns `aborted` if the client disconnected before the end, or when the signal aborts. Called with 0,
   * or after the signal, it reads nothing and discards the body.
   */
  readonly read: (bytesMax: number, signal?: AbortSignal) => Promise<FileRead>;
}

/** The result of reading a file. */
export type FileRead =
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array }
  | { readonly kind: 'too_large' }
  | { readonly kind: 'aborted' };

/** Whether the request is checked before its body is read, so that an adapter must pass the body as `unread`. */
export function takesFile(method: string, path: string): boolean {
  return method === 'POST' && FILE_PATH.test(path);
}

const FILE_PATH = /^\/v1\/embed\/intents\/[^/]+\/documents\/[^/]+$/;

/** Names in lower case. The body is text; empty if there is none. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** The authenticated partner, for the host's logs; not part of the response. Absent if the request was not authenticated. */
  readonly partnerId?: string;
  /** The recorded span of the request, for the host's logs; absent if it is not traced. */
  readonly trace?: TraceFields;
}

/** An empty body. */
export const NO_BODY: HttpBody = { kind: 'bytes', bytes: new Uint8Array(0) };

/** A header's value; repeated headers are joined as in HTTP. */
export function headerOf(request: HttpRequest, name: string): string | null {
  const value = request.headers[name];
  if (value === undefined) return null;
  return typeof value === 'string' ? value : value.join(', ');
}

/** All headers as one string each. */
export function headersOf(request: HttpRequest): Readonly<Record<string, string>> {
  const headers: Record<string, string> = {};
  for (const name of Object.keys(request.headers)) {
    const value = headerOf(request, name);
    if (value !== null) headers[name] = value;
  }
  return headers;
}

/** The response's headers, with its `Vary` merged into one that the host has already set. */
export function mergeVary(
  headers: HttpResponse['headers'],
  present: string | number | readonly string[] | undefined,
): HttpResponse['headers'] {
  const { vary } = headers;
  if (vary === undefined || present === undefined) return headers;
  const names = [present]
    .flat()
    .join(', ')
    .split(',')
    .map((name) => name.trim());
  return names.some((name) => name === '*' || name.toLowerCase() === vary.toLowerCase())
    ? { ...headers, vary: names.join(', ') }
    : { ...headers, vary: [...names, vary].join(', ') };
}
