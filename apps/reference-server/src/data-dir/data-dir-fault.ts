import { InstallationFault } from '@gateramp/adapters-store-sqlite';
import { StartFault } from '../start-fault.js';

/** What an operator can put right, as a sentence about the folder. `uid` is whose the process is; Windows has none. */
export function dataDirFault(error: unknown, dir: string, uid = process.getuid?.()): unknown {
  if (error instanceof InstallationFault) return new StartFault([`GATE_DATA_DIR: ${error.message}`]);
  if (!(error instanceof Error) || error instanceof StartFault) return error;
  const reason = 'outage' in error && error.cause instanceof Error ? error.cause : error;
  const isOurs = 'outage' in error || 'syscall' in error;
  if (!isOurs) return error;
  const fault = `GATE_DATA_DIR: "${dir}" cannot be used: ${reason.message}`;
  return new StartFault([isForbidden(reason) ? `${fault}. ${fixHint(dir, uid)}` : fault]);
}

/** `EPERM`: a process that does not own a file cannot keep others from it, even in a folder that is open to all. */
function isForbidden(error: Error): boolean {
  return 'code' in error && (error.code === 'EACCES' || error.code === 'EPERM');
}

function fixHint(dir: string, uid: number | undefined): string {
  if (uid === undefined) return 'Start the server as the owner of that folder, or choose another folder.';
  return `The server runs as uid ${uid}: start it as the owner of the folder, change the owner (chown -R ${uid} "${dir}"), or choose another folder.`;
}
