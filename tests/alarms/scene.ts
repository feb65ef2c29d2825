import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { expect, onTestFinished } from 'vitest';
import { ALARMS } from '../../apps/reference-server/src/monitoring/alarms.js';
import { prometheusRules } from '../../apps/reference-server/src/monitoring/prometheus-rules.js';
import { aptInstall, mayInstall, onPath } from '../../tools/lib/apt.mjs';

/** A scrape every fifth of a second counts as one every 15 s: a minute of the rules, which are those that ship, passes in a second. */
const SCRAPE_MS = 200;
const STEP_SECONDS = 15;
const SCRAPE_TIMEOUT_MS = 5_000;
const SERIES = /^((?:gate|nodejs)_\w+(?:\{.*\})?) (\S+)$/gm;

type Sample = ReadonlyMap<string, number>;

/** Running servers, scraped like Prometheus does, and what their series were. */
export interface Scene {
  /** Scrapes a server from now on; `ops` is the origin of its operators' port. */
  watch(ops: string): void;
  /** Waits for so many minutes of the rules. */
  minutes(count: number): Promise<void>;
  /** Waits until a series has a value, in any server. */
  until(series: string, holds: (value: number) => boolean): Promise<void>;
  /** Waits until each alarm has been raised, and for one more minute. */
  raised(...names: readonly string[]): Promise<void>;
  /** From here on the fault is there: alerts must not fire before. */
  begins(): void;
}

/** A real fault, and the alerts that it must fire. */
export interface Fault {
  readonly title: string;
  readonly alerts: readonly string[];
  readonly cause: (scene: Scene) => Promise<void>;
}

/** Only ends what hangs. */
export const FAULT = { timeout: 1_200_000 };

/** The share of one of several files, which run side by side. */
export const shareOf = (faults: readonly Fault[], nth: number, count: number): readonly Fault[] =>
  faults.filter((_, index) => index % count === nth - 1);

/** On a slow or paused machine, a fault may take longer to appear in the metrics. */
const MORE_MINUTES = 100;
const MINUTES_BETWEEN_LOOKS = 5;

/** Causes the fault on running servers, and expects the shipped rules to fire over what they reported while it lasts. */
export async function expectAlerts({ alerts, cause }: Fault): Promise<void> {
  const timeline = startTimeline();
  try {
    await cause(timeline.scene);
    for (let more = 0; more < MORE_MINUTES && !(await haveFired(timeline, alerts)); more += MINUTES_BETWEEN_LOOKS)
      await timeline.scene.minutes(MINUTES_BETWEEN_LOOKS);
  } finally {
    await timeline.stop();
  }
  await judge(timeline, alerts);
}

const haveFired = (timeline: ReturnType<typeof startTimeline>, alerts: readonly string[]): Promise<boolean> =>
  judge(timeline, alerts).then(
    () => true,
    () => false,
  );

function startTimeline() {
  const targets: string[] = [];
  const samples: Sample[] = [];
  const stopping = new AbortController();
  const state = { beganAt: 0 };

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      const scrapes = await Promise.all(targets.map((ops, instance) => scrape(ops, instance)));
      samples.push(new Map(scrapes.flat()));
      await pause(SCRAPE_MS);
    }
  }
  const running = run();
  // A test that has timed out must not go on waiting for its fault.
  onTestFinished(() => stopping.abort());

  const next = async (): Promise<Sample> => {
    const count = samples.length;
    while (samples.length === count) {
      await pause(SCRAPE_MS / 4);
      stopping.signal.throwIfAborted();
    }
    return samples.at(-1) ?? new Map();
  };
  const scene: Scene = {
    watch: (ops) => void targets.push(ops),
    begins: () => void (state.beganAt = samples.length),
    async minutes(count) {
      for (let step = 0; step < (count * 60) / STEP_SECONDS; step += 1) await next();
    },
    async until(series, holds) {
      for (;;) {
        const sample = await next();
        for (const [name, value] of sample) if (name.startsWith(series.replace(/\}$/, '')) && holds(value)) return;
      }
    },
    async raised(...names) {
      for (const name of names) await scene.until(`gate_alarms_total{name="${name}"}`, (value) => value > 0);
      await scene.minutes(1);
    },
  };
  const stop = async (): Promise<void> => {
    stopping.abort();
    await running;
  };
  return { scene, samples, state, stop };
}

async function scrape(ops: string, instance: number): Promise<readonly (readonly [string, number])[]> {
  const answer = await fetch(`${ops}/metrics`, { signal: AbortSignal.timeout(SCRAPE_TIMEOUT_MS) }).catch(() => null);
  const text = answer?.ok === true ? await answer.text() : '';
  return [...text.matchAll(SERIES)].map(([, name = '', value = '']) => [labelled(name, instance), Number(value)]);
}

function labelled(series: string, instance: number): string {
  return series.endsWith('}') ? series.replace(/\}$/, `,instance="${instance}"}`) : `${series}{instance="${instance}"}`;
}

/** Lets promtool evaluate the shipped rules over the recorded samples. */
async function judge({ samples, state }: ReturnType<typeof startTimeline>, alerts: readonly string[]): Promise<void> {
  // The timeline may still be growing.
  const until = samples.length;
  const names = new Set(samples.flatMap((sample) => [...sample.keys()]));
  const input = [...names].map((series) => ({
    series,
    values: samples
      .slice(0, until)
      .map((sample) => sample.get(series) ?? '_')
      .join(' '),
  }));
  const fired = (alertname: string, step: number, value: number) => ({
    expr: `count(max_over_time(ALERTS{alertname="${alertname}",alertstate="firing"}[30d]) > 0) > bool 0 or vector(0)`,
    eval_time: `${step * STEP_SECONDS}s`,
    exp_samples: [{ labels: '{}', value }],
  });
  const tests = [
    {
      interval: `${STEP_SECONDS}s`,
      input_series: input,
      promql_expr_test: alerts.flatMap((alert) => [
        ...(state.beganAt > 1 ? [fired(alert, state.beganAt - 1, 0)] : []),
        fired(alert, until, 1),
      ]),
    },
  ];
  const rules = ALARMS.filter(({ alert }) => alerts.includes(alert));
  expect(rules.map(({ alert }) => alert).toSorted()).toEqual(alerts.toSorted());
  const folder = mkdtempSync(join(tmpdir(), 'gate-alarms-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'rules.yaml'), prometheusRules(rules));
  const file = { rule_files: ['rules.yaml'], evaluation_interval: `${STEP_SECONDS}s`, tests };
  writeFileSync(join(folder, 'test.yaml'), JSON.stringify(file));
  if (onPath('promtool') === null && mayInstall()) await aptInstall('prometheus', '--no-install-recommends');
  const { stdout } = await promisify(execFile)('promtool', ['test', 'rules', join(folder, 'test.yaml')]);
  expect(stdout).toMatch(/SUCCESS/);
}
