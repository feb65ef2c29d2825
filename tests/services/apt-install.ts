import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

import { run, step } from '../../tools/lib/steps.mjs';

/** Two test files that begin at once both ask for the package; the second waits for the first. */
const lockSeconds = 120;

/** Whether this process may install packages by itself: it is root on Debian or its like. */
export function mayInstall(): boolean {
  return process.getuid?.() === 0 && onPath('apt-get') !== null;
}

/** Failing is reported by the caller, in one line: what it needs is still missing. */
export async function aptInstall(name: string, ...options: readonly string[]): Promise<void> {
  const apt = (...args: string[]) =>
    run('apt-get', ['-o', `DPkg::Lock::Timeout=${lockSeconds}`, ...args], {
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    });
  await step(`install ${name} (apt-get)`, async () => {
    const wanted = ['install', '-y', ...options, name];
    if ((await apt(...wanted)).code === 0) return;
    await apt('update');
    await apt(...wanted);
  });
}

/** Where the shell would find `name`; null if nowhere. */
export function onPath(name: string): string | null {
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path)) ?? null;
}
