import { spawnSync } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';

/** What `flock` answers when another process has the lock. */
const TAKEN = 1;

/**
 * Locks the file itself, whatever name leads to it, until the process ends; null when another process has it. Node has no `flock(2)`: the
 * command of that name locks the open file that it inherits, which stays open here. A system without the command gets no such lock.
 * SQLite's own locks are of another kind and not affected, but closing the file ends those of this process: call what is returned after
 * the database was closed.
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
