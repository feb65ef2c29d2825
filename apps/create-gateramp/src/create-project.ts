import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { UsageError, type Template } from './options.js';

export interface Project {
  /** An absolute path. */
  readonly folder: string;
  readonly template: Template;
  /** The absolute path of the folder of `npm run pack`, or null for the registry. */
  readonly packs: string | null;
}

/** Next to `src` and to `dist`. */
const HOME = fileURLToPath(new URL('..', import.meta.url));

/** The folders of `templates` that make up each template. */
const LAYERS: Readonly<Record<Template, readonly string[]>> = {
  express: ['shop', 'server', 'express'],
  fastify: ['shop', 'server', 'fastify'],
  next: ['shop', 'next'],
  'tests-only': ['tests-only'],
};

/** Where the tarballs are in the project, so that its lock file names them by a path inside it. */
const PACKS = 'gateramp-packs';

/** Writes a project into a new or empty folder. Throws a UsageError, and then writes nothing. */
export function createProject({ folder, template, packs }: Project): void {
  const name = nameOf(folder);
  refuseFull(folder);
  const index = packs === null ? null : packedIn(packs);
  for (const layer of LAYERS[template]) cpSync(join(HOME, 'templates', layer), folder, { recursive: true });
  // npm would not pack a .gitignore by its own name.
  renameSync(join(folder, 'gitignore'), join(folder, '.gitignore'));
  edit(join(folder, 'README.md'), (text) => text.replace('{{name}}', name));
  edit(join(folder, 'package.json'), (text) => {
    const manifest: Manifest = { ...parse<Manifest>(text), name };
    const installed = index === null ? fromRegistry(manifest) : fromPacks(manifest, index);
    return `${JSON.stringify(installed, null, 2)}\n`;
  });
  if (packs === null || index === null) return;
  mkdirSync(join(folder, PACKS));
  const manifest = readFileSync(join(folder, 'package.json'), 'utf8');
  for (const { file } of index.filter((one) => manifest.includes(`"${one.name}"`)))
    cpSync(join(packs, file), join(folder, PACKS, file));
}

const PACKAGE_NAME = /^[a-z0-9][a-z0-9._-]{0,213}$/;

/** A project may not have the name of a package that it installs. */
const TAKEN = new Set([
  'node_modules',
  'express',
  'fastify',
  'next',
  'react',
  'react-dom',
  'tsx',
  'typescript',
  'vitest',
]);

function nameOf(folder: string): string {
  const name = basename(folder);
  if (!PACKAGE_NAME.test(name))
    throw new UsageError(`"${name}" cannot be the name of a package. Use lower-case letters, digits and hyphens.`);
  if (TAKEN.has(name)) throw new UsageError(`"${name}" is the name of another package. Choose another folder.`);
  return name;
}

function refuseFull(folder: string): void {
  const found = statSync(folder, { throwIfNoEntry: false });
  if (found === undefined) return;
  if (!found.isDirectory()) throw new UsageError(`${folder} is a file. Choose another folder.`);
  if (readdirSync(folder).some((entry) => entry !== '.git'))
    throw new UsageError(`${folder} is not empty. Choose another folder.`);
}

type Versions = Readonly<Record<string, string>>;

interface Manifest {
  readonly name: string;
  readonly dependencies: Versions;
  readonly devDependencies: Versions;
}

/** All packages of Gateramp have one version. */
function fromRegistry(manifest: Manifest): Manifest {
  const { version } = parse<{ readonly version: string }>(readFileSync(join(HOME, 'package.json'), 'utf8'));
  const withVersion = (versions: Versions): Versions =>
    Object.fromEntries(Object.entries(versions).map(([name, range]) => [name, isOurs(name) ? `^${version}` : range]));
  return {
    ...manifest,
    dependencies: withVersion(manifest.dependencies),
    devDependencies: withVersion(manifest.devDependencies),
  };
}

/** A package of `index.json`, with the files that its installation names. */
interface Packed {
  readonly name: string;
  readonly file: string;
  readonly install: readonly string[];
}

function packedIn(packs: string): readonly Packed[] {
  const index = join(packs, 'index.json');
  if (!existsSync(index))
    throw new UsageError(`${packs} has no index.json. Pass the folder that \`npm run pack\` wrote.`);
  return parse<{ readonly packages: readonly Packed[] }>(readFileSync(index, 'utf8')).packages;
}

/** The tarballs, with those that they depend on: no registry has them. */
function fromPacks(manifest: Manifest, index: readonly Packed[]): Manifest {
  const dependencies = withTarballs(manifest.dependencies, index);
  const development = Object.entries(withTarballs(manifest.devDependencies, index));
  const devDependencies = Object.fromEntries(development.filter(([name]) => !(name in dependencies)));
  return { ...manifest, dependencies, devDependencies };
}

function withTarballs(versions: Versions, index: readonly Packed[]): Versions {
  const files = new Set(
    Object.keys(versions)
      .filter(isOurs)
      .flatMap((name) => index.find((one) => one.name === name)?.install ?? []),
  );
  return {
    ...Object.fromEntries(
      index.filter(({ file }) => files.has(file)).map(({ name, file }) => [name, `file:./${PACKS}/${file}`]),
    ),
    ...Object.fromEntries(Object.entries(versions).filter(([name]) => !isOurs(name))),
  };
}

const isOurs = (name: string): boolean => name.startsWith('@gateramp/');

const edit = (path: string, change: (text: string) => string): void =>
  writeFileSync(path, change(readFileSync(path, 'utf8')));

/** JSON that this repository has written. */
const parse = <Content>(text: string): Content => JSON.parse(text) as Content;
