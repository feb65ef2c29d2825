import type { Mode } from '../domain/mode.js';
import type { Policy } from '../domain/policy.js';
import type { HttpHandler } from './handler.js';
import { NO_BODY, type HttpBody } from './message.js';

/** Serves a Fetch request. The client's address comes from the host: Fetch does not carry it. */
export async function bridgeFetch(
  handler: HttpHandler,
  policy: Policy,
  request: Request,
  options: { readonly mode: Mode; readonly clientIp: string },
): Promise<Response> {
  const url = new URL(request.url);
  const answer = await handler(options.mode, {
    method: request.method,
    path: url.pathname,
    query: url.search.slice(1),
    headers: Object.fromEntries(request.headers),
    body: await readStream(request.body, policy.bodyBytesMax),
    clientIp: options.clientIp,
  });
  // A Fetch host may write the body of an answer to HEAD as it is given, so it is given none.
  const body = answer.body === '' || request.method === 'HEAD' ? null : answer.body;
  return new Response(body, { status: answer.status, headers: { ...answer.headers } });
}

/** Reads no more than can be accepted; the rest of a larger body is never taken in. */
async function readStream(stream: ReadableStream<Uint8Array> | null, max: number): Promise<HttpBody> {
  if (stream === null) return NO_BODY;
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of stream) {
    size += chunk.byteLength;
    if (size > max) return { kind: 'too_large' };
    chunks.push(chunk);
  }
  return { kind: 'bytes', bytes: Buffer.concat(chunks) };
}
