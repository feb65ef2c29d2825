import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

import { root, workspacesInOrder } from '../lib/workspaces.mjs';
import { plannedRelease } from '../release.mjs';

const VERSION = '987.65.43';
const plan = plannedRelease({ version: VERSION, date: '2030-01-01' });

/** What is read of a manifest here. */
interface Manifest {
  readonly version: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

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

  it('gives it to the SDKs, which tell it to the service', () => {
    const stated = ['sdks/node/src/version.ts', 'sdks/python/pyproject.toml', 'sdks/python/src/gateramp/_version.py'];
    for (const path of stated) expect(plan[path]).toContain(VERSION);
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

  it('puts what is told in the changelog under it, and keeps all else', () => {
    const before = readFileSync(join(root, 'CHANGELOG.md'), 'utf8');
    const after = plan['CHANGELOG.md'] ?? '';
    expect(after).toContain(`## Unreleased\n\n## ${VERSION} (2030-01-01)\n`);
    expect(after.replace(`\n## ${VERSION} (2030-01-01)\n`, '')).toBe(before);
  });

  it.each(['', 'next', '0.0.1', '1.0', 'v1.0.0'])('refuses %j', (version) => {
    expect(() => plannedRelease({ version, date: '2030-01-01' })).toThrow(/no version after/);
  });

  it('run dry, says what it would write, and writes nothing', () => {
    const before = readFileSync(join(root, 'package.json'), 'utf8');
    const said = execFileSync(process.execPath, ['tools/release.mjs', VERSION, '--dry-run'], {
      cwd: root,
      encoding: 'utf8',
    });
    expect(said.trim().split('\n')).toEqual(Object.keys(plan).map((path) => `would write ${path}`));
    expect(readFileSync(join(root, 'package.json'), 'utf8')).toBe(before);
  });
});
