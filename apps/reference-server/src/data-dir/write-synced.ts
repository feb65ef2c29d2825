import { closeSync, fsyncSync, linkSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Writes a file atomically and durably: after a power failure it is complete or absent. Syncs its content, its name, and the name of its
 * folder, which may be new. Throws `EEXIST` if another process was first.
 */
export function writeSynced(path: string, text: string, mode: number): void {
  const draft = `${path}.${process.pid}`;
  try {
    // Does not follow a link with that name, and replaces what a killed process with the same id left behind.
    rmSync(draft, { force: true });
    writeFileSync(draft, text, { mode, flush: true, flag: 'wx' });
    linkSync(draft, path);
  } finally {
    rmSync(draft, { force: true });
  }
  syncFolder(dirname(path));
  syncFolder(dirname(dirname(path)));
}

/** Syncs the entries of the folder. On Windows folders cannot be opened, and names are synced automatically. */
export function syncFolder(folder: string): void {
  if (process.platform === 'win32') return;
  const opened = openSync(folder, 'r');
  try {
    fsyncSync(opened);
  } finally {
    closeSync(opened);
  }
}
