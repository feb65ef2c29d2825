import type { AlarmName as ChainAlarm } from '@gateramp/adapters-chain-evm';
import type { AlarmName as CoreAlarm } from '@gateramp/core/ports';
import type { LegsAlarm } from '@gateramp/provider-legs';

/** `critical` wakes somebody up; `warning` can wait for the morning. */
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
  delivery_dead_lettered: ['warning', 'Five attempts failed. Tell the partner; the log has the ids'],
  delivery_parked: [
    'critical',
    'Work was claimed over and over and never ended: it kills its worker. It is set aside; find the log of the crash, then report it',
  ],
  task_parked: [
    'critical',
    'Work was claimed over and over and never ended: it kills its worker. It is set aside; find the log of the crash, then report it',
  ],
  consumer_missing: [
    'critical',
    'An in-process consumer is owed events and no process has its function: deploy one that has, or end it with `gate.admin.removeConsumer`',
  ],
  provider_skipped: [
    'warning',
    'A provider failed or was late five times in a row. It is skipped for quotes and new attempts and asked again every 15 s; operations it already has go on. Look at the failures with its name in the log',
  ],
  settled_after_close: [
    'critical',
    'Money arrived for a session that had ended, or arrived twice. Refund it or fulfil the order manually',
  ],
  second_settlement: [
    'critical',
    'Money arrived for a session that had ended, or arrived twice. Refund it or fulfil the order manually',
  ],
  charged_back: ['warning', "The partner's loss; the partner was notified by `transaction.updated`"],
  session_held_too_long: [
    'warning',
    'A payment is `processing`, or the outcome of a call to the provider is unknown, for over a day. Ask the provider; its callbacks may not arrive',
  ],
  provider_step_unknown: [
    'critical',
    'For five minutes it has not been known whether a call to a provider moved money, so a session or payment is held. Is the provider reachable? The outcome is looked up until it is',
  ],
  refund_pending_too_long: [
    'warning',
    'A refund has been pending for a day: the provider says so, or cannot be reached. It holds its amount and is asked after until it ends. Ask the provider about the refund that the transaction of `intent_id` shows as `pending`',
  ],
  payment_held_too_long: ['warning', 'The same of a pay-in or pay-out, which has no session'],
  operation_stuck: [
    'critical',
    'Provider legs: a payment can go neither on nor back, for example because its refund was refused. The log has `operation_id`, the step and the reason. Find out where the money is, then [resolve it](#provider-legs)',
  ],
  stripe_request_refused: [
    'critical',
    "Stripe refused a request that is not about the buyer's card: a key that was revoked, a payment method that the account does not have. The log has the call, Stripe's code and `request_id`, to search for in its dashboard. Until it is fixed, attempts fail and no money is taken",
  ],
  payment_charged_back: [
    'warning',
    "Provider legs: the buyer's bank took a payment back, or the part in `amount`. Before the delivery it is stopped where that is possible; afterwards it is a loss. Answer the dispute at the processor; one that is won is booked back by itself",
  ],
  leg_call_unknown: [
    'warning',
    'Provider legs: the result of one call has been unknown for ten tries. Is the processor or the RPC reachable? The call is made again until it is known',
  ],
  price_unavailable: [
    'warning',
    'Provider legs: a pair has no price that can be trusted; the log has the pair and why. Does the price source answer, and with a fresh date? The pair is not sold until then, and is sold again within 5 s of the next price',
  ],
  rpc_silent: [
    'warning',
    'EVM chain: an RPC has not answered. Is the RPC reachable? Its flows are unavailable meanwhile; payments under way continue afterwards',
  ],
  chain_id_mismatch: [
    'critical',
    'EVM chain: the RPC serves another chain than `chain_id`. Correct the URL or the file. Nothing is sent meanwhile',
  ],
  token_decimals_mismatch: [
    'warning',
    'EVM chain: a token has other decimals than the file says. Correct the file. The token is unavailable meanwhile',
  ],
  token_fee_on_transfer: [
    'critical',
    'EVM chain: a token takes a fee of each transfer. Remove it from the file: buyers would receive less than promised',
  ],
  token_transfer_reverts: [
    'warning',
    'EVM chain: a token refuses transfers from the wallet. Is the wallet blocked by the issuer, or the token paused?',
  ],
  wallet_unfunded: [
    'critical',
    'EVM chain: the wallet cannot pay for a send or its gas. Fund the address in the log. Purchases are refused meanwhile',
  ],
  wallet_below_floor: ['warning', 'EVM chain: the wallet has less than `floor`. Fund it before it runs out'],
  wallet_limit_reached: [
    'warning',
    'EVM chain: a send is above `max_per_send`, or the day is above `max_per_day`. Raise the limit, or wait for the next UTC day',
  ],
  wallet_paused: ['warning', 'EVM chain: an operator paused the wallet. Resume it when done'],
  gas_ceiling: ['warning', 'EVM chain: gas costs more than the ceiling. Sends wait until it falls'],
  nonce_conflict: [
    'critical',
    'EVM chain: another signer spent a nonce of the wallet. Who else has the key? Resume with `gate wallets resume` once no other process has',
  ],
  send_reverted: [
    'warning',
    'EVM chain: the network rejected a transfer. The buyer is refunded. Look at the transaction',
  ],
  send_reorged: [
    'warning',
    'EVM chain: a reorganization removed a confirmed send. It is delivered again with the same nonce. Raise `confirmations` if it happens again',
  ],
  send_without_transfer: [
    'critical',
    'EVM chain: a send is in a block without the transfer. Look at the token contract; the buyer may not have their tokens',
  ],
  deposit_reorged: [
    'critical',
    'EVM chain: a reorganization removed a credited deposit. The payment may have been delivered for nothing. Raise `deposit_confirmations`',
  ],
  deposit_missed: [
    'critical',
    'EVM chain: the second RPC shows a deposit that was not credited. Compare both RPCs; the first one may withhold logs',
  ],
  deposit_not_found: [
    'critical',
    'EVM chain: the second RPC does not show a credited deposit. Compare both RPCs before the next payout',
  ],
  unattributed_deposit: [
    'warning',
    'EVM chain: tokens arrived that belong to no operation. Find the sender; nothing is returned by itself',
  ],
  deep_reorg: [
    'critical',
    'EVM chain: a reorganization is deeper than is kept. Check the deposits of the last hour by hand',
  ],
  worker_failed: [
    'warning',
    'EVM chain: the background work of a network failed. The log has the error; it is tried again',
  ],
  clock_skewed: [
    'warning',
    "A machine's clock, or the database's, is wrong. All processes use the clock of the database; fix NTP there",
  ],
  history_changed: [
    'critical',
    'The database was restored or lost commits, and everything is held: [`gate recover status`](#after-a-restore-or-a-failover-that-lost-commits)',
  ],
  clock_untrusted: [
    'critical',
    'What time it is at the database is not known: it contradicts itself, or was set by more than a day. All requests get 503 until it is put right, or the processes are started again',
  ],
  work_overdue: [
    'critical',
    'Work has been due for a while in a process that takes requests, and nothing runs it. Check that a worker is running; in an embedded gate, call `gate.start()`',
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
      'The database is down, read-only or full. After a failover, check where `DATABASE_URL` leads. Requests that write get 503 and recover by themselves',
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
      'Due work is not taken. Check that a worker is running and ready; if all are busy, add one. Counts stop at 10 000 and do not exist in memory; every process reports the same',
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
    meaning:
      'Calls of a provider throw, or do not answer as its port says. Operations are looked up again by themselves',
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
    meaning: 'Redis is away; each process counts for itself',
  },
  {
    alert: 'GateEventLoopBlocked',
    severity: 'warning',
    expr: 'nodejs_eventloop_lag_p99_seconds > 0.1',
    holds: '5m',
    meaning: 'The process has more to do than a core can; add processes',
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
      'EVM chain: deliveries do not confirm. Is gas far above the usual? Stuck ones are replaced by themselves up to the ceiling. `gate operations list` has the payments',
  },
  {
    alert: 'GateOperationsStuck',
    severity: 'critical',
    expr: 'gate_operations_stuck > 0',
    holds: '1m',
    meaning: 'Provider legs: payments wait for [you](#provider-legs)',
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
