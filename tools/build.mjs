import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';

import { sqlLoader } from './lib/sql-text.mjs';
import { isMain, PlainError, reportAndExit, run, step } from './lib/steps.mjs';
import { entriesOf, internalDependencies, root, workspacesInOrder } from './lib/workspaces.mjs';

/**
 * Builds stale packages. Without types, esbuild bundles each package separately, in milliseconds; with types, tsup builds each
 * after its dependencies. Packages build their browser files into `dist/page` by their own script `build:page`. `only` selects
 * packages; it must include their dependencies.
 *
 * @param {{ types?: boolean, only?: readonly string[] | null }} [wanted]
 * @returns {Promise<string[]>}
 */
export async function build({ types = false, only = null } = {}) {
  const stale = staleWorkspaces(types).filter(
    ({ workspace }) => only === null || only.includes(workspace.manifest.name),
  );
  if (stale.length === 0) return [];
  const names = stale.map(({ workspace }) => workspace.manifest.name.replace('@gateramp/', ''));
  await step(
    `build ${names.length > 3 ? `${names.length} packages` : names.join(', ')}${types ? ' with types' : ''}`,
    async () => {
      if (types) for (const one of stale) await buildWithTypes(one);
      else await buildScriptsOnly(stale);
    },
  );
  return names;
}

function staleWorkspaces(types) {
  const tools = hashOf([
    // Shared by the pages of several packages.
    ...filesUnder(join(root, 'design')),
    ...['tsup.base.ts', 'tsconfig.base.json', 'tools/build.mjs'].map((file) => join(root, file)),
    ...filesUnder(join(root, 'tools/lib')),
  ]);
  const deepHashes = new Map();
  const stale = [];
  for (const workspace of workspacesInOrder()) {
    const { dir, manifest } = workspace;
    const settings = readdirSync(dir).filter((name) => /\.(ts|js|mjs|json|html)$/.test(name));
    const sources = ['src', 'page', 'sql'].flatMap((folder) => filesUnder(join(dir, folder)));
    const own = hashOf([...sources, ...settings.map((name) => join(dir, name))], tools);
    const siblings = internalDependencies(manifest).map((name) => deepHashes.get(name) ?? '');
    const deep = createHash('sha256')
      .update([own, ...siblings].join())
      .digest('hex');
    deepHashes.set(manifest.name, deep);

    // Bundles keep imports of siblings, so only declarations and pages depend on the content of siblings.
    const scriptStamp = `js ${hasPage(workspace) ? deep : own}`;
    const stamp = types ? `types ${deep}` : scriptStamp;
    if (hasSource(workspace, types) && !isFresh(workspace, stamp)) stale.push({ workspace, stamp, scriptStamp });
  }
  return stale;
}

const hasPage = ({ manifest }) => manifest.scripts?.['build:page'] !== undefined;

/** A quick build skips packages without source; a build with types, which is for publishing, fails on them. */
function hasSource(workspace, types) {
  const sources = Object.values(entriesOf(workspace).entries);
  return types ? sources.length > 0 : sources.some((source) => existsSync(join(workspace.dir, source)));
}

function isFresh(workspace, stamp) {
  const dist = join(workspace.dir, 'dist');
  if (!existsSync(join(dist, '.stamp')) || !readFileSync(join(dist, '.stamp'), 'utf8').split('\n').includes(stamp))
    return false;
  const built = Object.entries(entriesOf(workspace).entries).filter(([, source]) =>
    existsSync(join(workspace.dir, source)),
  );
  return built.every(([entry]) => existsSync(join(dist, `${entry}.js`)));
}

async function buildScriptsOnly(stale) {
  const esbuild = await import(pathToFileURL(join(root, 'node_modules/esbuild/lib/main.js')).href);
  await Promise.all(stale.map(({ workspace }) => bundle(esbuild.default ?? esbuild, workspace)));
  // A page contains the build output of other packages.
  for (const { workspace, stamp } of stale) {
    await buildPage(workspace);
    writeStamp(workspace, [stamp]);
  }
}

async function bundle(esbuild, workspace) {
  const { dir, manifest } = workspace;
  const entries = Object.entries(entriesOf(workspace).entries);
  const present = entries.filter(([, source]) => existsSync(join(dir, source)));
  for (const [, source] of entries.filter((entry) => !present.includes(entry))) {
    process.stderr.write(`  note ${manifest.name}: ${source} does not exist yet, left out\n`);
  }
  const result = await esbuild
    .build({
      absWorkingDir: dir,
      entryPoints: Object.fromEntries(present),
      outdir: 'dist',
      bundle: true,
      format: 'esm',
      platform: 'node',
      target: 'node20',
      packages: 'external',
      splitting: true,
      sourcemap: true,
      chunkNames: 'chunk-[hash]',
      loader: sqlLoader,
      write: false,
      logLevel: 'silent',
    })
    .catch(async (error) => {
      const messages = error.errors
        ? await esbuild.formatMessages(error.errors, { kind: 'error', color: false })
        : [String(error)];
      throw new PlainError(`${manifest.name} does not build:\n${messages.join('\n')}`);
    });
  // Overwrites old files and deletes stale ones afterwards, so that a server that starts meanwhile never finds an empty folder.
  const written = new Set(result.outputFiles.map((file) => file.path));
  for (const { path, contents } of result.outputFiles) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, contents);
  }
  filesUnder(join(dir, 'dist'))
    .filter((file) => !written.has(file) && !file.startsWith(join(dir, 'dist/page')))
    .forEach((file) => rmSync(file));
}

async function buildWithTypes({ workspace, stamp, scriptStamp }) {
  await runOrFail(process.execPath, [join(root, 'node_modules/tsup/dist/cli-default.js'), '--silent'], workspace);
  await buildPage(workspace);
  writeStamp(workspace, [scriptStamp, stamp]);
}

/** Also overwrites old files; those that were not written again are deleted. */
async function buildPage(workspace) {
  if (!hasPage(workspace)) return;
  const began = Date.now();
  await runOrFail('npm', ['run', '--silent', 'build:page'], workspace);
  filesUnder(join(workspace.dir, 'dist/page'))
    .filter((file) => statSync(file).mtimeMs < began)
    .forEach((file) => rmSync(file));
}

async function runOrFail(command, args, { dir, manifest }) {
  const { code, output } = await run(command, args, {
    cwd: dir,
    // A page has the warnings of its libraries under another NODE_ENV.
    env: { ...process.env, NODE_ENV: 'production' },
    shell: process.platform === 'win32' && command === 'npm',
  });
  if (code !== 0) throw new PlainError(`${manifest.name} does not build:\n${output}`);
}

function writeStamp({ dir }, lines) {
  mkdirSync(join(dir, 'dist'), { recursive: true });
  writeFileSync(join(dir, 'dist/.stamp'), `${lines.join('\n')}\n`);
}

function filesUnder(dir) {
  if (!existsSync(dir)) return [];
  return readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
    .sort();
}

function hashOf(files, seed = '') {
  const hash = createHash('sha256').update(seed);
  for (const file of files) hash.update(`\0${relative(root, file)}\0`).update(readFileSync(file));
  return hash.digest('hex');
}

if (isMain(import.meta.url)) {
  build({ types: process.argv.includes('--types') })
    .then((built) => built.length === 0 && process.stderr.write('  ok   build: nothing is stale\n'))
    .catch(reportAndExit);
}
