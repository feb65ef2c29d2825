import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { npm } from '../../tools/lib/npm.mjs';
import { PlainError, run } from '../../tools/lib/steps.mjs';
import { root } from '../../tools/lib/workspaces.mjs';
import type { Tarball } from './tarballs.js';

/** The parts of our lock file and manifest that are read. */
interface Lock {
  readonly packages: Readonly<Record<string, { readonly version: string; readonly link?: boolean }>>;
}
type Overrides = Readonly<Record<string, string>>;

/** A consumer's own dependencies: frameworks, test runners and types. */
const OWN_DEPENDENCIES = [
  '@babel/plugin-transform-modules-commonjs',
  '@types/express',
  '@types/node',
  '@types/pg',
  '@types/react',
  'express',
  'fastify',
  'ioredis',
  '@opentelemetry/api',
  'jest',
  'pg',
  'react',
  'ts-jest',
  'typescript',
];

/** The programs next to this file, each in a folder of a project that installs the tarballs. */
const PROGRAMS = ['shop', 'jest', 'copies', 'strict', 'page', 'runtimes'];

/** Uses the versions and checksums of our lock file, so that npm finds everything in its cache. */
export async function install(project: string, tarballs: readonly Tarball[]): Promise<void> {
  for (const name of PROGRAMS) cpSync(join(import.meta.dirname, name), join(project, name), { recursive: true });
  const dependencies = {
    ...versionsOf(OWN_DEPENDENCIES),
    ...Object.fromEntries(tarballs.map(({ name, file }) => [name, `file:${file}`])),
  };
  writeManifest(project, { name: 'consumer', version: '1.0.0', private: true, dependencies });
  write(join(project, 'shop'), 'package.json', { type: 'module', private: true });
  await npm(['install', ...NPM_OPTIONS], project);
  for (const { name } of tarballs) {
    if (!existsSync(join(project, 'node_modules', name, 'dist')))
      throw new PlainError(`${name} was installed without its dist folder.`);
  }
  writeEvery(project, tarballs);
}

export const NPM_OPTIONS = ['--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];

/** The versions of our own lock file. */
export function versionsOf(names: readonly string[]): Readonly<Record<string, string>> {
  const { packages } = ownLock();
  return Object.fromEntries(
    names.map((name) => {
      const entry = packages[`node_modules/${name}`];
      if (entry === undefined) throw new PlainError(`package-lock.json has no ${name}.`);
      return [name, entry.version];
    }),
  );
}

const ownLock = (): Lock => JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as Lock;

/** Writes a project's manifest with a lock file that has the versions and checksums of ours. */
export function writeManifest(
  project: string,
  given: { readonly name: string; readonly version: string; readonly [more: string]: unknown },
): void {
  const { overrides } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { overrides: Overrides };
  const manifest = { ...given, overrides };
  write(project, 'package.json', manifest);
  writeLock(project, manifest);
}

/** Writes a lock file with the versions and checksums of ours, so that npm finds everything in its cache. */
export function writeLock(project: string, manifest: { readonly name: string; readonly version: string }): void {
  const locked = Object.entries(ownLock().packages).filter(
    ([path, entry]) => path.startsWith('node_modules/') && !entry.link,
  );
  const { name, version } = manifest;
  write(project, 'package-lock.json', {
    ...{ name, version, lockfileVersion: 3, requires: true },
    packages: { '': manifest, ...Object.fromEntries(locked) },
  });
}

/** Also checks the declarations of the packages and of their dependencies. */
const STRICT = {
  target: 'ES2023',
  lib: ['ES2023'],
  module: 'NodeNext',
  moduleResolution: 'NodeNext',
  types: ['node'],
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  skipLibCheck: false,
};

/** For browser code: the DOM's types and none of Node's. */
const FOR_A_PAGE = {
  ...STRICT,
  lib: ['ES2023', 'DOM', 'DOM.Iterable'],
  module: 'ESNext',
  moduleResolution: 'bundler',
  types: [],
  jsx: 'react-jsx',
};

/** Together, so that declarations are checked once; without the workspace's own condition, as in a consumer's editor. */
const COMPILED = {
  'tsconfig.json': { compilerOptions: STRICT, include: ['shop', 'strict', 'every'] },
  'tsconfig.dom.json': { compilerOptions: { ...STRICT, lib: FOR_A_PAGE.lib }, include: ['every-dom'] },
  'tsconfig.page.json': { compilerOptions: FOR_A_PAGE, include: ['page'] },
};

/** Each compiler writes its JavaScript next to the source, and overwrites that of the previous one. */
export async function compile(project: string, compilers: readonly string[]): Promise<void> {
  for (const [name, config] of Object.entries(COMPILED)) {
    write(project, name, config);
    for (const compiler of compilers) await runNode(process.execPath, project, [compiler, '-p', name]);
  }
}

/** An ES module and one in CommonJS that load each subpath of each package, so that none is forgotten. */
function writeEvery(project: string, tarballs: readonly Tarball[]): void {
  const libraries = tarballs.filter(({ programs }) => programs.length === 0);
  const needsDom = ({ name }: Tarball): boolean => NEEDS_DOM.has(name);
  writeImports(
    project,
    'every',
    libraries.filter((one) => !needsDom(one)),
  );
  writeImports(project, 'every-dom', libraries.filter(needsDom));
}

/** viem's declarations name types of the DOM, such as `CryptoKey`. */
const NEEDS_DOM: ReadonlySet<string> = new Set(['@gateramp/adapters-chain-evm']);

function writeImports(project: string, place: string, libraries: readonly Tarball[]): void {
  const names = libraries.flatMap(({ name }) =>
    subpathsOf(project, name).map((subpath) => `${name}${subpath.slice(1)}`),
  );
  const check =
    'for (const one of all) if (Object.keys(one).length === 0) throw new Error("A package exports nothing.");';
  const programOf = (line: (name: string, as: string) => string): string =>
    [
      ...names.map((name, index) => line(name, `m${index}`)),
      `const all: readonly object[] = [${names.map((_, index) => `m${index}`).join(', ')}];`,
      check,
      '',
    ].join('\n');
  const folder = join(project, place);
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    join(folder, 'every.mts'),
    programOf((name, as) => `import * as ${as} from '${name}';`),
  );
  writeFileSync(
    join(folder, 'every.cts'),
    programOf((name, as) => `import ${as} = require('${name}');`),
  );
}

function subpathsOf(project: string, name: string): string[] {
  const manifest = readFileSync(join(project, 'node_modules', name, 'package.json'), 'utf8');
  return Object.keys((JSON.parse(manifest) as { exports: object }).exports);
}

const RUN_LIMIT_MS = 300_000;

/** Fails with the program's output. */
export async function runNode(
  program: string,
  cwd: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<void> {
  const { code, output } = await run(program, args, { cwd, env: { ...process.env, ...env }, timeout: RUN_LIMIT_MS });
  if (code !== 0)
    throw new PlainError(`In a project that installs the packages, ${program} ${args.join(' ')} failed:\n${output}`);
}

function write(dir: string, name: string, value: unknown): void {
  mkdirSync(dir, { recursive: true });
  writeFileSync(join(dir, name), `${JSON.stringify(value, null, 2)}\n`);
}
