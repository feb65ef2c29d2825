import type { AnsweredRequest } from './answered-request.js';
import type { Log } from './log.js';

/**
 * One line: the template of the route, never the path or query, which hold ids and whatever strangers write; no header
 * and no body, so no secret.
 */
export function logRequest(log: Log, request: AnsweredRequest): void {
  const { requestId, partnerId, mode, method, route, status, durationMs } = request;
  const duration = Math.round(durationMs * 10) / 10;
  log.info(
    { request_id: requestId, partner_id: partnerId, mode, method, route, status, duration_ms: duration },
    'request',
  );
}
