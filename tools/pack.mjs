import { chmodSync, existsSync, mkdirSync, readdirSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { isAbsolute, join, relative, resolve } from 'node:path';

import { npm } from './lib/npm.mjs';
import { isMain, PlainError, reportAndExit, step } from './lib/steps.mjs';
import { entriesOf, internalDependencies, root, workspacesInOrder } from './lib/workspaces.mjs';

/** What a use needs, without what that depends on. */
const USES = [
  ['a shop’s server', ['sdk-node']],
  ['a page, or one in React', ['sdk-react']],
  ['the command line, gateramp', ['cli']],
  ['unit tests, in memory', ['testing']],
  ['the engine in an app, in memory', ['core', 'adapters-store-memory', 'adapters-provider-sandbox']],
  [
    'the engine’s API and hosted checkout, in Express or Fastify',
    ['adapters-http-express', 'adapters-http-fastify', 'widget'],
  ],
  ['the engine on Postgres or SQLite', ['adapters-store-postgres', 'adapters-store-sqlite']],
  ['Redis, for wake-ups and shared rate limits', ['adapters-limits-redis']],
  ['the console, and the engine’s extensions', ['console', 'extensions']],
  ['provider legs for Stripe and EVM chains', ['adapters-fiat-stripe', 'adapters-chain-evm']],
  ['the engine on Citus', ['adapters-store-citus']],
  ['the laws for adapters of your own', ['conformance']],
  ['traces with OpenTelemetry', ['telemetry-otel']],
];

/**
 * `npm run pack -- [folder]`: packs every package into a folder, by default `gateramp-packs` where npm was called, for an app to install
 * from: unlike a link to this clone, a tarball is copied, so the app is built, bundled and deployed like with packages of a registry.
 * `index.json` in the folder lists them, each with the files that an installation names, and `sbom.cdx.json` what they contain and bring.
 */
async function main() {
  const from = process.env.INIT_CWD ?? process.cwd();
  const given = process.argv[2] ?? 'gateramp-packs';
  const folder = resolve(from, given);
  if (given.startsWith('-') || statSync(folder, { throwIfNoEntry: false })?.isDirectory() === false)
    throw new PlainError(`${given} is not a folder. npm run pack takes one: npm run pack -- ~/shop/gateramp-packs`);
  const { setup } = await import('./setup.mjs');
  await setup();
  const packages = await buildToPack();
  await step(`pack ${packages.length} packages`, () => pack(packages, folder));
  const path = relative(from, folder);
  // An app that npm was not called in is elsewhere.
  const isElsewhere = from === root || path.startsWith('..') || isAbsolute(path);
  const place = isElsewhere ? folder : `./${path}`;
  process.stdout.write(
    `\n${packages.length} packages are in ${folder}. In the folder of your app:\n\n${usesOf(packages, place)}\n`,
  );
}

/** Builds what is packed, with types. */
export async function buildToPack() {
  const packages = publishable();
  // Not before a fresh clone has its dependencies.
  const { build } = await import('./build.mjs');
  await build({ types: true, only: packages.map(({ manifest }) => manifest.name) });
  return packages;
}

/** The packages that are written; one that is only a manifest yet has nothing to pack. */
export function publishable() {
  return workspacesInOrder()
    .filter(({ manifest }) => !manifest.private)
    .filter((workspace) =>
      Object.values(entriesOf(workspace).entries).every((source) => existsSync(join(workspace.dir, source))),
    );
}

/**
 * Packs built packages, each as `<name without @gateramp/>.tgz`, whatever its version, so that what installs them need not change.
 *
 * @param {readonly { dir: string, manifest: any }[]} packages
 * @param {string} folder
 * @returns {Promise<{ name: string, file: string, contents: readonly string[] }[]>}
 */
export async function pack(packages, folder) {
  mkdirSync(folder, { recursive: true });
  packages.forEach(setUsualModes);
  const names = packages.flatMap(({ manifest }) => ['--workspace', manifest.name]);
  const output = await npm(['pack', '--json', '--ignore-scripts', '--pack-destination', folder, ...names], root);
  // npm may say something before it answers.
  const packed = JSON.parse(output.slice(output.search(/^[[{]/m)));
  const tarballs = packages.map(({ manifest: { name } }) => {
    const found = packed.find((one) => one.name === name);
    if (found === undefined) throw new PlainError(`npm pack made nothing of ${name}.`);
    const file = join(folder, fileOf(name));
    renameSync(join(folder, found.filename), file);
    return { name, file, contents: found.files.map(({ path }) => path) };
  });
  const index = packages.map(({ manifest }) => ({
    name: manifest.name,
    version: manifest.version,
    description: manifest.description,
    file: fileOf(manifest.name),
    install: closureOf(packages, [manifest.name]).map(fileOf),
    peers: manifest.peerDependencies ?? {},
  }));
  const write = (name, value) => writeFileSync(join(folder, name), `${JSON.stringify(value, null, 2)}\n`);
  write('index.json', { packages: index });
  // Not before a fresh clone has its dependencies.
  const { billOfMaterials } = await import('./lib/bill-of-materials.mjs');
  write('sbom.cdx.json', billOfMaterials(packages, tarballs));
  return tarballs;
}

/** npm packs the permissions that a clone and a build got from their umask, so two builds would differ. */
function setUsualModes({ dir, manifest }) {
  const filesIn = (folder, recursive) =>
    readdirSync(folder, { recursive, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath ?? entry.path, entry.name));
  const folders = manifest.files.filter((name) => !name.startsWith('!'));
  for (const file of [...filesIn(dir, false), ...folders.flatMap((name) => filesIn(join(dir, name), true))])
    chmodSync(file, statSync(file).mode & 0o100 ? 0o755 : 0o644);
}

const fileOf = (name) => `${name.replace('@gateramp/', '')}.tgz`;

/** These packages and all of ours that they depend on, each after its dependencies: no registry has them. */
function closureOf(packages, names) {
  const needed = new Set(names);
  // Iterating over a set also visits what is added during the iteration.
  for (const name of needed) {
    const found = packages.find(({ manifest }) => manifest.name === name);
    if (found !== undefined) for (const one of internalDependencies(found.manifest)) needed.add(one);
  }
  return packages.map(({ manifest }) => manifest.name).filter((name) => needed.has(name));
}

/**
 * Commands that install what a use needs from tarballs at a place.
 *
 * @param {readonly { dir: string, manifest: any }[]} packages
 * @param {string} place
 */
export function usesOf(packages, place) {
  const create = `# a new project of your own: express, fastify, next or tests-only
npx --yes --package ${place}/create-gateramp.tgz create-gateramp my-shop --template express --packs ${place}`;
  const installs = USES.map(([use, names]) => {
    const needed = closureOf(
      packages,
      names.map((name) => `@gateramp/${name}`),
    );
    return `# ${use}\nnpm install ${needed.map((name) => `${place}/${fileOf(name)}`).join(' ')}`;
  });
  return [create, ...installs].join('\n');
}

if (isMain(import.meta.url)) main().catch(reportAndExit);
