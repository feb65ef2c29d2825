import type { Gate } from '@gateramp/core';
import type { Store, Telemetry } from '@gateramp/core/ports';
import { routeOf } from '../route-of.js';
import type { Metrics } from './metrics.js';

/** The same gate, every request counted. Around the gate rather than in a framework's hooks, so that both frameworks count alike. */
export function countedGate(gate: Gate, metrics: Metrics): Gate {
  return {
    ...gate,
    handle: async (mode, request) => {
      const began = performance.now();
      metrics.requestsRunning.inc();
      try {
        const answer = await gate.handle(mode, request);
        const route = routeOf(request.path);
        metrics.requests.inc({ mode, method: methodOf(request.method), route, status: answer.status });
        metrics.requestSeconds.observe({ mode, route }, secondsSince(began));
        return answer;
      } finally {
        metrics.requestsRunning.dec();
      }
    },
  };
}

/** The same store, every commit counted. */
export function countedStore(store: Store, metrics: Metrics): Store {
  return {
    ...store,
    commit: async (change) => {
      const began = performance.now();
      try {
        const outcome = await store.commit(change);
        metrics.commits.inc({ outcome: outcome.kind });
        return outcome;
      } catch (error) {
        metrics.commits.inc({ outcome: 'unknown' });
        throw error;
      } finally {
        metrics.commitSeconds.observe(secondsSince(began));
      }
    },
  };
}

/** The same telemetry, its alarms, failures, attempts and lost leases counted. */
export function countedTelemetry(telemetry: Telemetry, metrics: Metrics): Telemetry {
  return {
    alarm: (name, fields) => {
      metrics.alarms.inc({ name });
      telemetry.alarm(name, fields);
    },
    failure: (error, fields) => {
      metrics.failures.inc({ kind: isOutage(error) ? 'outage' : 'error' });
      telemetry.failure(error, fields);
    },
    note: (name, fields) => {
      if (name === 'delivery_attempt') countAttempt(metrics, fields);
      if (name === 'task_lease_lost') metrics.leaseLosses.inc({ kind: 'task' });
      telemetry.note(name, fields);
    },
  };
}

function countAttempt(
  metrics: Metrics,
  { status, error, duration_ms: durationMs }: Readonly<Record<string, string | number | null>>,
): void {
  if (status === 'lease_lost') metrics.leaseLosses.inc({ kind: 'delivery' });
  else metrics.attempts.inc({ outcome: String(status), error: error === null ? 'none' : String(error) });
  metrics.attemptSeconds.observe(Number(durationMs) / 1000);
}

const METHODS = new Set(['GET', 'POST', 'HEAD', 'OPTIONS']);

function methodOf(method: string): string {
  return METHODS.has(method) ? method : 'other';
}

function secondsSince(began: number): number {
  return (performance.now() - began) / 1000;
}

/** Adapters mark what is away with `outage: true`. */
function isOutage(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'outage' in error && error.outage === true;
}
