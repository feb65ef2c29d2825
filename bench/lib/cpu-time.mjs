import { existsSync, readFileSync } from 'node:fs';

/** The value of USER_HZ on Linux. */
const TICKS_PER_SECOND = 100;

/** User and system time of a process and its descendants, in seconds; null without /proc. */
export function cpuSeconds(pid) {
  if (!existsSync('/proc/self/stat')) return null;
  let ticks = 0;
  for (const each of [pid, ...descendants(pid)]) ticks += ticksOf(each);
  return ticks / TICKS_PER_SECOND;
}

function descendants(pid) {
  const children = childrenOf(pid);
  return [...children, ...children.flatMap(descendants)];
}

function childrenOf(pid) {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number);
  } catch {
    return [];
  }
}

/** The ticks of a process and its terminated children. Its name can contain any character, so fields are counted after its last bracket. */
function ticksOf(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
  } catch {
    return 0;
  }
}
