import { JoinedBytes } from '../domain/joined-bytes.js';
import { BODY_BYTES_MAX } from './pipeline/read-body.js';
import type { Mode } from '../domain/mode.js';
import { modeProblem } from './hosts.js';
import { type FileRead, type HttpRequest, type HttpResponse, takesFile } from './message.js';

/** What `gate.fetch` cannot read off a Fetch request. */
export interface FetchOptions {
  /** The call is to the host of this mode, whatever the URL's host says. */
  readonly mode: Mode;
  /** Fetch does not carry it; the host knows. */
  readonly clientIp: string;
  /** Where the host serves the gate, such as `/sandbox`. What is not beneath it is 404 `route_not_found`. */
  readonly prefix?: string;
}

/** What is bridged to: a host, and the modes that it has. */
interface Bridged {
  readonly modes: readonly Mode[];
  readonly handle: (mode: Mode, request: HttpRequest) => Promise<HttpResponse>;
}

/** Serves a Fetch request. Throws where its options make no sense, for that is the host's mistake and no caller's. */
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
  // A Fetch host may write the body of an answer to HEAD as it is given, so it is given none.
  const body = answer.body === '' || request.method === 'HEAD' ? null : answer.body;
  return new Response(body, { status: answer.status, headers: { ...answer.headers } });
}

/** Without the slash at its end. */
function prefixOf({ prefix = '' }: FetchOptions): string {
  if (prefix !== '' && !/^\/[^?#]*$/.test(prefix)) {
    throw new TypeError(`gate.fetch: prefix must be a path such as '/sandbox', not ${JSON.stringify(prefix)}.`);
  }
  return prefix.endsWith('/') ? prefix.slice(0, -1) : prefix;
}

/** The path beneath the prefix, as sent. The prefix is compared to the letter; paths of the contract are. */
function pathAfterPrefix(path: string, prefix: string): string {
  return path.startsWith(`${prefix}/`) ? path.slice(prefix.length) : OUTSIDE;
}

/** No endpoint has it, so the answer is the 404 of any unknown path. */
const OUTSIDE = '/(outside the prefix)';

/** Reads no more than can be accepted; the rest of a larger body is never taken in. */
async function readStream(
  stream: ReadableStream<Uint8Array> | null,
  max: number,
): Promise<Exclude<FileRead, { kind: 'aborted' }>> {
  if (stream === null) return { kind: 'bytes', bytes: new Uint8Array(0) };
  const body = new JoinedBytes(max);
  for await (const chunk of stream) if (!body.add(chunk)) return { kind: 'too_large' };
  return { kind: 'bytes', bytes: body.bytes() };
}

/** A file whose sender is gone is no error of the host's. */
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

/** The stream until the signal, which cancels it. */
function endingAt(stream: ReadableStream<Uint8Array> | null, signal: AbortSignal): ReadableStream<Uint8Array> | null {
  return stream?.pipeThrough(new TransformStream<Uint8Array, Uint8Array>(), { signal }) ?? null;
}
