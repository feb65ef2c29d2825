import { accessSync, constants, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A new folder in memory, where the system has one: for files that need not outlive the machine, which then wait for no disk. */
export const scratchFolder = (prefix: string): string => mkdtempSync(join(inMemory() ?? tmpdir(), prefix));

function inMemory(): string | null {
  try {
    accessSync('/dev/shm', constants.W_OK);
    return '/dev/shm';
  } catch {
    return null;
  }
}
