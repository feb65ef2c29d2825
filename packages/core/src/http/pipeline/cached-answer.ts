import type { Engine } from '../../application/engine.js';
import type { Caching } from '../endpoint.js';
import { headerOf, type HttpRequest, type HttpResponse } from '../message.js';

/** A cacheable response: private, because it depends on the key, with an `ETag`, and 304 without a body if the client already has it. */
export function cachedAnswer(
  { crypto }: Pick<Engine, 'crypto'>,
  { maxAgeSeconds }: Caching,
  request: HttpRequest,
  answer: HttpResponse,
): HttpResponse {
  const etag = `"${crypto.hash(answer.body).slice(0, TAG_LENGTH)}"`;
  const headers: Record<string, string> = {
    ...answer.headers,
    etag,
    'cache-control': `private, max-age=${maxAgeSeconds}`,
    vary: `${answer.headers['vary'] ?? 'Origin'}, Authorization`,
  };
  if (!isKnown(headerOf(request, 'if-none-match'), etag)) return { ...answer, headers };
  const { 'content-type': _, ...withoutBody } = headers;
  return { ...answer, status: 304, headers: withoutBody, body: '' };
}

const TAG_LENGTH = 32;

/** Whether `If-None-Match` contains the tag. Compared weakly, because a compressing proxy may have weakened it. */
function isKnown(tags: string | null, etag: string): boolean {
  if (tags === null) return false;
  return tags.split(',').some((one) => {
    const tag = one.trim();
    return tag === '*' || tag === etag || tag === `W/${etag}`;
  });
}
