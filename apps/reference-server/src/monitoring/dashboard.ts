import { OBJECTIVES } from './objectives.js';

/** A line of a panel: PromQL, and the legend in Grafana's notation. */
type Line = readonly [expr: string, legend: string];

interface Panel {
  readonly title: string;
  /** One of Grafana's unit ids. */
  readonly unit: 's' | 'short' | 'percentunit' | 'reqps' | 'ops' | 'bytes' | 'bool_on_off';
  readonly lines: readonly Line[];
  readonly description?: string;
}

interface Section {
  readonly title: string;
  readonly panels: readonly Panel[];
}

const INTERVAL = '[$__rate_interval]';

function rateBy(label: string, series: string): Line {
  return [`sum by (${label}) (rate(${series}${INTERVAL}))`, `{{${label}}}`];
}

function quantiles(series: string): readonly Line[] {
  return [0.5, 0.99].map((quantile) => [
    `histogram_quantile(${quantile}, sum by (le) (rate(${series}_bucket${INTERVAL})))`,
    `p${quantile * 100}`,
  ]);
}

/** Every process reports the same value for the whole database. */
function shared(label: string, series: string, name = ''): Line {
  return [`max by (${label}) (${series})`, `{{${label}}} ${name}`.trim()];
}

const SECTIONS: readonly Section[] = [
  {
    title: 'Overview',
    panels: [
      {
        title: 'Alerts that fire',
        unit: 'short',
        lines: [['count by (alertname) (ALERTS{alertname=~"Gate.+",alertstate="firing"})', '{{alertname}}']],
        description: 'Alerts of ops/prometheus-rules.yaml. docs/incidents.md says what to do about each.',
      },
      {
        title: 'Alarms raised',
        unit: 'short',
        lines: [['sum by (name) (increase(gate_alarms_total[15m])) > 0', '{{name}}']],
        description: 'Each is also a line of the log.',
      },
      { title: 'Requests', unit: 'reqps', lines: [rateBy('status', 'gate_http_requests_total')] },
      { title: 'Time to answer', unit: 's', lines: quantiles('gate_http_request_duration_seconds') },
      {
        title: 'Payments',
        unit: 'ops',
        lines: [[`sum by (mode, outcome) (rate(gate_payments_total${INTERVAL}))`, '{{mode}} {{outcome}}']],
      },
      {
        title: 'Failures',
        unit: 'ops',
        lines: [
          rateBy('kind', 'gate_failures_total'),
          [
            `sum by (provider, call) (rate(gate_provider_errors_total${INTERVAL})) > 0`,
            'provider {{provider}} {{call}}',
          ],
        ],
      },
      { title: 'Requests in flight', unit: 'short', lines: [['sum(gate_http_requests_in_flight)', 'in flight']] },
      {
        title: 'Event loop delay (p99)',
        unit: 's',
        lines: [['nodejs_eventloop_lag_p99_seconds', '{{instance}}']],
      },
      { title: 'Memory', unit: 'bytes', lines: [['process_resident_memory_bytes', '{{instance}}']] },
    ],
  },
  {
    title: 'Objectives',
    panels: OBJECTIVES.map(({ promise, series }) => ({
      title: `Bad events: ${series.replace('gate:', '').replaceAll('_', ' ')}`,
      unit: 'percentunit',
      lines: [
        ...['1h', '6h', '3d'].map((window): Line => [`${series}:ratio_rate${window}`, `last ${window}`]),
        [`${series}:budget`, 'budget'],
      ],
      description: `Objective over 30 days: ${promise}.`,
    })),
  },
  {
    title: 'Deliveries',
    panels: [
      {
        title: 'Attempts',
        unit: 'ops',
        lines: [
          [`sum by (outcome, error) (rate(gate_delivery_attempts_total${INTERVAL})) > 0`, '{{outcome}} {{error}}'],
        ],
      },
      { title: 'Duration of an attempt', unit: 's', lines: quantiles('gate_delivery_attempt_duration_seconds') },
      { title: 'Wait for the first attempt', unit: 's', lines: quantiles('gate_first_attempt_wait_seconds') },
      {
        title: 'Deliveries that are due',
        unit: 'short',
        lines: [shared('mode', 'gate_due_deliveries'), shared('mode', 'gate_overdue_deliveries', 'overdue')],
      },
      { title: 'Oldest due work', unit: 's', lines: [shared('mode', 'gate_oldest_due_seconds')] },
      { title: 'Leases lost', unit: 'ops', lines: [rateBy('kind', 'gate_lease_losses_total')] },
    ],
  },
  {
    title: 'Commits',
    panels: [
      { title: 'Commits', unit: 'ops', lines: [rateBy('outcome', 'gate_commits_total')] },
      { title: 'Duration of a commit', unit: 's', lines: quantiles('gate_commit_duration_seconds') },
      {
        title: 'Commits per statement',
        unit: 'short',
        lines: [
          [
            `sum(rate(gate_commit_batch_size_sum${INTERVAL})) / sum(rate(gate_commit_batch_size_count${INTERVAL}))`,
            'mean',
          ],
        ],
      },
      {
        title: 'Connections',
        unit: 'short',
        lines: [['sum by (state) (gate_database_connections)', '{{state}}']],
        description: 'Waiting are callers without a connection.',
      },
      {
        title: 'Database',
        unit: 'bool_on_off',
        lines: [
          ['gate_database_up', 'up {{instance}}'],
          ['gate_rate_limits_degraded', 'Redis away {{instance}}'],
        ],
      },
      {
        title: 'Clock of the database, ahead',
        unit: 's',
        lines: [['gate_database_clock_ahead_seconds', '{{instance}}']],
      },
    ],
  },
  {
    title: 'Money held',
    panels: [
      {
        title: 'Sessions held',
        unit: 'short',
        lines: [shared('mode', 'gate_held_sessions')],
        description: 'Sessions that wait for the outcome of a payment.',
      },
      {
        title: 'Payments held for too long',
        unit: 'short',
        lines: [['sum by (mode) (increase(gate_held_payments_total[1h]))', '{{mode}}']],
      },
      {
        title: 'Tasks that are due',
        unit: 'short',
        lines: [shared('mode', 'gate_due_tasks'), shared('mode', 'gate_overdue_tasks', 'overdue')],
      },
    ],
  },
  {
    title: 'Legs',
    panels: [
      {
        title: 'Operations that wait for an operator',
        unit: 'short',
        lines: [shared('mode', 'gate_operations_stuck')],
      },
      {
        title: 'Balance of the wallet',
        unit: 'short',
        lines: [['max by (network, asset) (gate_wallet_balance)', '{{network}} {{asset}}']],
      },
      { title: 'RPC', unit: 'bool_on_off', lines: [['min by (network) (gate_rpc_up)', '{{network}}']] },
      { title: 'Sends under way', unit: 'short', lines: [shared('network', 'gate_pending_sends')] },
      {
        title: 'Oldest unconfirmed send',
        unit: 's',
        lines: [shared('network', 'gate_oldest_unconfirmed_send_seconds')],
      },
      { title: 'Age of prices', unit: 's', lines: [shared('pair', 'gate_price_age_seconds')] },
    ],
  },
];

const DATASOURCE = { type: 'prometheus', uid: '${datasource}' } as const;
/** Grafana's grid has 24 columns. */
const WIDTH = 8;
const HEIGHT = 8;
const COLUMNS = 3;
/** The queries of a panel are named by letters. */
const REF_IDS = 'ABCDEFGH';

/** `ops/grafana.json`: a dashboard for Grafana 11, which asks for the Prometheus data source at its top. */
export function grafanaDashboard(): string {
  let id = 0;
  let y = 0;
  const panels = SECTIONS.flatMap((section) => {
    const row = {
      id: (id += 1),
      type: 'row',
      title: section.title,
      collapsed: false,
      gridPos: { h: 1, w: WIDTH * COLUMNS, x: 0, y },
      panels: [],
    };
    const top = y + 1;
    y = top + Math.ceil(section.panels.length / COLUMNS) * HEIGHT;
    const graphs = section.panels.map((panel, index) =>
      graph(panel, (id += 1), {
        h: HEIGHT,
        w: WIDTH,
        x: (index % COLUMNS) * WIDTH,
        y: top + Math.floor(index / COLUMNS) * HEIGHT,
      }),
    );
    return [row, ...graphs];
  });
  const dashboard = {
    uid: 'gateramp',
    title: 'Gateramp',
    tags: ['gateramp'],
    schemaVersion: 39,
    version: 1,
    editable: true,
    graphTooltip: 1,
    refresh: '30s',
    time: { from: 'now-6h', to: 'now' },
    timezone: 'browser',
    annotations: { list: [] },
    templating: {
      list: [
        { name: 'datasource', label: 'Data source', type: 'datasource', query: 'prometheus', hide: 0, refresh: 1 },
      ],
    },
    panels,
  };
  return `${JSON.stringify(dashboard, null, 2)}\n`;
}

/** The expressions of all panels, with a fixed interval in place of Grafana's. */
export function dashboardExpressions(): readonly string[] {
  return SECTIONS.flatMap(({ panels }) => panels.flatMap(({ lines }) => lines)).map(([expr]) =>
    expr.replaceAll(INTERVAL, '[5m]'),
  );
}

function graph({ title, unit, lines, description }: Panel, id: number, gridPos: object) {
  return {
    id,
    type: 'timeseries',
    title,
    ...(description === undefined ? {} : { description }),
    datasource: DATASOURCE,
    gridPos,
    fieldConfig: { defaults: { unit, custom: { fillOpacity: 8, lineWidth: 1 } }, overrides: [] },
    options: {
      legend: { displayMode: 'list', placement: 'bottom', showLegend: true, calcs: [] },
      tooltip: { mode: 'multi', sort: 'desc' },
    },
    targets: lines.map(([expr, legendFormat], index) => ({
      refId: REF_IDS.charAt(index),
      datasource: DATASOURCE,
      expr,
      legendFormat,
      range: true,
    })),
  };
}
