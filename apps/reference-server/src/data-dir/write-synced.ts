import { closeSync, fsyncSync, linkSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Writes a file that is whole or not there, whenever the power fails, and is on the disk when this returns: its
 * content, its name, and that of the folder it lies in, which may be new. Throws `EEXIST` when another process was first.
 */
export function writeSynced(path: string, text: string, mode: number): void {
  const draft = `${path}.${process.pid}`;
  try {
    // Not through a link of that name, nor into what a killed process of the same id left.
    rmSync(draft, { force: true });
    writeFileSync(draft, text, { mode, flush: true, flag: 'wx' });
    linkSync(draft, path);
  } finally {
    rmSync(draft, { force: true });
  }
  syncFolder(dirname(path));
  syncFolder(dirname(dirname(path)));
}

/** The names in it. Windows opens no folder, and syncs names by itself. */
export function syncFolder(folder: string): void {
  if (process.platform === 'win32') return;
  const opened = openSync(folder, 'r');
  try {
    fsyncSync(opened);
  } finally {
    closeSync(opened);
  }
}
