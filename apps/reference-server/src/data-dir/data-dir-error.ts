import { InstallationError } from '@gateramp/adapters-store-sqlite';
import { StartError } from '../start-error.js';

/**
 * Converts an error into one that an operator can fix, with a sentence about the folder. `uid` is the
 * user of the process; undefined on Windows.
 */
export function dataDirError(error: unknown, dir: string, uid = process.getuid?.()): unknown {
  if (error instanceof InstallationError) return new StartError([`GATE_DATA_DIR: ${error.message}`]);
  if (!(error instanceof Error) || error instanceof StartError) return error;
  const reason = 'outage' in error && error.cause instanceof Error ? error.cause : error;
  const isKnown = 'outage' in error || 'syscall' in error;
  if (!isKnown) return error;
  const fault = `GATE_DATA_DIR: "${dir}" cannot be used: ${reason.message}`;
  return new StartError([isForbidden(reason) ? `${fault}. ${fixHint(dir, uid)}` : fault]);
}

/** `EPERM`: only the owner of a file can restrict its permissions, even in a folder that everyone may use. */
function isForbidden(error: Error): boolean {
  return 'code' in error && (error.code === 'EACCES' || error.code === 'EPERM');
}

function fixHint(dir: string, uid: number | undefined): string {
  if (uid === undefined) return 'Start the server as the owner of that folder, or choose another folder.';
  return `The server runs as uid ${uid}: start it as the owner of the folder, change the owner (chown -R ${uid} "${dir}"), or choose another folder.`;
}
