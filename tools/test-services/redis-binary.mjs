import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

import { PlainError, run, step } from '../lib/steps.mjs';

/** Two test files that begin at once both ask for the package; the second waits for the first. */
const lockSeconds = 120;

/** The machine's `redis-server`. Root on Debian gets it installed; anybody else is told what to type. Missing is a failure, never a skip. */
export async function redisBinary() {
  const found = onPath('redis-server');
  if (found !== null) return found;
  if (process.getuid?.() === 0 && onPath('apt-get') !== null) await install();
  const installed = onPath('redis-server');
  if (installed !== null) return installed;
  throw new PlainError(`There is no redis-server to test with. Run "${lineToType()}", or set TEST_REDIS_URL to an empty Redis of your own.`);
}

/** Failing is told by the caller, in one line: the binary is still missing. */
async function install() {
  const apt = (...args) => run('apt-get', ['-o', `DPkg::Lock::Timeout=${lockSeconds}`, ...args], { env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } });
  await step('install redis-server (apt-get)', async () => {
    const wanted = ['install', '-y', '--no-install-recommends', 'redis-server'];
    if ((await apt(...wanted)).code === 0) return;
    await apt('update');
    await apt(...wanted);
  });
}

function onPath(name) {
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path)) ?? null;
}

function lineToType() {
  if (process.platform === 'darwin') return 'brew install redis';
  return onPath('apt-get') !== null ? 'sudo apt-get install -y redis-server' : 'sudo dnf install -y redis';
}
