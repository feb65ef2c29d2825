import { type AlarmName, isOutage, type Store, type Telemetry } from '@gateramp/core/ports';
import type { RaisedAlarm } from '../monitoring/alarms.js';
import type { AlarmFields } from '../monitoring/recent-alarms.js';
import type { AnsweredRequest } from '../answered-request.js';
import type { Metrics } from './metrics.js';

export function countRequest(metrics: Metrics, { mode, method, route, status, durationMs }: AnsweredRequest): void {
  const labels = { mode, method: methodOf(method), route };
  metrics.requests.inc({ ...labels, status });
  metrics.requestSeconds.observe({ ...labels, outcome: outcomeOf(status) }, durationMs / 1000);
}

/** The same store, with commits counted. */
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

export function countAlarm({ alarms, recentAlarms }: Metrics, name: RaisedAlarm, fields: AlarmFields): void {
  alarms.inc({ name });
  recentAlarms.note(name, fields);
}

/** The same telemetry, with alarms, failures, attempts and lost leases counted. */
export function countedTelemetry(telemetry: Telemetry, metrics: Metrics): Telemetry {
  return {
    alarm: (name, fields) => {
      countAlarm(metrics, name, fields);
      if (HELD.has(name)) metrics.heldPayments.inc({ mode: String(fields['mode']) });
      telemetry.alarm(name, fields);
    },
    failure: (error, fields) => {
      metrics.failures.inc({ kind: isOutage(error) ? 'outage' : 'error' });
      telemetry.failure(error, fields);
    },
    note: (name, fields) => {
      if (name === 'delivery_attempt') countAttempt(metrics, fields);
      if (name === 'payment')
        metrics.payments.inc({ mode: String(fields['mode']), outcome: String(fields['outcome']) });
      if (name === 'task_lease_lost') metrics.leaseLosses.inc({ kind: 'task' });
      telemetry.note(name, fields);
    },
  };
}

/** Each is raised at most once for a payment or refund. */
const HELD: ReadonlySet<AlarmName> = new Set([
  'provider_step_unknown',
  'refund_pending_too_long',
  'session_held_too_long',
  'payment_held_too_long',
]);

function countAttempt(
  metrics: Metrics,
  {
    mode,
    status,
    error,
    duration_ms: durationMs,
    waited_ms: waitedMs,
  }: Readonly<Record<string, string | number | null>>,
): void {
  if (status === 'lease_lost') metrics.leaseLosses.inc({ kind: 'delivery' });
  else metrics.attempts.inc({ outcome: String(status), error: error === null ? 'none' : String(error) });
  metrics.attemptSeconds.observe(Number(durationMs) / 1000);
  if (waitedMs === null || status === 'lease_lost') return;
  const outcome = status === 'delivered' ? 'delivered' : 'failed';
  metrics.firstAttemptWait.observe({ mode: String(mode), outcome }, Number(waitedMs) / 1000);
}

/** Kept separate: refusals and errors say little about the duration of successful requests. */
function outcomeOf(status: number): 'success' | 'refused' | 'error' {
  if (status >= 500) return 'error';
  return status >= 400 ? 'refused' : 'success';
}

const METHODS = new Set(['GET', 'POST', 'HEAD', 'OPTIONS']);

function methodOf(method: string): string {
  return METHODS.has(method) ? method : 'other';
}

function secondsSince(began: number): number {
  return (performance.now() - began) / 1000;
}
