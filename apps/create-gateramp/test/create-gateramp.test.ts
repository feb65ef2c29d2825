import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { accepts } from '../../../tools/lib/production-tree.mjs';
import { run } from '../../../tools/lib/steps.mjs';
import { readPackage, root } from '../../../tools/lib/workspaces.mjs';
import { createProject } from '../src/create-project.js';
import { optionsOf, TEMPLATES, type Template } from '../src/options.js';

const home = mkdtempSync(join(tmpdir(), 'create-gateramp-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));

const templates: readonly Template[] = ['express', 'fastify', 'next', 'tests-only'];

interface Manifest {
  readonly name: string;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
}
const manifestOf = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;

describe('arguments', () => {
  it('are a folder, a template and the folder of npm run pack', () => {
    const given = ['my-shop', '--template', 'fastify', '--packs', 'packs'];
    expect(optionsOf(given)).toEqual({ folder: 'my-shop', template: 'fastify', packs: 'packs' });
    expect(optionsOf([])).toEqual({ folder: null, template: null, packs: null });
    expect(optionsOf(['--help'])).toBe('help');
  });

  it.each([
    [['a', '--template', 'koa'], 'There is no template "koa". Choose one of: express, fastify, next, tests-only.'],
    [['a', '--template', 'toString'], 'There is no template "toString"'],
    [['a', 'b'], 'Pass one folder, not 2: a b'],
    [['a', '--tempalte', 'next'], '--help'],
  ])('%j are refused', (given, message) => {
    expect(() => optionsOf(given)).toThrow(message);
  });

  it('are asked for only in a terminal', async () => {
    const program = [
      '--conditions=@gateramp/source',
      '--import',
      'tsx',
      join(root, 'apps/create-gateramp/src/main.ts'),
    ];
    const asked = await run(process.execPath, [...program, join(home, 'unasked')], { cwd: root });
    expect(asked).toEqual({ code: 1, output: expect.stringMatching(/^Pass a folder and --template <name>.*\n$/) });
    const helped = await run(process.execPath, [...program, '--help'], { cwd: root });
    expect(helped).toEqual({ code: 0, output: expect.stringContaining('Usage: npm create gateramp') });
    expect(existsSync(join(home, 'unasked'))).toBe(false);
  });
});

describe('a project', () => {
  it('has a template of each name', () => {
    expect(Object.keys(TEMPLATES)).toEqual(templates);
  });

  it.each(templates)('%s has the name of its folder and the packages of this release', (template) => {
    const folder = join(home, `shop-${template}`);
    createProject({ folder, template, packs: null });
    const { name, dependencies, devDependencies } = manifestOf(folder);
    expect(name).toBe(`shop-${template}`);
    expect(readFileSync(join(folder, 'README.md'), 'utf8')).toContain(`# shop-${template}\n`);
    expect(readFileSync(join(folder, '.gitignore'), 'utf8')).toContain('node_modules/');
    const { version } = readPackage(join(root, 'apps/create-gateramp')).manifest as { readonly version: string };
    const all = Object.entries({ ...dependencies, ...devDependencies });
    const ours = all.filter(([one]) => one.startsWith('@gateramp/'));
    expect(ours.length).toBeGreaterThan(0);
    for (const [one, range] of ours) expect([one, range]).toEqual([one, `^${version}`]);
  });

  it.each(templates)('%s names ranges that the versions of our own lock file satisfy', (template) => {
    const folder = join(home, `ranges-${template}`);
    createProject({ folder, template, packs: null });
    const { dependencies, devDependencies } = manifestOf(folder);
    // Next.js is not in our lock file, because it has 340 MB.
    const theirs = Object.entries({ ...dependencies, ...devDependencies }).filter(
      ([one]) => one !== 'next' && !one.startsWith('@gateramp/'),
    );
    for (const [one, range] of theirs) {
      const { version } = readPackage(join(root, 'node_modules', one)).manifest as { readonly version: string };
      expect(accepts(range, version), `${one} ${version} is in ${range}`).toBe(true);
    }
  });

  it('installs from its own copies of the tarballs, each dependency once', () => {
    const packs = join(home, 'packs');
    mkdirSync(packs);
    const sdk = { name: '@gateramp/sdk-node', file: 'sdk-node.tgz', install: ['sdk-node.tgz'] };
    const core = { name: '@gateramp/core', file: 'core.tgz', install: ['core.tgz'] };
    const testing = { name: '@gateramp/testing', file: 'testing.tgz', install: ['core.tgz', 'testing.tgz'] };
    const unused = { name: '@gateramp/cli', file: 'cli.tgz', install: ['sdk-node.tgz', 'cli.tgz'] };
    for (const { file } of [sdk, core, testing, unused]) writeFileSync(join(packs, file), file);
    writeFileSync(join(packs, 'index.json'), JSON.stringify({ packages: [sdk, core, testing, unused] }));
    const folder = join(home, 'packed');
    createProject({ folder, template: 'tests-only', packs });
    const { dependencies, devDependencies } = manifestOf(folder);
    expect(dependencies).toEqual({ '@gateramp/sdk-node': 'file:./gateramp-packs/sdk-node.tgz' });
    expect(devDependencies).toMatchObject({
      '@gateramp/core': 'file:./gateramp-packs/core.tgz',
      '@gateramp/testing': 'file:./gateramp-packs/testing.tgz',
      vitest: expect.any(String),
    });
    expect(readdirSync(join(folder, 'gateramp-packs')).sort()).toEqual(['core.tgz', 'sdk-node.tgz', 'testing.tgz']);
  });

  it.each([
    ['My Shop', 'cannot be the name of a package'],
    ['express', 'is the name of another package'],
    ['node_modules', 'is the name of another package'],
  ])('is not created in a folder named %s', (name, message) => {
    const folder = join(home, name);
    expect(() => createProject({ folder, template: 'express', packs: null })).toThrow(message);
    expect(existsSync(folder)).toBe(false);
  });

  it('is created in an empty clone, and never over files', () => {
    const full = join(home, 'full');
    mkdirSync(join(full, '.git'), { recursive: true });
    createProject({ folder: full, template: 'express', packs: null });
    expect(() => createProject({ folder: full, template: 'express', packs: null })).toThrow('is not empty');
    const file = join(home, 'file');
    writeFileSync(file, '');
    expect(() => createProject({ folder: file, template: 'express', packs: null })).toThrow('is a file');
  });

  it('is not created from a folder that npm run pack did not write', () => {
    const folder = join(home, 'unpacked');
    expect(() => createProject({ folder, template: 'express', packs: home })).toThrow('has no index.json');
    expect(existsSync(folder)).toBe(false);
  });
});
