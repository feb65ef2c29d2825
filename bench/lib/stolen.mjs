import { existsSync, readFileSync } from 'node:fs';

/**
 * What share of this machine's time others on its host were given while it wanted to work, from the call on: ask the answer. Null where
 * there is no /proc.
 */
export function stolenFromNow() {
  const before = ticks();
  return () => {
    const after = ticks();
    return before === null ? null : (after.stolen - before.stolen) / (after.all - before.all);
  };
}

/** user, nice, system, idle, iowait, irq, softirq, steal; guests are counted in user. */
function ticks() {
  if (!existsSync('/proc/stat')) return null;
  const [line] = readFileSync('/proc/stat', 'utf8').split('\n');
  const fields = line.trim().split(/\s+/).slice(1, 9).map(Number);
  return { stolen: fields[7], all: fields.reduce((sum, field) => sum + field, 0) };
}
