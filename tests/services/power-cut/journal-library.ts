import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { threadId } from 'node:worker_threads';
import { PlainError } from '../../../tools/lib/steps.mjs';
import { root } from '../../../tools/lib/workspaces.mjs';
import { aptInstall, mayInstall, onPath } from '../../../tools/lib/apt.mjs';

const SOURCE = fileURLToPath(new URL('disk-journal.c', import.meta.url));

/** Compiles `disk-journal.c` on first use and after every change. */
export async function journalLibrary(): Promise<string> {
  if (process.platform !== 'linux') throw new PlainError('Power cuts are tried on Linux alone: they take LD_PRELOAD.');
  const folder = join(root, 'node_modules/.cache/gateramp');
  const library = join(folder, `${basename(SOURCE, '.c')}-${Math.round(statSync(SOURCE).mtimeMs)}.so`);
  if (existsSync(library)) return library;
  mkdirSync(folder, { recursive: true });
  const made = `${library}.${process.pid}-${threadId}`;
  const words = ['-O1', '-shared', '-fPIC', '-Wall', '-Werror', '-o', made, SOURCE, '-ldl', '-lpthread'];
  const { status, stderr } = spawnSync(await compiler(), words, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`disk-journal.c does not compile: ${stderr}`);
  renameSync(made, library);
  return library;
}

/** A missing compiler is a failure, never a reason to skip. */
async function compiler(): Promise<string> {
  if (onPath('cc') === null && mayInstall()) await aptInstall('gcc');
  const found = onPath('cc') ?? onPath('gcc');
  if (found !== null) return found;
  throw new PlainError('There is no C compiler to try power cuts with. Run "sudo apt-get install -y gcc libc6-dev".');
}
