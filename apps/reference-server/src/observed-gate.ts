import type { Mode } from '@gateramp/core';
import type { GateHost, HttpRequest } from '@gateramp/core/http';
import type { AnsweredRequest } from './answered-request.js';
import type { Gate } from './gate.js';
import type { Log } from './log.js';
import { countRequest } from './metrics/counted.js';
import type { Metrics } from './metrics/metrics.js';
import { logRequest } from './request-log.js';
import { routeOf } from './route-of.js';

/**
 * The same gate, with answered requests counted and logged. Wraps the gate rather than using a framework's
 * hooks, so that both frameworks behave alike.
 */
export function observedGate(gate: Gate, metrics: Metrics, log: Log): Gate {
  const observed = observer(metrics, log);
  return { ...observed(gate), poolsHost: observed(gate.poolsHost) };
}

function observer(metrics: Metrics, log: Log): <Host extends GateHost>(host: Host) => Host {
  const isLogged = log.isLevelEnabled('info');
  return (host) => ({
    ...host,
    handle: async (mode: Mode, request: HttpRequest) => {
      const began = performance.now();
      metrics.requestsRunning.inc();
      try {
        const answer = await host.handle(mode, request);
        const answered: AnsweredRequest = {
          requestId: answer.headers['x-request-id'] ?? null,
          partnerId: answer.partnerId ?? null,
          mode,
          method: request.method,
          route: routeOf(request.path),
          status: answer.status,
          durationMs: performance.now() - began,
          trace: answer.trace,
        };
        countRequest(metrics, answered);
        if (isLogged) logRequest(log, answered);
        return answer;
      } finally {
        metrics.requestsRunning.dec();
      }
    },
  });
}
