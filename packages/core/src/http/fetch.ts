import { JoinedBytes } from '../domain/joined-bytes.js';
import { BODY_BYTES_MAX } from './pipeline/read-body.js';
import { MODES, type Mode } from '../domain/mode.js';
import type { Policy } from '../domain/policy.js';
import { modeProblem } from './hosts.js';
import { type FileRead, type HttpRequest, type HttpResponse, takesFile } from './message.js';

/** The parameters of `gate.fetch` that a Fetch request does not contain. */
export interface FetchOptions {
  /** The mode of the host that is called, regardless of the URL's host name. */
  readonly mode: Mode;
  /** The IP address of the client, which a Fetch request does not contain. */
  readonly clientIp: string;
  /** The path prefix under which the host serves the gate, such as `/sandbox`. Paths outside it get 404 `route_not_found`. */
  readonly prefix?: string;
}

/** The host to call, and its modes. */
interface Bridged {
  readonly modes: readonly Mode[];
  readonly handle: (mode: Mode, request: HttpRequest) => Promise<HttpResponse>;
}

/** Serves a Fetch request. Throws on invalid options, because those are an error of the host and not of its client. */
export async function bridgeFetch(
  { modes, handle }: Bridged,
  request: Request,
  options: FetchOptions,
): Promise<Response> {
  const problem = modeProblem(options, modes);
  if (problem !== null) throw new TypeError(`gate.fetch(request, { mode, clientIp }): ${problem}`);
  if (typeof options.clientIp !== 'string')
    throw new TypeError(
      'gate.fetch(request, { mode, clientIp }): clientIp must be the IP address of the client as a string. It is needed for rate limits, and a Fetch request does not contain it.',
    );
  const url = new URL(request.url);
  const prefix = prefixOf(options);
  const path = pathAfterPrefix(url.pathname, prefix);
  const answer = await handle(options.mode, {
    method: request.method,
    prefix,
    path,
    query: url.search.slice(1),
    headers: Object.fromEntries(request.headers),
    body: takesFile(request.method, path)
      ? { kind: 'unread', read: (bytesMax, signal) => readFile(request.body, bytesMax, signal) }
      : await readStream(request.body, BODY_BYTES_MAX),
    clientIp: options.clientIp,
  });
  // Some Fetch hosts send the body of a response to HEAD as passed, so it is removed.
  const body = answer.body === '' || request.method === 'HEAD' ? null : answer.body;
  return new Response(body, { status: answer.status, headers: { ...answer.headers } });
}

/** Removes the trailing slash. */
function prefixOf({ prefix = '' }: FetchOptions): string {
  if (prefix !== '' && !/^\/[^?#]*$/.test(prefix)) {
    throw new TypeError(`gate.fetch: prefix must be a path such as '/sandbox', not ${JSON.stringify(prefix)}.`);
  }
  return prefix.endsWith('/') ? prefix.slice(0, -1) : prefix;
}

/** The path under the prefix, as sent. The prefix comparison is exact, like all path comparisons of the contract. */
function pathAfterPrefix(path: string, prefix: string): string {
  return path.startsWith(`${prefix}/`) ? path.slice(prefix.length) : OUTSIDE;
}

/** Matches no endpoint, so the response is the usual 404. */
const OUTSIDE = '/(outside the prefix)';

/** Reads a body of at most `max` bytes; the rest of a larger one is never read, and cancelled. */
export async function readStream(
  stream: ReadableStream<Uint8Array> | null,
  max: number,
): Promise<Exclude<FileRead, { kind: 'aborted' }>> {
  if (stream === null) return { kind: 'bytes', bytes: new Uint8Array(0) };
  const body = new JoinedBytes(max);
  for await (const chunk of stream) if (!body.add(chunk)) return { kind: 'too_large' };
  return { kind: 'bytes', bytes: body.bytes() };
}

/** A client that disconnects during an upload is not an error of the host. */
async function readFile(
  stream: ReadableStream<Uint8Array> | null,
  max: number,
  signal?: AbortSignal,
): Promise<FileRead> {
  try {
    return await readStream(signal === undefined ? stream : endingAt(stream, signal), max);
  } catch {
    return { kind: 'aborted' };
  }
}

/** Ends the stream when the signal aborts, and cancels its source. */
function endingAt(stream: ReadableStream<Uint8Array> | null, signal: AbortSignal): ReadableStream<Uint8Array> | null {
  return stream?.pipeThrough(new TransformStream<Uint8Array, Uint8Array>(), { signal }) ?? null;
}

/** The interface that HTTP adapters mount: the wire contract of one product, for one mode per call. */
export interface GateHost {
  /** The modes in which it can be mounted. */
  readonly modes: readonly Mode[];
  /** Serves the wire contract of one mode. Never throws. */
  handle(mode: Mode, request: HttpRequest): Promise<HttpResponse>;
  /** Serves Fetch requests, for Hono, Next, Bun, Deno and tests without a socket. Rejects with a `TypeError` on invalid options. */
  fetch(request: Request, options: FetchOptions): Promise<Response>;
  readonly policy: Policy;
}

export function gateHost(policy: Policy, handle: GateHost['handle'], modes: readonly Mode[] = MODES): GateHost {
  const host = { modes, handle, policy };
  return { ...host, fetch: (request, options) => bridgeFetch(host, request, options) };
}
