import type { Gate } from '@gateramp/core';
import type { Log } from './log.js';
import { routeOf } from './route-of.js';

/**
 * The same gate, each answered request told in one line: the template of its route, never the path or query, which hold ids and
 * whatever strangers write; no header and no body, so no secret.
 * Around the gate rather than in a framework's hooks, so that both frameworks log alike.
 */
export function withRequestLog(gate: Gate, log: Log): Gate {
  if (!log.isLevelEnabled('info')) return gate;
  return {
    ...gate,
    handle: async (mode, request) => {
      const began = performance.now();
      const answer = await gate.handle(mode, request);
      log.info(
        {
          request_id: answer.headers['x-request-id'] ?? null,
          mode,
          method: request.method,
          route: routeOf(request.path),
          status: answer.status,
          duration_ms: Math.round((performance.now() - began) * 10) / 10,
        },
        'request',
      );
      return answer;
    },
  };
}
