import type { RequestRefusalCode } from '../domain/error-code.js';

/** A request as plain data: what every framework can say of one. */
export interface HttpRequest {
  readonly method: string;
  /** The path as sent, percent-encoding and all, without query. */
  readonly path: string;
  /**
   * Where the host serves the gate, as sent, such as `/sandbox`: what an answer points to on the same host begins with
   * it. Absent at the root, null if not known.
   */
  readonly prefix?: string | null;
  /** What follows `?`; empty when there is none. */
  readonly query: string;
  /** Names in lower case, as Node gives them. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: HttpBody;
  /** From the framework's own trusted-proxy setting; forwarding headers are never read here. */
  readonly clientIp: string;
  /** Why the server could not read the request; then nothing else of it needs to be known. */
  readonly refusedAs?: RequestRefusalCode;
}

/**
 * `parsed` is for hosts whose framework has read JSON already: numbers and repeated keys are then
 * as that parser left them, and provider callbacks cannot be authenticated.
 */
export type HttpBody =
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array }
  | UnreadBody
  | { readonly kind: 'parsed'; readonly value: unknown; readonly rawBody: Uint8Array | null }
  | { readonly kind: 'too_large' };

/**
 * A body that is still on its way: a file, which is taken in only once its sender has been checked (`takesFile`). It is read at most
 * once; nothing says that it is.
 */
export interface UnreadBody {
  readonly kind: 'unread';
  /**
   * At most so many bytes; `aborted` when the client left before the end, or once the signal says so. Called with 0, or after the signal,
   * it takes nothing in and discards what comes.
   */
  readonly read: (bytesMax: number, signal?: AbortSignal) => Promise<FileRead>;
}

/** The result of reading a file. */
export type FileRead =
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array }
  | { readonly kind: 'too_large' }
  | { readonly kind: 'aborted' };

/** Whether a request is answered before its body is read, so that an adapter passes the body on as `unread`. */
export function takesFile(method: string, path: string): boolean {
  return method === 'POST' && FILE_PATH.test(path);
}

const FILE_PATH = /^\/v1\/embed\/intents\/[^/]+\/documents\/[^/]+$/;

/** Names in lower case. The body is text; empty for none. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Who asked, for the host's logs; no part of what is sent. Absent if the request was not authenticated. */
  readonly partnerId?: string;
}

/** A body of no bytes. */
export const NO_BODY: HttpBody = { kind: 'bytes', bytes: new Uint8Array(0) };

/** A header's value; repeated ones joined as HTTP joins them. */
export function headerOf(request: HttpRequest, name: string): string | null {
  const value = request.headers[name];
  if (value === undefined) return null;
  return typeof value === 'string' ? value : value.join(', ');
}

/** Every header as one string each. */
export function headersOf(request: HttpRequest): Readonly<Record<string, string>> {
  const headers: Record<string, string> = {};
  for (const name of Object.keys(request.headers)) {
    const value = headerOf(request, name);
    if (value !== null) headers[name] = value;
  }
  return headers;
}

/** The answer's headers together with a `Vary` that the host has set before: both hold, and neither replaces the other. */
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
