import { requestTarget, takesFile, type HttpBody } from '@gateramp/core/http';
import { readBody, unreadBody } from '@gateramp/core/runtime';
import type { Request } from 'express';
import { rawBodyOf } from './keep-raw-body.js';

/**
 * Reads the body from the stream, or takes it from the host's parser. Raw bytes take precedence over the parsed value, because only bytes
 * can be authenticated and only they show repeated keys and numbers as written.
 */
export async function receiveBody(request: Request, bytesMax: number): Promise<HttpBody> {
  const isFile = takesFile(request.method, requestTarget(request.url).path);
  // Express types the body as `any`; treated as unknown here.
  const value: unknown = request.body;
  if (value === undefined && !request.readableDidRead)
    return isFile ? unreadBody(request, request) : readBody(request, request, bytesMax);
  const bytes = rawBodyOf(request) ?? (value instanceof Uint8Array ? value : null);
  const size = bytes?.byteLength ?? Number(request.headers['content-length'] ?? 0);
  // The gate limits the size of files itself; the host's parser has its own limit.
  if (size > bytesMax && !isFile) return { kind: 'too_large' };
  return bytes === null ? { kind: 'parsed', value, rawBody: null } : { kind: 'bytes', bytes };
}
