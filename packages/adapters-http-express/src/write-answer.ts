import type { ServerResponse } from 'node:http';
import { mergeVary, type HttpResponse } from '@gateramp/core/http';

/**
 * Writes the response unchanged. Headers set by the host are kept; `res.send` is not used, since it would
 * add an `ETag` and rewrite the content type.
 */
export function writeAnswer(response: ServerResponse, answer: HttpResponse): void {
  // A timeout of the host may have answered in the meantime.
  if (response.headersSent) return;
  const length = BODILESS.has(answer.status) ? {} : { 'content-length': Buffer.byteLength(answer.body) };
  response.writeHead(answer.status, { ...mergeVary(answer.headers, response.getHeader('vary')), ...length });
  response.end(answer.body);
}

/** Responses without a body. On a 304, a length would be that of the caller's cached copy. */
const BODILESS: ReadonlySet<number> = new Set([204, 304]);
