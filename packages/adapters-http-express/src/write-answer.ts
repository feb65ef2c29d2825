import type { ServerResponse } from 'node:http';
import { besideVary, type HttpResponse } from '@gateramp/core/http';

/**
 * Writes the answer as it is. Headers that the host has set before stay; `res.send` is not used,
 * since it would add an `ETag` and rewrite the content type.
 */
export function writeAnswer(response: ServerResponse, answer: HttpResponse): void {
  // A time-out of the host's may have answered in the meantime.
  if (response.headersSent) return;
  const length = BODILESS.has(answer.status) ? {} : { 'content-length': Buffer.byteLength(answer.body) };
  response.writeHead(answer.status, { ...besideVary(answer.headers, response.getHeader('vary')), ...length });
  response.end(answer.body);
}

/** Their answers have no body, so a length would be that of another: on a 304 of what the caller has. */
const BODILESS: ReadonlySet<number> = new Set([204, 304]);
