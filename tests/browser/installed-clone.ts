import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';

import { readPackage, root, workspaceFolders } from '../../tools/lib/workspaces.mjs';

const CLEAN_UP_MAX_MS = 120_000;
const NOT_LOOKED_AT = /^(tests|bench|docs)\/|\/test\//;

/**
 * Creates a copy of this repository as after `git clone` and `npm ci`, with nothing built. Third-party packages are linked instead of
 * copied; our own packages are those of the copy. Tests and documents are left out, since `npm start` does not use them.
 */
export function installedClone(): string {
  const clone = mkdtempSync(join(tmpdir(), 'gateramp-clone-'));
  onTestFinished(() => rmSync(clone, { recursive: true, force: true }), CLEAN_UP_MAX_MS);
  for (const file of trackedFiles()) {
    mkdirSync(dirname(join(clone, file)), { recursive: true });
    copyFileSync(join(root, file), join(clone, file));
  }
  linkInstalled(clone);
  return clone;
}

function trackedFiles(): readonly string[] {
  const list = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
  const files = execFileSync('git', list, { cwd: root, encoding: 'utf8' }).split('\0').filter(Boolean);
  // A file whose deletion is not committed is still listed.
  return files.filter((file) => !NOT_LOOKED_AT.test(file) && existsSync(join(root, file)));
}

function linkInstalled(clone: string): void {
  for (const folder of ['.', ...workspaces()]) {
    const from = join(root, folder, 'node_modules');
    if (!existsSync(from)) continue;
    const to = join(clone, folder, 'node_modules');
    mkdirSync(to, { recursive: true });
    for (const name of readdirSync(from))
      if (name !== '@gateramp' && name !== '.cache') symlinkSync(join(from, name), join(to, name));
  }
  const own = join(clone, 'node_modules/@gateramp');
  mkdirSync(own);
  for (const folder of workspaces()) {
    const { name } = readPackage(join(clone, folder)).manifest as { readonly name: string };
    if (name.startsWith('@gateramp/')) symlinkSync(join(clone, folder), join(own, name.replace('@gateramp/', '')));
  }
}

function workspaces(): readonly string[] {
  return workspaceFolders
    .filter((folder) => existsSync(join(root, folder)))
    .flatMap((folder) => readdirSync(join(root, folder)).map((name) => `${folder}/${name}`))
    .filter((folder) => existsSync(join(root, folder, 'package.json')));
}
