import type { Gate } from '@gateramp/core';
import type { Log } from './log.js';

/** Paths come from strangers; a log line has its limit. */
const PATH_MAX = 200;

/**
 * The same gate, each answered request told in one line: path without query, no header and no body, so no secret.
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
          path: request.path.slice(0, PATH_MAX),
          status: answer.status,
          duration_ms: Math.round((performance.now() - began) * 10) / 10,
        },
        'request',
      );
      return answer;
    },
  };
}
