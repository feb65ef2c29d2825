import Libsql from 'libsql';
import { asOutage, isBusy } from './outage.js';

/** A lock that is held. */
export interface HeldLock {
  readonly release: () => void;
}

/**
 * Locks a file that nothing is kept in, or answers null when another process has it. The lock is the operating system's and ends with the
 * process, however that ends: none is ever left behind.
 */
export function lockFile(path: string): HeldLock | null {
  const file = new Libsql(path);
  try {
    file.exec('pragma busy_timeout = 0');
    file.exec('begin exclusive');
    return { release: () => void file.close() };
  } catch (error) {
    file.close();
    if (isBusy(error)) return null;
    throw asOutage(error);
  }
}
