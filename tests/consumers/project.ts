import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { npm } from '../../tools/lib/npm.mjs';
import { PlainError, run } from '../../tools/lib/steps.mjs';
import { root } from '../../tools/lib/workspaces.mjs';
import type { Tarball } from './tarballs.js';

/** What is read of our own lock file and manifest. */
interface Lock {
  readonly packages: Readonly<Record<string, { readonly version: string; readonly link?: boolean }>>;
}
type Overrides = Readonly<Record<string, string>>;

/** What a consumer has of its own: frameworks, test runners, and types to compile with. */
const OWN_DEPENDENCIES = [
  '@babel/plugin-transform-modules-commonjs',
  '@types/express',
  '@types/node',
  'express',
  'fastify',
  'jest',
  'ts-jest',
  'typescript',
];

/** The programs beside this file, each in a folder of a project that installs the tarballs. */
const PROGRAMS = ['shop', 'jest', 'copies', 'strict'];

/** With the versions and checksums of our own lock file, so that what `npm ci` has fetched before is not asked for again. */
export async function install(project: string, tarballs: readonly Tarball[]): Promise<void> {
  for (const name of PROGRAMS) cpSync(join(import.meta.dirname, name), join(project, name), { recursive: true });
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as Lock;
  const own = OWN_DEPENDENCIES.map((name) => [name, lockedVersion(lock, name)] as const);
  const dependencies = Object.fromEntries([
    ...own,
    ...tarballs.map(({ name, file }) => [name, `file:${file}`] as const),
  ]);
  const { overrides } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { overrides: Overrides };
  const manifest = { name: 'consumer', version: '1.0.0', private: true, dependencies, overrides };
  const locked = Object.entries(lock.packages).filter(
    ([path, entry]) => path.startsWith('node_modules/') && !entry.link,
  );
  write(project, 'package.json', manifest);
  write(project, 'package-lock.json', {
    name: 'consumer',
    version: '1.0.0',
    lockfileVersion: 3,
    requires: true,
    packages: { '': manifest, ...Object.fromEntries(locked) },
  });
  await npm(
    ['install', '--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'],
    project,
  );
  for (const { name } of tarballs) {
    if (!existsSync(join(project, 'node_modules', name, 'dist')))
      throw new PlainError(`${name} was installed without its dist folder.`);
  }
}

function lockedVersion({ packages }: Lock, name: string): string {
  const entry = packages[`node_modules/${name}`];
  if (entry === undefined) throw new PlainError(`package-lock.json has no ${name}.`);
  return entry.version;
}

const STRICT = {
  target: 'ES2023',
  module: 'NodeNext',
  moduleResolution: 'NodeNext',
  types: ['node'],
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  rootDir: '.',
  outDir: 'dist',
};

/** Without the workspace's own condition: this is what an editor of the consumer's sees. */
export async function compile(project: string): Promise<void> {
  const shop = join(project, 'shop');
  write(shop, 'package.json', { type: 'module', private: true });
  write(shop, 'tsconfig.json', {
    compilerOptions: { ...STRICT, lib: ['ES2023'], skipLibCheck: true },
    include: ['*.ts'],
  });
  await runNode(process.execPath, shop, ['../node_modules/typescript/bin/tsc', '-p', 'tsconfig.json']);
}

/** The Node SDK and the hosted checkout with every declaration checked that they bring, as ES modules and in CommonJS. */
export async function compileStrictly(project: string): Promise<void> {
  const strict = join(project, 'strict');
  write(strict, 'tsconfig.json', {
    compilerOptions: { ...STRICT, lib: ['ES2023'], skipLibCheck: false },
    include: ['*.mts', '*.cts'],
  });
  await runNode(process.execPath, strict, ['../node_modules/typescript/bin/tsc', '-p', 'tsconfig.json']);
}

const RUN_LIMIT_MS = 120_000;

/** Fails with what the program said. */
export async function runNode(program: string, cwd: string, args: readonly string[]): Promise<void> {
  const { code, output } = await run(program, args, { cwd, timeout: RUN_LIMIT_MS });
  if (code !== 0)
    throw new PlainError(`In a project that installs the packages, ${program} ${args.join(' ')} failed:\n${output}`);
}

function write(dir: string, name: string, value: unknown): void {
  mkdirSync(dir, { recursive: true });
  writeFileSync(join(dir, name), `${JSON.stringify(value, null, 2)}\n`);
}
