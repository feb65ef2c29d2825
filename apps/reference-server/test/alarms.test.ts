import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { ALARMS as CORE_ALARMS, type AlarmName } from '@gateramp/core/ports';
import { pino } from 'pino';
import { expect, it, onTestFinished } from 'vitest';
import { aptInstall, mayInstall, onPath } from '../../../tools/lib/apt.mjs';
import { ALARMS, RAISED_ALARMS } from '../src/monitoring/alarms.js';
import { dashboardExpressions, grafanaDashboard } from '../src/monitoring/dashboard.js';
import { OBJECTIVES } from '../src/monitoring/objectives.js';
import { alarmsTable, objectivesTable, prometheusRules } from '../src/monitoring/prometheus-rules.js';
import { logTelemetry } from '../src/log-telemetry.js';
import { LOG_OPTIONS } from '../src/log.js';
import { expectInDocs } from './docs-block.js';

const OPS = fileURLToPath(new URL('../../../ops/', import.meta.url));

/** The values of each series that must fire its alert, one per minute, in promtool's notation. */
const FIRING: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  GateDatabaseDown: { gate_database_up: '0x20' },
  GateDatabaseConnectionsExhausted: { 'gate_database_connections{state="waiting"}': '3x20' },
  GateDatabaseClockOff: { gate_database_clock_ahead_seconds: '-3x20' },
  GateWorkNotClaimed: { gate_oldest_due_seconds: '61x20' },
  GateBacklogGrowing: { gate_due_deliveries: '200+10x60' },
  GateDeliveriesFailing: {
    'gate_delivery_attempts_total{outcome="retrying"}': '0+30x60',
    'gate_delivery_attempts_total{outcome="delivered"}': '0+70x60',
  },
  GateSessionsHeld: { gate_held_sessions: '2x60 40x60' },
  GatePaymentsFailing: {
    'gate_payments_total{outcome="failed"}': '0+4x120',
    'gate_payments_total{outcome="completed"}': '0+6x120',
  },
  GateProviderErrors: { 'gate_provider_errors_total{provider="acme",call="start"}': '0+2x60' },
  GateHttpErrors: {
    'gate_http_requests_total{status="503"}': '0+1x60',
    'gate_http_requests_total{status="200"}': '0+500x60',
  },
  GateHttpSlow: {
    'gate_http_request_duration_seconds_bucket{le="1"}': '0+90x60',
    'gate_http_request_duration_seconds_bucket{le="2"}': '0+100x60',
    'gate_http_request_duration_seconds_bucket{le="+Inf"}': '0+100x60',
  },
  GateUnexpectedErrors: { 'gate_failures_total{kind="error"}': '0x5 1x60' },
  GateCommitsSlow: {
    'gate_commit_duration_seconds_bucket{le="0.5"}': '0+90x60',
    'gate_commit_duration_seconds_bucket{le="1"}': '0+100x60',
    'gate_commit_duration_seconds_bucket{le="+Inf"}': '0+100x60',
  },
  GateCommitsUnknown: { 'gate_commits_total{outcome="unknown"}': '0x5 1x60' },
  GateLeasesLost: { 'gate_lease_losses_total{kind="task"}': '0+1x120' },
  GatePartitionMonthMissing: {
    'gate_partition_months_ahead{table="events"}': '3x60',
    'gate_partition_months_ahead{table="sessions"}': '0x60',
  },
  GateRateLimitsDegraded: { gate_rate_limits_degraded: '1x60' },
  GateEventLoopBlocked: { nodejs_eventloop_lag_p99_seconds: '0.2x60' },
  GateRpcDown: { 'gate_rpc_up{network="base"}': '0x60' },
  GateSendsUnconfirmed: { 'gate_oldest_unconfirmed_send_seconds{network="base"}': '0+60x60' },
  GateOperationsUnresolved: { 'gate_operations_stuck{mode="live"}': '1x60' },
};

/** The minute at which each alert is expected; 18 for all others. */
const AT_MINUTES: Readonly<Record<string, number>> = {
  GateBacklogGrowing: 40,
  GateSessionsHeld: 80,
  GatePaymentsFailing: 100,
  GateUnexpectedErrors: 12,
  GateCommitsUnknown: 12,
};
/** A counter that is raised once, in the sixth minute. */
const RAISED_ONCE = '0x5 1x60';

it('docs/incidents.md shows the table of all alarms as the code has it', () => {
  expectInDocs('incidents.md', 'alarms', 'alarms.test.ts', alarmsTable());
  expectInDocs('incidents.md', 'objectives', 'alarms.test.ts', objectivesTable());
});

it('the log line of every alarm says what it means', () => {
  const lines: string[] = [];
  const log = pino(LOG_OPTIONS, { write: (text: string) => void lines.push(text) });
  // The keys of a constant are its names.
  for (const name of Object.keys(CORE_ALARMS) as readonly AlarmName[]) logTelemetry(log).alarm(name, {});
  expect(lines.map((line) => JSON.parse(line))).toMatchObject(
    Object.entries(CORE_ALARMS).map(([name, { meaning }]) => ({ alarm: name, msg: `Alarm: ${name}. ${meaning}` })),
  );
});

it.each([
  ['prometheus-rules.yaml', prometheusRules()],
  ['grafana.json', grafanaDashboard()],
])('ops/%s is as the code has it', (name, text) => {
  if (process.env['GATERAMP_WRITE_DOCS'] === '1') writeFileSync(join(OPS, name), text);
  else expect(readFileSync(join(OPS, name), 'utf8')).toBe(text);
});

it('the dashboard has a unit and a place of its own for each panel, and Prometheus parses each expression', async () => {
  const { panels } = JSON.parse(grafanaDashboard()) as Dashboard;
  const graphs = panels.filter(({ type }) => type === 'timeseries');
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
  expect(new Set(panels.map(({ gridPos: { x, y } }) => `${x}/${y}`)).size).toBe(panels.length);
  expect(graphs.filter(({ fieldConfig }) => !fieldConfig?.defaults.unit)).toEqual([]);
  expect(graphs.filter(({ datasource }) => datasource?.uid !== '${datasource}')).toEqual([]);
  const rules = dashboardExpressions().map((expr, index) => ({ record: `panel:${index}`, expr }));
  const folder = mkdtempSync(join(tmpdir(), 'gate-dashboard-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'rules.yaml'), JSON.stringify({ groups: [{ name: 'dashboard', rules }] }));
  const { stdout } = await promisify(execFile)(await promtoolPath(), ['check', 'rules', join(folder, 'rules.yaml')]);
  expect(stdout).toContain(`SUCCESS: ${rules.length} rules found`);
});

/** What the test reads of `ops/grafana.json`. */
interface Dashboard {
  readonly panels: readonly {
    readonly id: number;
    readonly type: string;
    readonly gridPos: { readonly x: number; readonly y: number };
    readonly datasource?: { readonly uid: string };
    readonly fieldConfig?: { readonly defaults: { readonly unit?: string } };
  }[];
}

it('Prometheus accepts the rules, and each fires on the series of its alarm and on nothing else', async () => {
  expect(await promtoolTest(prometheusRules(), ALARMS.filter(({ alert }) => !BURNING.has(alert)).map(firing))).toMatch(
    /SUCCESS/,
  );
  expect(new Set(ALARMS.map(({ alert }) => alert)).size).toBe(ALARMS.length);
  expect(ALARMS).toHaveLength(Object.keys(FIRING).length + RAISED_ALARMS.length + BURNING.size);
});

it('an alarm raised before the first scrape of a process fires too, and only for a while', async () => {
  const firing = (minutes: number, value: readonly number[]) => ({
    expr: 'count(ALERTS{alertstate="firing",alertname="GateHistoryChanged"})',
    eval_time: `${minutes}m`,
    exp_samples: value.map((count) => ({ labels: '{}', value: count })),
  });
  const series = { series: 'gate_alarms_total{name="history_changed"}', values: '_x5 1x60' };
  const tests = [{ interval: '1m', input_series: [series], promql_expr_test: [firing(10, [1]), firing(30, [])] }];
  expect(await promtoolTest(prometheusRules(), tests)).toMatch(/SUCCESS/);
});

it('an objective raises its fast alert at a fast burn, its slow one at a slow burn, and none at a blip', async () => {
  const DAYS = 3 * 24 * 60;
  // Each ends at a full hour, at which the rules are evaluated.
  const profiles: readonly (readonly [Profile, alerts: readonly string[]])[] = [
    [
      [
        [DAYS - 20, 0],
        [20, 50],
      ],
      ['Fast'],
    ],
    [
      [
        [DAYS - 30, 0],
        [20, 50],
        [10, 0],
      ],
      [],
    ],
    [
      [
        [DAYS - 5, 0],
        [5, 100],
      ],
      [],
    ],
    [[[DAYS, 0.9]], []],
    [[[DAYS, 1.5]], ['Slow']],
  ];
  const cases = profiles.map(([profile, alerts]) => ({
    interval: '1m',
    input_series: OBJECTIVES.flatMap((objective) => seriesOf(objective, profile)),
    promql_expr_test: [
      {
        expr: 'count by (alertname) (ALERTS{alertstate="firing"})',
        eval_time: `${DAYS}m`,
        exp_samples: alerts.flatMap((speed) =>
          OBJECTIVES.map(({ alert }) => ({ labels: `{alertname="${alert}${speed}"}`, value: 1 })),
        ),
      },
    ],
  }));
  expect(await promtoolTest(prometheusRules(ALARMS.filter(({ alert }) => BURNING.has(alert))), cases, '1h')).toMatch(
    /SUCCESS/,
  );
});

const BURNING: ReadonlySet<string> = new Set(OBJECTIVES.flatMap(({ alert }) => [`${alert}Fast`, `${alert}Slow`]));

/** For so many minutes, the share of bad events is so many times the budget. */
type Profile = readonly (readonly [minutes: number, burn: number])[];

const EVENTS_PER_MINUTE = 1_000;
const WAIT = 'gate_first_attempt_wait_seconds';

/** The counters behind each objective. */
const COUNTERS: Readonly<Record<string, Readonly<Record<string, 'bad' | 'good' | 'all'>>>> = {
  GateFirstAttemptsFailing: {
    [`${WAIT}_count{mode="live",outcome="failed"}`]: 'bad',
    [`${WAIT}_count{mode="live",outcome="delivered"}`]: 'good',
  },
  GateFirstAttemptsLate: {
    // Counted among the same attempts as above.
    [`${WAIT}_bucket{mode="live",outcome="delivered",le="5"}`]: 'good',
  },
  GateMoneyHeld: {
    'gate_held_payments_total{mode="live"}': 'bad',
    'gate_payments_total{mode="live",outcome="completed"}': 'all',
  },
};

function seriesOf({ alert, budget }: (typeof OBJECTIVES)[number], profile: Profile) {
  return Object.entries(COUNTERS[alert] ?? {}).map(([series, kind]) => {
    let value = 0;
    const values = profile.map(([minutes, burn]) => {
      const bad = burn * budget * EVENTS_PER_MINUTE;
      const step = { bad, good: EVENTS_PER_MINUTE - bad, all: EVENTS_PER_MINUTE }[kind];
      const text = `${value + step}+${step}x${minutes - 1}`;
      value += step * minutes;
      return text;
    });
    return { series, values: values.join(' ') };
  });
}

async function promtoolPath(): Promise<string> {
  if (onPath('promtool') === null && mayInstall()) await aptInstall('prometheus', '--no-install-recommends');
  const promtool = onPath('promtool');
  if (promtool === null) throw new Error('promtool is missing. Install Prometheus.');
  return promtool;
}

/** Runs promtool tests of the rules; fails with its output. */
/** Recorded series first: an alert that is evaluated before them sees those of the last round, which may be too old to count. */
const GROUPS = ['gateramp-objectives', 'gateramp'];

async function promtoolTest(rules: string, tests: readonly object[], interval = '1m'): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'gate-rules-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'rules.yaml'), rules);
  // JSON is YAML.
  writeFileSync(
    join(folder, 'test.yaml'),
    JSON.stringify({ rule_files: ['rules.yaml'], evaluation_interval: interval, group_eval_order: GROUPS, tests }),
  );
  const { stdout } = await promisify(execFile)(await promtoolPath(), ['test', 'rules', join(folder, 'test.yaml')]);
  return stdout;
}

/** A promtool test: with the series of this alarm, its alert fires and no other. */
function firing({ alert, severity, expr }: (typeof ALARMS)[number]) {
  const [, name] = /gate_alarms_total\{name="(\w+)"\}/.exec(expr) ?? [];
  const series = name === undefined ? (FIRING[alert] ?? {}) : { [`gate_alarms_total{name="${name}"}`]: RAISED_ONCE };
  const minutes = AT_MINUTES[alert] ?? 18;
  return {
    interval: '1m',
    input_series: Object.entries(series).map(([one, values]) => ({ series: one, values })),
    promql_expr_test: [
      {
        expr: 'count by (alertname, severity) (ALERTS{alertstate="firing"})',
        eval_time: `${minutes}m`,
        exp_samples: [{ labels: `{alertname="${alert}", severity="${severity}"}`, value: 1 }],
      },
    ],
  };
}
