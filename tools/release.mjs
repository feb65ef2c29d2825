import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';

import { npm } from './lib/npm.mjs';
import { isMain, PlainError, reportAndExit } from './lib/steps.mjs';
import { root, workspacesInOrder } from './lib/workspaces.mjs';

/**
 * `npm run release -- 0.2.0` sets one version everywhere, and moves the changelog's "Unreleased" entries under it. `--dry-run` prints what
 * it would write. It neither commits, tags nor publishes; it ends with instructions for that.
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
  npm run release:openapi && npm run release:database    what this release promises, and a database that it leaves behind
  npm test && npm run consumer
  git commit -am "release: publish ${version}" && git tag v${version}
  git push origin main v${version}                       .github/workflows/release.yml tests, packs and publishes the tag

npm and PyPI must trust that workflow, with the environments npm and pypi, as a publisher of each package.
`;

async function release([version = '', ...options]) {
  const files = plannedRelease({ version, date: new Date().toISOString().slice(0, 10) });
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
