import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { build } from './build.mjs';
import { isMain, PlainError, reportAndExit, run, step } from './lib/steps.mjs';
import { entriesOf, root, workspacesInOrder } from './lib/workspaces.mjs';

/**
 * What a stranger gets: every package built with declarations, packed, linted as a package, and installed from its tarball
 * outside the workspace. There the programs of `tools/consumer/shop`, which are those of the README, are type-checked and run.
 */
export async function checkAsConsumer() {
  const packages = publishable();
  await build({ types: true, only: packages.map(({ manifest }) => manifest.name) });
  const folder = mkdtempSync(join(tmpdir(), 'gateramp-consumer-'));
  try {
    const tarballs = await step('pack', () => pack(packages, join(folder, 'tarballs')));
    await step('publint', () => lint(tarballs));
    const shop = join(folder, 'shop');
    await step('install the tarballs', () => install(shop, tarballs));
    await step('type-check as a consumer', () => compile(shop));
    for (const args of RUNS) await step(`run ${args.join(' ')}`, () => node(shop, args));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const RUNS = [
  ['dist/serve.js', 'express'],
  ['dist/serve.js', 'fastify'],
  ['dist/in-process.js'],
  ['--test', 'dist/checkout.test.js'],
];

/** What a consumer has of its own: the frameworks, and types to compile with. */
const OWN_DEPENDENCIES = ['express', 'fastify', '@types/express', '@types/node'];

/** The packages that are written; one that is only a manifest yet has nothing to pack. */
function publishable() {
  return workspacesInOrder()
    .filter(({ manifest }) => !manifest.private)
    .filter((workspace) => Object.values(entriesOf(workspace).entries).every((source) => existsSync(join(workspace.dir, source))));
}

/** @returns {Promise<Array<{ name: string, file: string }>>} */
async function pack(packages, destination) {
  mkdirSync(destination, { recursive: true });
  const names = packages.flatMap(({ manifest }) => ['--workspace', manifest.name]);
  const output = await npm(['pack', '--json', '--ignore-scripts', '--pack-destination', destination, ...names], root);
  // npm may say something before it answers.
  const packed = JSON.parse(output.slice(output.search(/^[[{]/m)));
  return packages.map(({ manifest }) => ({ name: manifest.name, file: join(destination, packed.find(({ name }) => name === manifest.name).filename) }));
}

async function lint(tarballs) {
  const [{ publint }, { formatMessage }] = await Promise.all([import('publint'), import('publint/utils')]);
  const complaints = [];
  for (const { name, file } of tarballs) {
    const bytes = readFileSync(file);
    const tarball = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
    const { messages, pkg } = await publint({ pack: { tarball }, strict: true });
    complaints.push(...messages.map((message) => `${name}: ${formatMessage(message, pkg, { color: false })}`));
  }
  if (complaints.length > 0) throw new PlainError(complaints.join('\n'));
}

/** With the versions and checksums of our own lock file, so that what `npm ci` has fetched before is not asked for again. */
async function install(shop, tarballs) {
  cpSync(join(root, 'tools/consumer/shop'), join(shop, 'src'), { recursive: true });
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  const own = OWN_DEPENDENCIES.map((name) => [name, lock.packages[`node_modules/${name}`].version]);
  const dependencies = Object.fromEntries([...own, ...tarballs.map(({ name, file }) => [name, `file:${file}`])]);
  const manifest = { name: 'shop', version: '1.0.0', private: true, type: 'module', dependencies };
  const locked = Object.entries(lock.packages).filter(([path, entry]) => path.startsWith('node_modules/') && !entry.link);
  write(shop, 'package.json', manifest);
  write(shop, 'package-lock.json', { name: 'shop', version: '1.0.0', lockfileVersion: 3, requires: true, packages: { '': manifest, ...Object.fromEntries(locked) } });
  await npm(['install', '--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], shop);
  for (const { name } of tarballs) {
    if (!existsSync(join(shop, 'node_modules', name, 'dist'))) throw new PlainError(`${name} was installed without its dist folder.`);
  }
}

/** Without the workspace's own condition and with every declaration checked that is ours: this is what an editor of the consumer's sees. */
async function compile(shop) {
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
      rootDir: 'src',
      outDir: 'dist',
    },
    include: ['src'],
  });
  await node(shop, [join(root, 'node_modules/typescript/bin/tsc'), '-p', 'tsconfig.json']);
}

const RUN_LIMIT_MS = 60_000;

async function node(cwd, args) {
  const { code, output } = await run(process.execPath, args, { cwd, timeout: RUN_LIMIT_MS });
  if (code !== 0) throw new PlainError(`In a project that installs the packages, node ${args.join(' ')} failed:\n${output}`);
}

async function npm(args, cwd) {
  const script = process.env.npm_execpath;
  const [command, first] = script?.endsWith('npm-cli.js') ? [process.execPath, [script]] : ['npm', []];
  const { code, output } = await run(command, [...first, ...args], { cwd, shell: process.platform === 'win32' && command === 'npm' });
  if (code !== 0) throw new PlainError(`npm ${args[0]} failed:\n${output}`);
  return output;
}

function write(dir, name, value) {
  mkdirSync(dir, { recursive: true });
  writeFileSync(join(dir, name), `${JSON.stringify(value, null, 2)}\n`);
}

if (isMain(import.meta.url)) checkAsConsumer().catch(reportAndExit);
