import Libsql from 'libsql';
import { asOutage, isBusy } from './outage.js';

/** A lock that is held. */
export interface HeldLock {
  readonly release: () => void;
}

/**
 * Locks a file without content, or returns null if another process holds the lock. The operating system releases the lock when the process
 * ends in any way, so it never becomes stale.
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
