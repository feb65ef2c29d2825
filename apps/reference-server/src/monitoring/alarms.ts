import { ALARMS as CHAIN_ALARMS } from '@gateramp/adapters-chain-evm';
import { ALARMS as STRIPE_ALARMS } from '@gateramp/adapters-fiat-stripe';
import { ALARMS as CORE_ALARMS, type AlarmMeaning } from '@gateramp/core/ports';
import { ALARMS as LEGS_ALARMS } from '@gateramp/provider-legs';
import { burning, OBJECTIVES } from './objectives.js';

/** A condition that needs an operator, with the rule that detects it. */
export interface Alarm extends AlarmMeaning {
  /** Name of the alert in Prometheus. */
  readonly alert: string;
  /** PromQL that has a result while the condition holds. */
  readonly expr: string;
  /** For how long it must hold; null: not at all. */
  readonly holds: Duration | null;
  /** What `expr` says, as far as present values suffice to evaluate it; null if it needs history. */
  readonly present: Present | null;
  /** The name by which code raises it; null if it is seen in series only. */
  readonly raised: RaisedAlarm | null;
  /** The raised alarm that stands for the same stored state. The console lists only that one. */
  readonly sameStateAs?: RaisedAlarm;
}

export type Duration = `${number}m`;

/** A condition that holds while one of these does. */
export interface Present {
  readonly any: readonly Threshold[];
  /** Whether every process reports the same values, or its own. */
  readonly covers: 'installation' | 'process';
}

/** Compares each present value of a series, of which only those with these labels count. */
export interface Threshold {
  readonly series: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly is: '>' | '<' | '==';
  readonly bound: number;
  /** `abs`: compares the distance from 0. `min`: the rule compares the lowest value of all processes. */
  readonly of?: 'abs' | 'min';
  /** Whether the value is an age in seconds, so that it tells since when it has been over its bound. */
  readonly isAge?: true;
}

/** An alarm that present values suffice to evaluate; its rule is made from them. */
function seen(
  alert: string,
  alarm: AlarmMeaning & Pick<Alarm, 'holds' | 'sameStateAs'> & { readonly present: Present },
): Alarm {
  return { alert, expr: alarm.present.any.map(exprOf).join(' or '), raised: null, ...alarm };
}

function exprOf({ series, labels = {}, is, bound, of }: Threshold): string {
  const names = Object.entries(labels).map(([name, value]) => `${name}="${value}"`);
  const selected = names.length === 0 ? series : `${series}{${names.join(',')}}`;
  return `${of === undefined ? selected : `${of}(${selected})`} ${is} ${bound}`;
}

/** Alarms that code raises by name. Each counts in `gate_alarms_total` and is a line of the log. */
const RAISED = { ...CORE_ALARMS, ...LEGS_ALARMS, ...STRIPE_ALARMS, ...CHAIN_ALARMS };

export type RaisedAlarm = keyof typeof RAISED;

/** For how long an alarm that code raises fires. */
const RAISED_FOR_MINUTES = 15;
export const RAISED_FOR_MS = RAISED_FOR_MINUTES * 60_000;

/** Alarms that are seen in series only. */
const MEASURED: readonly Alarm[] = [
  seen('GateDatabaseDown', {
    severity: 'critical',
    present: { any: [{ series: 'gate_database_up', is: '==', bound: 0 }], covers: 'process' },
    holds: '1m',
    meaning:
      'The database is down, read-only or full. After a failover, check where `DATABASE_URL` leads. Requests that write get 503 until it is back',
  }),
  seen('GateDatabaseConnectionsExhausted', {
    severity: 'warning',
    present: {
      any: [{ series: 'gate_database_connections', labels: { state: 'waiting' }, is: '>', bound: 0 }],
      covers: 'process',
    },
    holds: '1m',
    meaning: 'Requests wait for a database connection. Look for slow statements first; then raise the size of the pool',
  }),
  seen('GateDatabaseClockOff', {
    severity: 'critical',
    present: {
      any: [{ series: 'gate_database_clock_ahead_seconds', is: '>', bound: 2, of: 'abs' }],
      covers: 'process',
    },
    holds: '1m',
    meaning:
      "A machine's clock, or the database's, is wrong. All processes use the clock of the database; fix NTP there",
  }),
  seen('GateWorkNotClaimed', {
    severity: 'critical',
    present: {
      any: [
        { series: 'gate_overdue_deliveries', is: '>', bound: 0 },
        { series: 'gate_overdue_tasks', is: '>', bound: 0 },
        { series: 'gate_oldest_due_seconds', is: '>', bound: 60, isAge: true },
      ],
      covers: 'installation',
    },
    holds: '5m',
    meaning:
      'Due work is not claimed. Check that a worker is running and ready; if all are busy, add one. Counts stop at 10,000 and do not exist in memory; every process reports the same',
  }),
  {
    alert: 'GateBacklogGrowing',
    severity: 'warning',
    expr: '(gate_due_deliveries > 100 and deriv(gate_due_deliveries[15m]) > 0) or (gate_due_tasks > 100 and deriv(gate_due_tasks[15m]) > 0)',
    holds: '15m',
    present: null,
    raised: null,
    meaning:
      'More work arrives than is done. Add workers; look for one slow endpoint (its attempts are limited, others are not delayed)',
  },
  {
    alert: 'GateDeliveriesFailing',
    severity: 'warning',
    expr: 'sum(rate(gate_delivery_attempts_total{outcome="retrying"}[10m])) / sum(rate(gate_delivery_attempts_total[10m])) > 0.2',
    holds: '10m',
    present: null,
    raised: null,
    meaning:
      'A receiver is down (label `error`: `timeout`, `connection_refused`, `tls`) or names a private address (`blocked_destination`). The log names the partner',
  },
  {
    alert: 'GateSessionsHeld',
    severity: 'warning',
    expr: 'max(gate_held_sessions) > 2 * max(avg_over_time(gate_held_sessions[1d])) + 10',
    holds: '15m',
    present: null,
    raised: null,
    meaning:
      'More sessions than usual wait for the outcome of a payment. Ask the provider; its callbacks may not arrive. `gate show <id>` shows one',
  },
  {
    alert: 'GatePaymentsFailing',
    severity: 'warning',
    expr: 'sum(rate(gate_payments_total{outcome="failed"}[30m])) / sum(rate(gate_payments_total[30m])) > 0.3',
    holds: '30m',
    present: null,
    raised: null,
    meaning:
      'The share of failed payments is high. The log lines `payment` have the ids and `gate_provider_errors_total` the calls that threw',
  },
  {
    alert: 'GateProviderErrors',
    severity: 'warning',
    expr: 'sum by (provider, call) (increase(gate_provider_errors_total[10m])) > 5',
    holds: '10m',
    present: null,
    raised: null,
    meaning: 'Calls of a provider throw, or violate its port. Operations are looked up again automatically',
  },
  {
    alert: 'GateHttpErrors',
    severity: 'critical',
    expr: 'sum(rate(gate_http_requests_total{status=~"5.."}[5m])) / sum(rate(gate_http_requests_total[5m])) > 0.001',
    holds: '5m',
    present: null,
    raised: null,
    meaning: '503: the database, or more load than a process takes. 500: a bug; the log has the request id',
  },
  {
    alert: 'GateHttpSlow',
    severity: 'warning',
    expr: 'histogram_quantile(0.99, sum by (le) (rate(gate_http_request_duration_seconds_bucket[5m]))) > 1',
    holds: '5m',
    present: null,
    raised: null,
    meaning:
      'Requests are slow. Compare with `gate_commit_duration_seconds` (the database) and `nodejs_eventloop_lag_p99_seconds` (this process); rising `gate_http_requests_in_flight` means overload',
  },
  {
    alert: 'GateUnexpectedErrors',
    severity: 'warning',
    expr: 'increase(gate_failures_total{kind="error"}[10m]) > 0',
    holds: null,
    present: null,
    raised: null,
    meaning: 'An unexpected error, or a failed consumer or provider; see the log',
  },
  {
    alert: 'GateCommitsSlow',
    severity: 'warning',
    expr: 'histogram_quantile(0.99, sum by (le) (rate(gate_commit_duration_seconds_bucket[5m]))) > 0.5',
    holds: '5m',
    present: null,
    raised: null,
    meaning: 'Postgres is slow. Look for long transactions, locks and a slow disk',
  },
  {
    alert: 'GateCommitsUnknown',
    severity: 'warning',
    expr: 'increase(gate_commits_total{outcome="unknown"}[10m]) > 0',
    holds: null,
    present: null,
    raised: null,
    meaning:
      'The connection was lost during a commit, which may have happened. Clients repeat with their key and learn it; look for restarts of the database or of a proxy',
  },
  {
    alert: 'GateLeasesLost',
    severity: 'warning',
    expr: 'sum(increase(gate_lease_losses_total[1h])) > 5',
    holds: null,
    present: null,
    raised: null,
    meaning: 'Work outlives its lease: a frozen process, a paused machine or skewed clocks. It costs repeated attempts',
  },
  seen('GatePartitionMonthMissing', {
    severity: 'warning',
    present: { any: [{ series: 'gate_partition_months_ahead', is: '<', bound: 1, of: 'min' }], covers: 'installation' },
    holds: '15m',
    meaning:
      'The next month of a partitioned table is not made. Rows still have a place, in the last partition. Look for the failure `partitions` in the log of workers, whose database role may not own the tables; then run `gate partition on` as their owner',
  }),
  seen('GateRateLimitsDegraded', {
    severity: 'warning',
    present: { any: [{ series: 'gate_rate_limits_degraded', is: '==', bound: 1 }], covers: 'process' },
    holds: '5m',
    meaning: 'Redis is unavailable; each process counts requests on its own',
  }),
  {
    alert: 'GateEventLoopBlocked',
    severity: 'warning',
    expr: 'nodejs_eventloop_lag_p99_seconds > 0.1',
    holds: '5m',
    present: null,
    raised: null,
    meaning: 'The process needs more than one core; add processes',
  },
  seen('GateRpcDown', {
    severity: 'critical',
    present: { any: [{ series: 'gate_rpc_up', is: '==', bound: 0 }], covers: 'process' },
    holds: '1m',
    meaning: 'EVM chain: the RPC does not answer. No new purchase is taken after 30 s',
  }),
  seen('GateSendsUnconfirmed', {
    severity: 'critical',
    present: {
      any: [{ series: 'gate_oldest_unconfirmed_send_seconds', is: '>', bound: 600, isAge: true }],
      covers: 'installation',
    },
    holds: '1m',
    meaning:
      'EVM chain: deliveries are not confirmed. Check whether gas is far above the usual price; stuck sends are replaced automatically up to the ceiling. `gate operations list` has the payments',
  }),
  seen('GateOperationsUnresolved', {
    severity: 'critical',
    present: { any: [{ series: 'gate_operations_stuck', is: '>', bound: 0 }], covers: 'installation' },
    holds: '1m',
    sameStateAs: 'operation_stuck',
    meaning:
      'Provider legs: at least one payment is stuck and not resolved yet. This alarm fires until none is left; `GateOperationStuck` fires for 15 minutes each time another payment gets stuck. List them with `gate operations list --stuck`, and resolve each with `gate operations resolve`',
  }),
];

/** The names that count in `gate_alarms_total`. The cast holds: the keys of a constant are its names. */
export const RAISED_ALARMS = Object.keys(RAISED) as readonly RaisedAlarm[];

/** Alarms of objectives: one that its budget will be gone within days, and one that it will be gone before the month ends. */
const BURNING: readonly Alarm[] = OBJECTIVES.flatMap((objective) => [
  {
    alert: `${objective.alert}Fast`,
    severity: objective.fast,
    expr: burning(objective, 'fast'),
    holds: null,
    present: null,
    raised: null,
    meaning: objective.meaning,
  },
  {
    alert: `${objective.alert}Slow`,
    severity: 'warning',
    expr: burning(objective, 'slow'),
    holds: null,
    present: null,
    raised: null,
    meaning: objective.meaning,
  },
]);

/** What an alarm was raised about is listed up to this number. */
export const ABOUT_MAX = 10;

/** Every alarm, those of series first. */
export const ALARMS: readonly Alarm[] = [
  ...MEASURED,
  ...BURNING,
  ...RAISED_ALARMS.map((name) => ({
    ...RAISED[name],
    alert: alertName(name),
    expr: raised(`gate_alarms_total{name="${name}"}`),
    holds: null,
    present: null,
    raised: name,
  })),
];

/** Also true for an alarm raised before the first scrape of a process: such a counter starts above 0 and shows no increase. */
function raised(counter: string): string {
  const window = `${RAISED_FOR_MINUTES}m`;
  return `increase(${counter}[${window}]) > 0 or (${counter} > 0 unless ${counter} offset ${window})`;
}

/** The alert of an alarm that code raises. */
export function alertName(name: string): string {
  return `Gate_${name}`.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** The text of the log line of an alarm. */
export function alarmLine(name: RaisedAlarm): string {
  return `Alarm: ${name}. ${RAISED[name].meaning}`;
}
