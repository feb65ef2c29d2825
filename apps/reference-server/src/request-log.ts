import type { AnsweredRequest } from './answered-request.js';
import type { Log } from './log.js';

/**
 * Logs one line with the template of the route, never the path or query, which contain ids and untrusted text. Headers and bodies
 * are not logged, so there are no secrets.
 */
export function logRequest(log: Log, request: AnsweredRequest): void {
  const { requestId, partnerId, mode, method, route, status, durationMs, trace } = request;
  const duration = Math.round(durationMs * 10) / 10;
  log.info(
    { request_id: requestId, partner_id: partnerId, mode, method, route, status, duration_ms: duration, ...trace },
    'request',
  );
}
