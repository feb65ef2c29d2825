import { existsSync, readFileSync } from 'node:fs';

/** Empty where there is no /proc; there, children end by themselves once they notice. */
export function childrenOf(pid: number): number[] {
  const list = `/proc/${pid}/task/${pid}/children`;
  return existsSync(list) ? readFileSync(list, 'utf8').trim().split(' ').filter(Boolean).map(Number) : [];
}

/** Sends a signal, or with 0 only looks. False if there is no such process. */
export function signal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    process.kill(pid, name);
    return true;
  } catch {
    return false;
  }
}
