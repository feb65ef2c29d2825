import type { AnsweredRequest } from './answered-request.js';
import type { Log } from './log.js';

/**
 * One line: the template of the route, never the path or query, which hold ids and whatever strangers write; no header
 * and no body, so no secret.
 */
export function logRequest(log: Log, { requestId, mode, method, route, status, durationMs }: AnsweredRequest): void {
  const duration = Math.round(durationMs * 10) / 10;
  log.info({ request_id: requestId, mode, method, route, status, duration_ms: duration }, 'request');
}
