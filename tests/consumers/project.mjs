import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { npm } from '../../tools/lib/npm.mjs';
import { PlainError, run } from '../../tools/lib/steps.mjs';
import { root } from '../../tools/lib/workspaces.mjs';

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
const PROGRAMS = ['shop', 'jest', 'copies'];

/** With the versions and checksums of our own lock file, so that what `npm ci` has fetched before is not asked for again. */
export async function install(project, tarballs) {
  for (const name of PROGRAMS) cpSync(join(import.meta.dirname, name), join(project, name), { recursive: true });
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  const own = OWN_DEPENDENCIES.map((name) => [name, lock.packages[`node_modules/${name}`].version]);
  const dependencies = Object.fromEntries([...own, ...tarballs.map(({ name, file }) => [name, `file:${file}`])]);
  const { overrides } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
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

/** Without the workspace's own condition and with every declaration checked that is ours: this is what an editor of the consumer's sees. */
export async function compile(project) {
  const shop = join(project, 'shop');
  write(shop, 'package.json', { type: 'module', private: true });
  write(shop, 'tsconfig.json', {
    compilerOptions: {
      target: 'ES2023',
      lib: ['ES2023'],
      module: 'NodeNext',
      moduleResolution: 'NodeNext',
      types: ['node'],
      strict: true,
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
      skipLibCheck: true,
      rootDir: '.',
      outDir: 'dist',
    },
    include: ['*.ts'],
  });
  await runNode(process.execPath, shop, ['../node_modules/typescript/bin/tsc', '-p', 'tsconfig.json']);
}

const RUN_LIMIT_MS = 120_000;

/** Fails with what the program said. */
export async function runNode(program, cwd, args) {
  const { code, output } = await run(program, args, { cwd, timeout: RUN_LIMIT_MS });
  if (code !== 0)
    throw new PlainError(`In a project that installs the packages, ${program} ${args.join(' ')} failed:\n${output}`);
}

function write(dir, name, value) {
  mkdirSync(dir, { recursive: true });
  writeFileSync(join(dir, name), `${JSON.stringify(value, null, 2)}\n`);
}
