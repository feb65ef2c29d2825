import { MODES } from '@gateramp/core/domain';
import type { CommitOutcome } from '@gateramp/core/ports';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import { RAISED_ALARMS } from '../monitoring/alarms.js';
import { RecentAlarms } from '../monitoring/recent-alarms.js';

/** All series of this server, in addition to those of the process and the event loop. `docs/incidents.md` documents them. */
export type Metrics = ReturnType<typeof openMetrics>;

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

export function openMetrics() {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  const metrics = {
    registry,
    /** The alarms that this process raised, with their times. */
    recentAlarms: new RecentAlarms(),
    info: new Gauge({
      name: 'gate_info',
      help: 'Constant 1; its labels describe this process.',
      labelNames: ['role', 'store', 'scheduler', 'version'],
      registers,
    }),
    requests: new Counter({
      name: 'gate_http_requests_total',
      help: 'Requests answered.',
      labelNames: ['mode', 'method', 'route', 'status'],
      registers,
    }),
    requestSeconds: new Histogram({
      name: 'gate_http_request_duration_seconds',
      help: 'Time to answer a request.',
      labelNames: ['mode', 'method', 'route', 'outcome'],
      buckets: SECONDS,
      registers,
    }),
    requestsRunning: new Gauge({ name: 'gate_http_requests_in_flight', help: 'Requests being answered.', registers }),
    commits: new Counter({
      name: 'gate_commits_total',
      help: 'Commits by outcome.',
      labelNames: ['outcome'],
      registers,
    }),
    commitSeconds: new Histogram({
      name: 'gate_commit_duration_seconds',
      help: 'Time from submitting a commit to its outcome.',
      buckets: SECONDS,
      registers,
    }),
    commitBatch: new Histogram({
      name: 'gate_commit_batch_size',
      help: 'Commits per statement.',
      buckets: [1, 2, 4, 8, 16, 32, 64],
      registers,
    }),
    attempts: new Counter({
      name: 'gate_delivery_attempts_total',
      help: 'Delivery attempts by outcome and error.',
      labelNames: ['outcome', 'error'],
      registers,
    }),
    attemptSeconds: new Histogram({
      name: 'gate_delivery_attempt_duration_seconds',
      help: 'Duration of a delivery attempt.',
      buckets: SECONDS,
      registers,
    }),
    firstAttemptWait: new Histogram({
      name: 'gate_first_attempt_wait_seconds',
      help: 'How long a delivery was due before its first attempt, by the outcome of that attempt.',
      labelNames: ['mode', 'outcome'],
      buckets: SECONDS,
      registers,
    }),
    leaseLosses: new Counter({
      name: 'gate_lease_losses_total',
      help: 'Work that lost its lease to another process before it ended.',
      labelNames: ['kind'],
      registers,
    }),
    alarms: new Counter({
      name: 'gate_alarms_total',
      help: 'Alarms of the engine; each needs attention.',
      labelNames: ['name'],
      registers,
    }),
    payments: new Counter({
      name: 'gate_payments_total',
      help: 'Payments that reached a final state, by outcome.',
      labelNames: ['mode', 'outcome'],
      registers,
    }),
    heldPayments: new Counter({
      name: 'gate_held_payments_total',
      help: 'Payments that raised an alarm because their money was held for too long.',
      labelNames: ['mode'],
      registers,
    }),
    providerErrors: new Counter({
      name: 'gate_provider_errors_total',
      help: 'Calls of a provider that threw.',
      labelNames: ['provider', 'call'],
      registers,
    }),
    failures: new Counter({
      name: 'gate_failures_total',
      help: 'Outages and other unexpected errors.',
      labelNames: ['kind'],
      registers,
    }),
  };
  startAtZero(metrics);
  return metrics;
}

/** Commits that threw are counted as `unknown`. */
const COMMIT_OUTCOMES: Readonly<Record<CommitOutcome['kind'] | 'unknown', true>> = {
  committed: true,
  stale: true,
  duplicate: true,
  insufficient: true,
  replay: true,
  in_progress: true,
  key_mismatch: true,
  unknown: true,
};

const PAYMENT_OUTCOMES = ['completed', 'failed', 'refunded', 'charged_back'] as const;

type Zeroed = Pick<
  Metrics,
  'alarms' | 'attempts' | 'commits' | 'failures' | 'firstAttemptWait' | 'heldPayments' | 'leaseLosses' | 'payments'
>;

/** Initialized to zero: a series that first appears with its first event shows no increase, so its alarm would stay silent. */
function startAtZero(metrics: Zeroed): void {
  const { alarms, attempts, commits, failures, firstAttemptWait, heldPayments, leaseLosses, payments } = metrics;
  for (const name of RAISED_ALARMS) alarms.inc({ name }, 0);
  for (const outcome of ['delivered', 'retrying', 'dead_lettered']) attempts.inc({ outcome, error: 'none' }, 0);
  for (const outcome of Object.keys(COMMIT_OUTCOMES)) commits.inc({ outcome }, 0);
  for (const mode of MODES) {
    for (const outcome of PAYMENT_OUTCOMES) payments.inc({ mode, outcome }, 0);
    for (const outcome of ['delivered', 'failed']) firstAttemptWait.zero({ mode, outcome });
    heldPayments.inc({ mode }, 0);
  }
  for (const kind of ['delivery', 'task']) leaseLosses.inc({ kind }, 0);
  for (const kind of ['error', 'outage']) failures.inc({ kind }, 0);
}
