import { existsSync, readFileSync } from 'node:fs';

/**
 * Starts to measure the share of CPU time that the host gave to other machines (steal time). The returned function reads it; null without
 * /proc.
 */
export function stolenFromNow() {
  const before = ticks();
  return () => {
    const after = ticks();
    return before === null ? null : (after.stolen - before.stolen) / (after.all - before.all);
  };
}

/** The fields are user, nice, system, idle, iowait, irq, softirq and steal; user includes guests. */
function ticks() {
  if (!existsSync('/proc/stat')) return null;
  const [line] = readFileSync('/proc/stat', 'utf8').split('\n');
  const fields = line.trim().split(/\s+/).slice(1, 9).map(Number);
  return { stolen: fields[7], all: fields.reduce((sum, field) => sum + field, 0) };
}
