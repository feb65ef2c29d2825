import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';

import { root, workspacesInOrder } from '../lib/workspaces.mjs';
import { plannedRelease, sizeProblem } from '../release.mjs';

const VERSION = '987.65.43';
const STATED = ['sdks/node/src/version.ts', 'sdks/python/pyproject.toml', 'sdks/python/src/gateramp/_version.py'];

/** The members of a manifest that these tests read. */
interface Manifest {
  readonly version: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

const ENTRY = '- Something new.';
const scratches: string[] = [];
afterAll(() => scratches.forEach((dir) => rmSync(dir, { recursive: true, force: true })));

/** A copy of this repository's release files with this changelog entry: right after a release there is none. */
function scratch(entry: string): string {
  const dir = mkdtempSync(join(tmpdir(), 'gate-release-'));
  scratches.push(dir);
  const manifests = workspacesInOrder().map((one) => relative(root, join(one.dir, 'package.json')));
  for (const path of ['package.json', ...manifests, ...STATED, 'tools/release.mjs', 'tools/lib'])
    cpSync(join(root, path), join(dir, path), { recursive: true });
  const [head = '', ...releases] = readFileSync(join(root, 'CHANGELOG.md'), 'utf8').split(/^(?=## )/m);
  const released = releases.filter((text) => !text.startsWith('## Unreleased'));
  writeFileSync(join(dir, 'CHANGELOG.md'), [head, `## Unreleased\n\n${entry}\n\n`, ...released].join(''));
  return dir;
}

const dir = scratch(ENTRY);
const plan = plannedRelease({ version: VERSION, date: '2030-01-01', dir });
const release = (where: string, ...args: string[]): string =>
  execFileSync(process.execPath, [join(where, 'tools/release.mjs'), ...args], { encoding: 'utf8' });

describe('a release', () => {
  it('gives every workspace the same version, and every dependency of one on another', () => {
    const paths = Object.keys(plan).filter((path) => path.endsWith('package.json'));
    expect(paths).toHaveLength(workspacesInOrder().length + 1);
    for (const path of paths) {
      const { version, ...manifest } = JSON.parse(plan[path] ?? '') as Manifest;
      expect(version).toBe(VERSION);
      const all = { ...manifest.dependencies, ...manifest.devDependencies, ...manifest.peerDependencies };
      for (const [name, wanted] of Object.entries(all))
        if (name.startsWith('@gateramp/')) expect(wanted).toContain(VERSION);
    }
  });

  it('gives it to the SDKs, which name it to the service', () => {
    for (const path of STATED) expect(plan[path]).toContain(VERSION);
  });

  it('misses no place of the Python package that says a version', () => {
    const folder = join(root, 'sdks/python');
    const present = (JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest).version;
    const saying = readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((path) => /\.(?:py|ts|toml|md)$/.test(path))
      .filter((path) => readFileSync(join(folder, path), 'utf8').includes(present))
      .map((path) => `sdks/python/${path}`);
    expect(saying).not.toEqual([]);
    expect(Object.keys(plan)).toEqual(expect.arrayContaining(saying));
  });

  it('puts what the changelog says under it, and keeps all else', () => {
    const before = readFileSync(join(dir, 'CHANGELOG.md'), 'utf8');
    const after = plan['CHANGELOG.md'] ?? '';
    expect(after).toContain(`## Unreleased\n\n## ${VERSION} (2030-01-01)\n\n${ENTRY}\n`);
    expect(after.replace(`\n## ${VERSION} (2030-01-01)\n`, '')).toBe(before);
  });

  it.each(['', 'next', '0.0.1', '1.0', 'v1.0.0'])('refuses %j', (version) => {
    expect(() => plannedRelease({ version, date: '2030-01-01', dir })).toThrow(/not a version after/);
  });

  it('has something to say', () => {
    const { status, stderr } = spawnSync(process.execPath, [join(scratch(''), 'tools/release.mjs'), VERSION], {
      encoding: 'utf8',
    });
    expect([status, stderr]).toEqual([1, expect.stringContaining('has no entries under "Unreleased"')]);
  });

  it('run dry, says what it would write, and writes nothing', () => {
    const before = readFileSync(join(dir, 'package.json'), 'utf8');
    const said = release(dir, VERSION, '--dry-run');
    expect(said.trim().split('\n')).toEqual(Object.keys(plan).map((path) => `would write ${path}`));
    expect(readFileSync(join(dir, 'package.json'), 'utf8')).toBe(before);
  });
});

describe('the size of a version', () => {
  const nothing = { changed: [], broken: [] };
  const added = { changed: ['a method was added'], broken: [] };
  const broken = { changed: ['a method was added'], broken: ['Store lacks a method'] };

  it.each([
    ['0.1.0', '0.1.1', nothing],
    ['0.1.0', '0.2.0', added],
    ['0.1.0', '0.2.0', broken],
    ['1.1.0', '1.1.1', nothing],
    ['1.1.0', '1.2.0', added],
    ['1.1.0', '2.0.0', broken],
  ])('takes after %s: %s with %j', (present, version, differences) => {
    expect(sizeProblem({ present, version, ...differences })).toBeNull();
  });

  it.each([
    ['0.1.0', '0.1.1', added, 'changes', '  a method was added\nPass 0.2.0'],
    ['0.1.0', '0.1.1', broken, 'changes', '  a method was added\nPass 0.2.0'],
    ['1.1.0', '1.1.1', added, 'changes', '  a method was added\nPass 1.2.0'],
    ['1.1.0', '1.1.1', broken, 'changes', '  a method was added\nPass 2.0.0'],
    ['1.1.0', '1.2.0', broken, 'breaks', '  Store lacks a method\nPass 2.0.0'],
  ])('refuses after %s: %s with %j', (present, version, differences, does, says) => {
    const problem = sizeProblem({ present, version, ...differences });
    expect(problem).toContain(`since ${present} it ${does} what releases promise:\n${says}`);
  });

  it('is compared with what differs from the records, and nothing is written', () => {
    const where = scratch(ENTRY);
    symlinkSync(join(root, 'node_modules'), join(where, 'node_modules'));
    writeFileSync(join(where, 'tools/released.ts'), `process.stdout.write('${JSON.stringify(added)}');`);
    const before = readFileSync(join(where, 'package.json'), 'utf8');
    const { version } = JSON.parse(before) as Manifest;
    const patch = version.replace(/\d+$/, (part) => String(Number(part) + 1));
    const minor = version.replace(/\d+\.\d+$/, (part) => `${Number.parseInt(part, 10) + 1}.0`);
    const refused = spawnSync(process.execPath, [join(where, 'tools/release.mjs'), patch], { encoding: 'utf8' });
    expect([refused.status, refused.stderr]).toEqual([1, expect.stringContaining('a method was added')]);
    expect(readFileSync(join(where, 'package.json'), 'utf8')).toBe(before);
    expect(release(where, minor, '--dry-run')).toContain('would write package.json');
  });
});
