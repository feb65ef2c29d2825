import { readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { isPackageScript } from './config/config.js';

const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

/** Ctrl-C in a terminal reaches the whole process group, and a parent may forward it: signals within this time count as one. */
const SAME_SIGNAL_MS = 1_000;

const PARENT_CHECK_MS = 500;

/** Calls `stop` at the first signal and `force` at a later one, when the operator does not want to wait. */
export function onStopSignal(stop: () => void, force: () => void): void {
  let firstAt: number | null = null;
  const onSignal = (): void => {
    if (firstAt === null) {
      firstAt = performance.now();
      stop();
    } else if (performance.now() - firstAt > SAME_SIGNAL_MS) {
      force();
    }
  };
  for (const signal of SIGNALS) process.on(signal, onSignal);
  onLostScript(() => firstAt === null && onSignal());
}

/** Lets a signal end the process also where it is process 1 of a container, which the kernel protects from signals without a handler. */
export function endOnSignal(): void {
  for (const signal of SIGNALS)
    process.once(signal, () => {
      // By the signal itself, so that a shell sees it; as process 1, by the exit code that a shell would show.
      process.kill(process.pid, signal);
      process.exit(128 + constants.signals[signal]);
    });
  onLostScript(() => process.kill(process.pid, 'SIGTERM'));
}

/**
 * Calls `stop` when the package manager that runs this process as a script has ended, or its shell: npm signals the shell, which
 * does not pass the signal on. Other processes may outlive their parent.
 */
function onLostScript(stop: () => void): void {
  if (!isPackageScript()) return;
  const parents = scriptParents();
  const check = setInterval(() => {
    if (scriptParents() === parents) return;
    clearInterval(check);
    stop();
  }, PARENT_CHECK_MS).unref();
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
