import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';

import { npm } from './lib/npm.mjs';
import { isMain, PlainError, reportAndExit } from './lib/steps.mjs';
import { root, workspacesInOrder } from './lib/workspaces.mjs';

/**
 * `npm run release -- 0.2.0` sets one version everywhere, and moves the changelog's "Unreleased" entries under it. It refuses a version
 * that is too small for what changed in ports, laws or the API. `--dry-run` prints what it would write. It neither commits, tags nor
 * publishes; it ends with instructions for that.
 */

/** Places other than manifests that contain a version, and their format. */
const stated = [
  ['packages/core/src/http/version.ts', /(?<=VERSION = ')[^']+/],
  ['sdks/node/src/version.ts', /(?<=VERSION = ')[^']+/],
  ['sdks/python/pyproject.toml', /(?<=^version = ")[^"]+/m],
  ['sdks/python/src/gateramp/_version.py', /(?<=VERSION = ")[^"]+/],
];

/**
 * The files that a release changes, as complete texts by path. Throws a PlainError if the version is invalid or not
 * newer, and if the changelog has no entries.
 *
 * @param {{ version: string, date: string, dir?: string }} wanted
 * @returns {Record<string, string>}
 */
export function plannedRelease({ version, date, dir = root }) {
  const read = (path) => readFileSync(join(dir, path), 'utf8');
  const present = JSON.parse(read('package.json')).version;
  if (!isNewer(version, present))
    throw new PlainError(`"${version}" is not a version after ${present}. Pass a version such as 1.2.3.`);
  const manifests = [
    'package.json',
    ...workspacesInOrder(dir).map((one) => relative(dir, join(one.dir, 'package.json'))),
  ];
  return {
    ...Object.fromEntries(manifests.map((path) => [path, withVersion(read(path), version)])),
    ...Object.fromEntries(
      stated
        .filter(([path]) => existsSync(join(dir, path)))
        .map(([path, place]) => [path, replaced(path, read(path), place, version)]),
    ),
    'CHANGELOG.md': withRelease(read('CHANGELOG.md'), version, date),
  };
}

const parts = (version) => /^(\d+)\.(\d+)\.(\d+)$/.exec(version)?.slice(1).map(Number) ?? null;

function isNewer(version, present) {
  const [next, now] = [parts(version), parts(present)];
  if (next === null || now === null) return false;
  const first = next.findIndex((part, index) => part !== now[index]);
  return first >= 0 && next[first] > now[first];
}

/**
 * Why this version is too small for what changed since the present one; null if it is not. Before 1.0 a minor version may break what the
 * last one promised, and a patch changes nothing of it. From 1.0 on, only a major version breaks anything.
 *
 * @param {{ present: string, version: string, changed: readonly string[], broken: readonly string[] }} wanted
 * @returns {string | null}
 */
export function sizeProblem({ present, version, changed, broken }) {
  const [now, next] = [parts(present), parts(version)];
  const size = ['major', 'minor', 'patch'][next.findIndex((part, index) => part !== now[index])];
  const forbidden = size === 'patch' ? changed : size === 'minor' && now[0] > 0 ? broken : [];
  if (forbidden.length === 0) return null;
  const needed = broken.length > 0 && now[0] > 0 ? `${now[0] + 1}.0.0` : `${now[0]}.${now[1] + 1}.0`;
  const listed = forbidden.slice(0, LISTED_MAX).map((line) => `  ${line}\n`);
  const more = forbidden.length > LISTED_MAX ? `  and ${forbidden.length - LISTED_MAX} more\n` : '';
  return `${version} is a ${size} version, but since ${present} it ${size === 'patch' ? 'changes' : 'breaks'} what releases promise:\n${listed.join('')}${more}Pass ${needed}, or undo these changes.`;
}

const LISTED_MAX = 20;

/** What differs from the records of the last release. */
function differencesNow() {
  const args = ['--conditions=@gateramp/source', '--import', 'tsx', 'tools/released.ts'];
  return JSON.parse(execFileSync(process.execPath, args, { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 26 }));
}

/** Sets the manifest's own version, and those of its sibling dependencies. */
function withVersion(text, version) {
  const manifest = JSON.parse(text);
  manifest.version = version;
  for (const field of ['dependencies', 'devDependencies', 'peerDependencies', 'optionalDependencies'])
    for (const name of Object.keys(manifest[field] ?? {}))
      if (name.startsWith('@gateramp/'))
        manifest[field][name] = manifest[field][name].replace(/\d+\.\d+\.\d+$/, version);
  return `${JSON.stringify(manifest, null, 2)}\n`;
}

function replaced(path, text, place, version) {
  if (!place.test(text)) throw new PlainError(`${path} does not contain a version where one is expected.`);
  return text.replace(place, version);
}

const unreleased = '## Unreleased\n';

function withRelease(text, version, date) {
  const at = text.indexOf(unreleased);
  const entry = text
    .slice(at + unreleased.length)
    .split(/^## /m)[0]
    .trim();
  if (at < 0 || entry === '')
    throw new PlainError('CHANGELOG.md has no entries under "Unreleased". Describe the changes there first.');
  return text.replace(unreleased, `${unreleased}\n## ${version} (${date})\n`);
}

/** The next steps, left to a person since they cannot be undone. */
const next = (version) => `
Then, in this order:
  npm run release:openapi && npm run release:ports       what this release promises
  npm run release:database                               a database that it leaves behind
  npm test && npm run consumer
  git commit -am "release: publish ${version}" && git tag v${version}
  git push origin main v${version}                       .github/workflows/release.yml tests, packs and publishes the tag

npm and PyPI must trust that workflow, with the environments npm and pypi, as a publisher of each package.
`;

async function release([version = '', ...options]) {
  const files = plannedRelease({ version, date: new Date().toISOString().slice(0, 10) });
  const present = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).version;
  // A major version may change everything.
  const isMajor = parts(version)[0] > parts(present)[0];
  const problem = isMajor ? null : sizeProblem({ present, version, ...differencesNow() });
  if (problem !== null) throw new PlainError(problem);
  const isDry = options.includes('--dry-run');
  for (const [path, text] of Object.entries(files)) {
    process.stdout.write(`${isDry ? 'would write' : 'wrote'} ${path}\n`);
    if (!isDry) writeFileSync(join(root, path), text);
  }
  if (isDry) return;
  await npm(['install', '--package-lock-only', '--no-audit', '--no-fund', '--loglevel=error'], root);
  process.stdout.write(next(version));
}

if (isMain(import.meta.url)) release(process.argv.slice(2)).catch(reportAndExit);
