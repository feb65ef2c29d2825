import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

const everyMs = 50;
/** Asking another program costs more than reading a file. */
const everyMsElsewhere = 500;
const megabyte = 2 ** 20;

export interface MemoryWatch {
  readonly samples: readonly { readonly at: number; readonly megabytes: number }[];
  readonly stop: () => void;
}

/** Notes what a process holds of the machine's memory, in megabytes, until `stop`. A process without an id just now is left out. */
export function memoryWatch(pidOf: () => number | null): MemoryWatch {
  const isLinux = existsSync('/proc/self/status');
  const read = isLinux ? fromProc : fromPs;
  const samples: { at: number; megabytes: number }[] = [];
  const timer = setInterval(
    () => {
      const pid = pidOf();
      if (pid === null) return;
      const at = Date.now();
      read(pid, (kilobytes) => samples.push({ at, megabytes: (kilobytes * 1024) / megabyte }));
    },
    isLinux ? everyMs : everyMsElsewhere,
  );
  return { samples, stop: () => clearInterval(timer) };
}

function fromProc(pid: number, found: (kilobytes: number) => void): void {
  try {
    const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    if (kilobytes !== undefined) found(Number(kilobytes));
  } catch {
    // It has just ended.
  }
}

function fromPs(pid: number, found: (kilobytes: number) => void): void {
  execFile('ps', ['-o', 'rss=', '-p', String(pid)], (error, text) => error === null && found(Number(text)));
}
