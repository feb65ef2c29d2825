import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

import { run, step } from '../../tools/lib/steps.mjs';

/** Test files that start at the same time may need the same package; the second waits for the first. */
const lockSeconds = 120;

/** Whether this process may install packages: it is root on Debian or a derivative. */
export function mayInstall(): boolean {
  return process.getuid?.() === 0 && onPath('apt-get') !== null;
}

/** A failure is reported by the caller, in one line: the program is still missing. */
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

/** The path of `name` on the PATH; null if there is none. */
export function onPath(name: string): string | null {
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path)) ?? null;
}
