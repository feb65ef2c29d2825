import { spawnSync } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';

/** The exit code of `flock` if another process holds the lock. */
const TAKEN = 1;

/**
 * Locks the file itself, under any name, until the process ends; null if another process holds the lock. Node has no
 * `flock(2)`: the command of that name locks the inherited open file, which this process keeps open. Systems without the
 * command get no such lock. SQLite's locks are of another kind and unaffected, but closing the file releases those of this
 * process: call the returned function after the database was closed.
 */
export function lockInode(path: string): (() => void) | null {
  const file = openSync(path, 'r');
  const { status, error } = spawnSync('flock', ['-x', '-n', '3'], { stdio: ['ignore', 'ignore', 'ignore', file] });
  if (error === undefined && status === TAKEN) {
    closeSync(file);
    return null;
  }
  return () => closeSync(file);
}
