import { ALARMS, type Alarm } from './alarms.js';
import { OBJECTIVES, WINDOWS } from './objectives.js';

/** Where the docs describe a command that a meaning names. */
const SECTIONS: Readonly<Record<string, string>> = {
  '`gate audit verify --at-least`': '#the-audit-trail-was-set-back',
  '`gate recover status`': 'operating.md#after-a-restore-or-a-failover-that-lost-commits',
  '`gate operations resolve`': '#provider-legs',
};

function withLinks(meaning: string): string {
  return Object.entries(SECTIONS).reduce((text, [name, to]) => text.replaceAll(name, `[${name}](${to})`), meaning);
}

/** The table of `docs/incidents.md`, which leaves out the PromQL that all alarms of a kind share. */
export function alarmsTable(): string {
  const rows = ALARMS.map(({ alert, severity, expr, holds, raised, meaning }) => {
    const shown = `\`${expr.replaceAll('|', '\\|')}\`${holds === null ? '' : ` for ${holds}`}`;
    const condition =
      raised !== null ? `\`${raised}\` was raised` : expr.includes(':budget') ? '[burn rate](#objectives)' : shown;
    return `| ${alert} | ${severity} | ${condition} | ${withLinks(meaning)} |`;
  });
  return ['| alert | severity | condition | what it means, and what to do |', '|---|---|---|---|', ...rows].join('\n');
}

/** The table of objectives of `docs/incidents.md`. */
export function objectivesTable(): string {
  const rows = OBJECTIVES.map(
    ({ promise, series, ratio, budget }) => `| ${promise} | \`${series}:budget\` ${budget} | \`${ratio('5m')}\` |`,
  );
  return ['| over 30 days, in live mode | budget | share of bad events |', '|---|---|---|', ...rows].join('\n');
}

/** `ops/prometheus-rules.yaml`. */
export function prometheusRules(alarms = ALARMS): string {
  const recorded = OBJECTIVES.flatMap(({ series, budget, ratio }) => [
    record(`${series}:budget`, `vector(${budget})`),
    ...WINDOWS.map((window) => record(`${series}:ratio_rate${window}`, ratio(window))),
  ]);
  return [
    'groups:',
    '  - name: gateramp-objectives',
    '    rules:',
    ...recorded,
    '  - name: gateramp',
    '    rules:',
    ...alarms.map(alert),
    '',
  ].join('\n');
}

function record(series: string, expr: string): string {
  return `      - record: ${series}\n        expr: ${JSON.stringify(expr)}`;
}

function alert({ alert: name, severity, expr, holds, meaning }: Alarm): string {
  return [
    `      - alert: ${name}`,
    `        expr: ${JSON.stringify(expr)}`,
    ...(holds === null ? [] : [`        for: ${holds}`]),
    `        labels: { severity: ${severity} }`,
    `        annotations: { description: ${JSON.stringify(meaning.replaceAll('`', ''))} }`,
  ].join('\n');
}
