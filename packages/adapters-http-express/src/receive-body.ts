import { requestTarget, takesFile, type HttpBody } from '@gateramp/core/http';
import { readBody, unreadBody } from '@gateramp/core/runtime';
import type { Request } from 'express';
import { rawBodyOf } from './keep-raw-body.js';

/**
 * The body from wherever it is: the stream, or a parser of the host's that was there first. Kept
 * bytes win over what a parser made of them, because only bytes can be authenticated and only they
 * show repeated keys and numbers as written.
 */
export async function receiveBody(request: Request, bytesMax: number): Promise<HttpBody> {
  const isFile = takesFile(request.method, requestTarget(request.url).path);
  // Express types the body as `any`; nothing is assumed of it here.
  const value: unknown = request.body;
  if (value === undefined && !request.readableDidRead)
    return isFile ? unreadBody(request, request) : readBody(request, request, bytesMax);
  const bytes = rawBodyOf(request) ?? (value instanceof Uint8Array ? value : null);
  const size = bytes?.byteLength ?? Number(request.headers['content-length'] ?? 0);
  // The gate knows how large a file may be; a parser of the host's has its own limit.
  if (size > bytesMax && !isFile) return { kind: 'too_large' };
  return bytes === null ? { kind: 'parsed', value, rawBody: null } : { kind: 'bytes', bytes };
}
