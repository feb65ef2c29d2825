import { readFileSync } from 'node:fs';
import type { Environment } from '../environment.js';

const PARENT_CHECK_MS = 500;

/**
 * Aborts at the first SIGINT, SIGTERM or SIGHUP; the second ends the process as usual. Also aborts when the package manager that
 * runs this process has ended, or its shell: npm and npx signal the shell, which does not pass the signal on.
 */
export function stopSignal({ isPackageScript }: Environment): AbortSignal {
  const stop = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(name, () => stop.abort());
  if (isPackageScript) {
    const parents = scriptParents();
    setInterval(() => scriptParents() !== parents && stop.abort(), PARENT_CHECK_MS).unref();
  }
  return stop.signal;
}

/** The ids of the package manager and of the shell by which it runs a script; where there is no /proc, of the parent alone. */
function scriptParents(): string {
  try {
    const [, name = '', parent] =
      /^\d+ \((.*)\) \S (\d+)/s.exec(readFileSync(`/proc/${process.ppid}/stat`, 'utf8')) ?? [];
    if (/^\w*sh$/.test(name)) return `${process.ppid} ${parent}`;
  } catch {
    // The parent has ended, or this is not Linux.
  }
  return String(process.ppid);
}
