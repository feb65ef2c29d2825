import type { AlarmName as ChainAlarm } from '@gateramp/adapters-chain-evm';
import type { AlarmName as CoreAlarm } from '@gateramp/core/ports';
import type { LegsAlarm } from '@gateramp/provider-legs';

/** `critical` pages the on-call engineer; `warning` can wait for working hours. */
type Severity = 'critical' | 'warning';

/** A condition that needs an operator, with the rule that detects it. */
interface Alarm {
  /** Name of the alert in Prometheus. */
  readonly alert: string;
  readonly severity: Severity;
  /** PromQL that has a result while the condition holds. */
  readonly expr: string;
  /** For how long it must hold; null: not at all. */
  readonly holds: string | null;
  /** What it means, and what to do. Markdown. */
  readonly meaning: string;
}

type Named = CoreAlarm | LegsAlarm | 'stripe_request_refused' | ChainAlarm;

/** Alarms that code raises by name. Each counts in `gate_alarms_total` and is a line of the log. */
const RAISED: Readonly<Record<Named, readonly [severity: Severity, meaning: string]>> = {
  delivery_dead_lettered: [
    'warning',
    'A webhook failed five attempts. Tell the partner; the log has the ids, and `gate show <id>` the attempts',
  ],
  delivery_parked: [
    'critical',
    'A delivery was claimed repeatedly without a result, most likely because it crashes its worker. It is set aside. Find the crash in the log and report it',
  ],
  task_parked: [
    'critical',
    'A task was claimed repeatedly without a result, most likely because it crashes its worker. It is set aside. Find the crash in the log and report it',
  ],
  consumer_missing: [
    'critical',
    'An in-process consumer has events to receive, and no process has its function. Deploy one that has it, or remove the consumer with `gate.admin.removeConsumer`',
  ],
  provider_skipped: [
    'warning',
    'A provider failed or was late five times in a row. It is skipped for quotes and new attempts and probed every 15 s; its existing operations continue. Look for failures with its name in the log',
  ],
  settled_after_close: [
    'critical',
    'Money arrived for a session that had already ended. Refund it or fulfil the order manually',
  ],
  second_settlement: ['critical', 'Money arrived twice for one session. Refund one of the payments'],
  charged_back: [
    'warning',
    'A payment was charged back: a loss of the partner, who was notified by `transaction.updated`',
  ],
  session_held_too_long: [
    'warning',
    'For over a day a payment has been `processing`, or the outcome of a provider call has been unknown. Ask the provider; its callbacks may not arrive',
  ],
  provider_step_unknown: [
    'critical',
    'For five minutes it has been unknown whether a provider call moved money, so a session or payment is held. Check that the provider is reachable. The outcome is looked up until it is known',
  ],
  refund_pending_too_long: [
    'warning',
    'A refund has been pending for a day. It reserves its amount and is looked up until it ends. Ask the provider about the refund that the transaction of `intent_id` shows as `pending`',
  ],
  payment_held_too_long: [
    'warning',
    'For over a day a pay-in or pay-out has been `processing`, or the outcome of a provider call has been unknown. Ask the provider; its callbacks may not arrive',
  ],
  operation_stuck: [
    'critical',
    'Provider legs: a payment can be neither completed nor undone, for example because its refund was refused. The log has `operation_id`, the step and the reason. Find out where the money is, then [resolve it](#provider-legs)',
  ],
  stripe_request_refused: [
    'critical',
    "Stripe refused a request for a reason other than the buyer's card, such as a revoked key or a payment method that the account does not have. The log has the call, Stripe's code and the `request_id` to search for in its dashboard. Until it is fixed, attempts fail and no money is taken",
  ],
  payment_charged_back: [
    'warning',
    "Provider legs: the buyer's bank took back a payment, or the part in `amount`. A delivery that has not been sent is stopped; otherwise it is a loss. Answer the dispute at the processor; a dispute that is won is booked automatically",
  ],
  leg_call_unknown: [
    'warning',
    'Provider legs: the result of a call has been unknown for ten tries. Check that the processor or the RPC is reachable. The call is repeated until its result is known',
  ],
  price_unavailable: [
    'warning',
    'Provider legs: a pair has no trusted price and is not offered; the log has the pair and the reason. Check that the price source answers with a recent date. The pair is offered again within 5 s of the next price',
  ],
  rpc_silent: [
    'warning',
    'EVM chain: an RPC does not answer. Check that it is reachable. Its flows are unavailable until it answers; payments in progress then continue',
  ],
  chain_id_mismatch: [
    'critical',
    'EVM chain: the RPC serves a chain other than `chain_id`. Correct the URL or the legs file. Nothing is sent until then',
  ],
  token_decimals_mismatch: [
    'warning',
    'EVM chain: the decimals of a token differ from the legs file. Correct the file. The token is unavailable until then',
  ],
  token_fee_on_transfer: [
    'critical',
    'EVM chain: a token charges a fee on each transfer. Remove it from the legs file: buyers would receive less than promised',
  ],
  token_transfer_reverts: [
    'warning',
    'EVM chain: a token refuses transfers from the wallet. Check whether the issuer blocked the wallet or paused the token',
  ],
  wallet_unfunded: [
    'critical',
    'EVM chain: the wallet cannot pay for a send or its gas. Fund the address in the log. Purchases are refused until then',
  ],
  wallet_below_floor: ['warning', 'EVM chain: the wallet holds less than `floor`. Fund it before it runs out'],
  wallet_limit_reached: [
    'warning',
    'EVM chain: a send exceeds `max_per_send`, or the total of the day `max_per_day`. Raise the limit, or wait for the next UTC day',
  ],
  wallet_paused: ['warning', 'EVM chain: an operator paused the wallet. Resume it when the reason is gone'],
  gas_ceiling: ['warning', 'EVM chain: the price of gas exceeds the ceiling. Sends wait until it falls'],
  nonce_conflict: [
    'critical',
    'EVM chain: another signer used a nonce of the wallet. Find out who else has the key. When no other process uses it, run `gate wallets resume`',
  ],
  send_reverted: [
    'warning',
    'EVM chain: the network reverted a transfer. The buyer is refunded. Inspect the transaction',
  ],
  send_reorged: [
    'warning',
    'EVM chain: a reorganization removed a confirmed send. It is delivered again with the same nonce. If this recurs, raise `confirmations`',
  ],
  send_without_transfer: [
    'critical',
    'EVM chain: a send was mined without the transfer. Inspect the token contract; the buyer may not have received their tokens',
  ],
  deposit_reorged: [
    'critical',
    'EVM chain: a reorganization removed a credited deposit, so the payment may have been delivered without one. Raise `deposit_confirmations`',
  ],
  deposit_missed: [
    'critical',
    'EVM chain: the second RPC shows a deposit that was not credited. Compare both RPCs; the first may be withholding logs',
  ],
  deposit_not_found: [
    'critical',
    'EVM chain: the second RPC does not show a credited deposit. Compare both RPCs before the next payout',
  ],
  unattributed_deposit: [
    'warning',
    'EVM chain: tokens arrived that belong to no operation. Find the sender; nothing is returned automatically',
  ],
  deep_reorg: [
    'critical',
    'EVM chain: a reorganization is deeper than the stored history. Check the deposits of the last hour manually',
  ],
  worker_failed: ['warning', 'EVM chain: background work of a network failed and is retried. The log has the error'],
  clock_skewed: [
    'warning',
    'The clock of a machine, or of the database, is wrong. All processes use the clock of the database; correct NTP there',
  ],
  history_changed: [
    'critical',
    'The database was restored or lost commits, and all writes are held: run [`gate recover status`](#after-a-restore-or-a-failover-that-lost-commits)',
  ],
  clock_untrusted: [
    'critical',
    'The time of the database contradicts itself, or was set by more than a day. All requests get 503 until it is corrected or the processes are restarted',
  ],
  work_overdue: [
    'critical',
    'Due work is not running in a process that takes requests. Check that a worker is running; in an embedded gate, call `gate.start()`',
  ],
};

/** Alarms that are seen in series only. */
const MEASURED: readonly Alarm[] = [
  {
    alert: 'GateDatabaseDown',
    severity: 'critical',
    expr: 'gate_database_up == 0',
    holds: '1m',
    meaning:
      'The database is down, read-only or full. After a failover, check where `DATABASE_URL` leads. Requests that write get 503 until it is back',
  },
  {
    alert: 'GateDatabaseConnectionsExhausted',
    severity: 'warning',
    expr: 'gate_database_connections{state="waiting"} > 0',
    holds: '1m',
    meaning: 'Requests wait for a database connection. Look for slow statements first; then raise the size of the pool',
  },
  {
    alert: 'GateDatabaseClockOff',
    severity: 'critical',
    expr: 'abs(gate_database_clock_ahead_seconds) > 2',
    holds: '1m',
    meaning:
      "A machine's clock, or the database's, is wrong. All processes use the clock of the database; fix NTP there",
  },
  {
    alert: 'GateWorkOverdue',
    severity: 'critical',
    expr: 'gate_overdue_deliveries > 0 or gate_overdue_tasks > 0 or gate_oldest_due_seconds > 60',
    holds: '5m',
    meaning:
      'Due work is not claimed. Check that a worker is running and ready; if all are busy, add one. Counts stop at 10,000 and do not exist in memory; every process reports the same',
  },
  {
    alert: 'GateBacklogGrowing',
    severity: 'warning',
    expr: '(gate_due_deliveries > 100 and deriv(gate_due_deliveries[15m]) > 0) or (gate_due_tasks > 100 and deriv(gate_due_tasks[15m]) > 0)',
    holds: '15m',
    meaning:
      'More work arrives than is done. Add workers; look for one slow endpoint (its attempts are limited, others are not delayed)',
  },
  {
    alert: 'GateDeliveriesFailing',
    severity: 'warning',
    expr: 'sum(rate(gate_delivery_attempts_total{outcome="retrying"}[10m])) / sum(rate(gate_delivery_attempts_total[10m])) > 0.2',
    holds: '10m',
    meaning:
      'A receiver is down (label `error`: `timeout`, `connection_refused`, `tls`) or names a private address (`blocked_destination`). The log names the partner',
  },
  {
    alert: 'GateSessionsHeld',
    severity: 'warning',
    expr: 'max(gate_held_sessions) > 2 * max(avg_over_time(gate_held_sessions[1d])) + 10',
    holds: '15m',
    meaning:
      'More sessions than usual wait for the outcome of a payment. Ask the provider; its callbacks may not arrive. `gate show <id>` shows one',
  },
  {
    alert: 'GatePaymentsFailing',
    severity: 'warning',
    expr: 'sum(rate(gate_payments_total{outcome="failed"}[30m])) / sum(rate(gate_payments_total[30m])) > 0.3',
    holds: '30m',
    meaning:
      'The share of failed payments is high. The log lines `payment` have the ids and `gate_provider_errors_total` the calls that threw',
  },
  {
    alert: 'GateProviderErrors',
    severity: 'warning',
    expr: 'sum by (provider, call) (increase(gate_provider_errors_total[10m])) > 5',
    holds: '10m',
    meaning: 'Calls of a provider throw, or violate its port. Operations are looked up again automatically',
  },
  {
    alert: 'GateHttpErrors',
    severity: 'critical',
    expr: 'sum(rate(gate_http_requests_total{status=~"5.."}[5m])) / sum(rate(gate_http_requests_total[5m])) > 0.001',
    holds: '5m',
    meaning: '503: the database, or more load than a process takes. 500: a bug; the log has the request id',
  },
  {
    alert: 'GateHttpSlow',
    severity: 'warning',
    expr: 'histogram_quantile(0.99, sum by (le) (rate(gate_http_request_duration_seconds_bucket[5m]))) > 1',
    holds: '5m',
    meaning:
      'Requests are slow. Compare with `gate_commit_duration_seconds` (the database) and `nodejs_eventloop_lag_p99_seconds` (this process); rising `gate_http_requests_in_flight` means overload',
  },
  {
    alert: 'GateUnexpectedErrors',
    severity: 'warning',
    expr: 'increase(gate_failures_total{kind="error"}[10m]) > 0',
    holds: null,
    meaning: 'An unexpected error, or a failed consumer or provider; see the log',
  },
  {
    alert: 'GateCommitsSlow',
    severity: 'warning',
    expr: 'histogram_quantile(0.99, sum by (le) (rate(gate_commit_duration_seconds_bucket[5m]))) > 0.5',
    holds: '5m',
    meaning: 'Postgres is slow. Look for long transactions, locks and a slow disk',
  },
  {
    alert: 'GateCommitsUnknown',
    severity: 'warning',
    expr: 'increase(gate_commits_total{outcome="unknown"}[10m]) > 0',
    holds: null,
    meaning:
      'The connection was lost during a commit, which may have happened. Clients repeat with their key and learn it; look for restarts of the database or of a proxy',
  },
  {
    alert: 'GateLeasesLost',
    severity: 'warning',
    expr: 'sum(increase(gate_lease_losses_total[1h])) > 5',
    holds: null,
    meaning: 'Work outlives its lease: a frozen process, a paused machine or skewed clocks. It costs repeated attempts',
  },
  {
    alert: 'GateRateLimitsDegraded',
    severity: 'warning',
    expr: 'gate_rate_limits_degraded == 1',
    holds: '5m',
    meaning: 'Redis is unavailable; each process counts requests on its own',
  },
  {
    alert: 'GateEventLoopBlocked',
    severity: 'warning',
    expr: 'nodejs_eventloop_lag_p99_seconds > 0.1',
    holds: '5m',
    meaning: 'The process needs more than one core; add processes',
  },
  {
    alert: 'GateRpcDown',
    severity: 'critical',
    expr: 'gate_rpc_up == 0',
    holds: '1m',
    meaning: 'EVM chain: the RPC does not answer. No new purchase is taken after 30 s',
  },
  {
    alert: 'GateSendsUnconfirmed',
    severity: 'critical',
    expr: 'gate_oldest_unconfirmed_send_seconds > 600',
    holds: '1m',
    meaning:
      'EVM chain: deliveries are not confirmed. Check whether gas is far above the usual price; stuck sends are replaced automatically up to the ceiling. `gate operations list` has the payments',
  },
  {
    alert: 'GateOperationsStuck',
    severity: 'critical',
    expr: 'gate_operations_stuck > 0',
    holds: '1m',
    meaning: 'Provider legs: payments wait for an operator to [resolve](#provider-legs) them',
  },
];

/** The names that count in `gate_alarms_total`. */
export const RAISED_ALARMS = Object.keys(RAISED);

/** Every alarm, those of series first. */
export const ALARMS: readonly Alarm[] = [
  ...MEASURED,
  ...Object.entries(RAISED).map(([name, [severity, meaning]]) => ({
    alert: alertName(name),
    severity,
    expr: `increase(gate_alarms_total{name="${name}"}[15m]) > 0`,
    holds: null,
    meaning,
  })),
];

function alertName(name: string): string {
  return `Gate_${name}`.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** The table of `docs/operating.md`. */
export function alarmsTable(): string {
  const rows = ALARMS.map(({ alert, severity, expr, holds, meaning }) => {
    const condition = `\`${expr.replaceAll('|', '\\|')}\`${holds === null ? '' : ` for ${holds}`}`;
    return `| ${alert} | ${severity} | ${condition} | ${meaning} |`;
  });
  return ['| alert | severity | condition | what it means, and what to do |', '|---|---|---|---|', ...rows].join('\n');
}

/** `ops/prometheus-rules.yaml`. */
export function prometheusRules(): string {
  const rules = ALARMS.map(({ alert, severity, expr, holds, meaning }) =>
    [
      `      - alert: ${alert}`,
      `        expr: ${JSON.stringify(expr)}`,
      ...(holds === null ? [] : [`        for: ${holds}`]),
      `        labels: { severity: ${severity} }`,
      `        annotations: { description: ${JSON.stringify(plainText(meaning))} }`,
    ].join('\n'),
  );
  return `groups:\n  - name: gateramp\n    rules:\n${rules.join('\n')}\n`;
}

/** Without links and code marks. */
function plainText(markdown: string): string {
  return markdown.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll('`', '');
}
