import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { PlainError, run, step } from './lib/steps.mjs';
import { root } from './lib/workspaces.mjs';

/** The requirement of a clone's tools; the packages themselves run on older versions, according to their `engines`. */
const nodeMin = { major: 20, minor: 19 };

/**
 * Prepares a fresh clone: checks the Node version, installs the locked dependencies, and builds stale
 * packages. Silent if there is nothing to do.
 */
export async function setup() {
  requireNode(process.versions.node);
  await installIfStale();
  const { build } = await import('./build.mjs');
  await build();
}

export function requireNode(version) {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major > nodeMin.major || (major === nodeMin.major && minor >= nodeMin.minor)) return;
  const least = `${nodeMin.major}.${nodeMin.minor}`;
  throw new PlainError(
    `A clone of Gateramp needs Node ${least} or newer; this is Node ${version}. Install a newer one from https://nodejs.org and try again.`,
  );
}

async function installIfStale() {
  if (installIsFresh(root)) return;
  await step('install dependencies (npm ci)', async () => {
    const { code, output } = await npm(['ci', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error']);
    if (code !== 0)
      throw new PlainError(`npm ci failed (exit code ${code}). Is the npm registry reachable?\n\n${output}`);
  });
  writeStamp(root);
}

/**
 * Fresh means that node_modules matches package-lock.json. A stamp with the lock's hash decides at once; a manual install has none, so the
 * versions that npm recorded in node_modules/.package-lock.json are compared.
 */
export function installIsFresh(dir) {
  if (!existsSync(join(dir, 'node_modules/.package-lock.json'))) return false;
  const stamp = join(dir, 'node_modules/.gateramp-lock');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === lockHash(dir)) return true;
  if (!installedAsLocked(dir)) return false;
  writeStamp(dir);
  return true;
}

function installedAsLocked(dir) {
  const locked = JSON.parse(readFileSync(join(dir, 'package-lock.json'), 'utf8')).packages;
  const installed = JSON.parse(readFileSync(join(dir, 'node_modules/.package-lock.json'), 'utf8')).packages;
  return Object.entries(locked)
    .filter(([path, entry]) => /(^|\/)node_modules\//.test(path) && !entry.optional)
    .every(
      ([path, entry]) => installed[path] && installed[path].version === entry.version && existsSync(join(dir, path)),
    );
}

const lockHash = (dir) =>
  createHash('sha256')
    .update(readFileSync(join(dir, 'package-lock.json')))
    .digest('hex');

const writeStamp = (dir) => writeFileSync(join(dir, 'node_modules/.gateramp-lock'), lockHash(dir));

function npm(args) {
  const script = process.env.npm_execpath;
  // Under `npm start` this is the npm that was called; otherwise the one on the PATH.
  if (script?.endsWith('npm-cli.js')) return run(process.execPath, [script, ...args], { cwd: root });
  return run('npm', args, { cwd: root, shell: process.platform === 'win32' });
}
