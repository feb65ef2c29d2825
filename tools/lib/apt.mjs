import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

import { run, step } from './steps.mjs';

/** Test files that start at the same time may need the same package; the second waits for the first. */
const lockSeconds = 120;

/** What most runs need: the program, its Debian package, and the variable that names another one to use. */
const USUAL = [
  { program: 'redis-server', name: 'redis-server' },
  { program: '/usr/sbin/pgbouncer', name: 'pgbouncer' },
  { program: 'chromium-headless-shell', name: 'chromium-headless-shell', variable: 'TEST_CHROMIUM' },
  { program: 'firefox-esr', name: 'firefox-esr', variable: 'TEST_FIREFOX' },
  { program: 'promtool', name: 'prometheus' },
  { program: '/usr/lib/python3/dist-packages/httpx', name: 'python3-httpx' },
  { program: '/usr/lib/python3/dist-packages/mypy', name: 'mypy' },
];

/**
 * Installs the packages that most runs need, all at once, while other work goes on. A test that needs a missing one installs it, or says
 * that it is missing.
 */
export async function installUsual() {
  const missing = USUAL.filter(({ program, variable = '' }) => !process.env[variable] && find(program) === null);
  if (missing.length > 0 && mayInstall())
    await aptInstall(missing.map(({ name }) => name).join(' '), '--no-install-recommends');
}

const find = (program) => (program.startsWith('/') && existsSync(program) ? program : onPath(program));

/**
 * Whether this process may install packages: it is root on Debian or a derivative.
 *
 * @returns {boolean}
 */
export function mayInstall() {
  return process.getuid?.() === 0 && onPath('apt-get') !== null;
}

/**
 * Installs packages, separated by spaces. A failure is reported by the caller, in one line: the program is still missing.
 *
 * @param {string} names
 * @param {readonly string[]} options
 * @returns {Promise<void>}
 */
export async function aptInstall(names, ...options) {
  const apt = (...args) =>
    run('apt-get', ['-o', `DPkg::Lock::Timeout=${lockSeconds}`, ...args], {
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    });
  await step(`install ${names} (apt-get)`, async () => {
    const wanted = ['install', '-y', ...options, ...names.split(' ')];
    if ((await apt(...wanted)).code === 0) return;
    await apt('update');
    await apt(...wanted);
  });
}

/**
 * The path of `name` on the PATH; null if there is none.
 *
 * @param {string} name
 * @returns {string | null}
 */
export function onPath(name) {
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path)) ?? null;
}
