import { accessSync, constants, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A new folder, in memory if the system supports it: for files that need not survive the machine and should not wait for a disk. */
export const scratchFolder = (prefix: string): string => mkdtempSync(join(inMemory() ?? tmpdir(), prefix));

function inMemory(): string | null {
  try {
    accessSync('/dev/shm', constants.W_OK);
    return '/dev/shm';
  } catch {
    return null;
  }
}
