import { systemTimers, unref, type Timers } from '../scheduling/timers.js';

const WINDOW_MS = 10_000;
/** So that one kind of trouble leaves room for another. */
const LINES_OF_A_KIND_MAX = 5;
const LINES_MAX = 25;

/**
 * Lines that a storm does not flood: ten seconds begin with the first line, take so many of a kind and so many in all, and end with the
 * number of those that were left out.
 */
export function boundedLines(
  write: (line: string) => void,
  timers: Timers = systemTimers,
): (kind: string, line: string) => void {
  let isOpen = false;
  let written = 0;
  let leftOut = 0;
  const ofKind = new Map<string, number>();

  function close(): void {
    if (leftOut > 0) write(`gateramp: ${leftOut} log lines were dropped in the last ${WINDOW_MS / 1_000} s`);
    isOpen = false;
    written = 0;
    leftOut = 0;
    ofKind.clear();
  }

  return (kind, line) => {
    if (!isOpen) {
      isOpen = true;
      unref(timers.setTimeout(close, WINDOW_MS));
    }
    const before = ofKind.get(kind) ?? 0;
    if (before >= LINES_OF_A_KIND_MAX || written >= LINES_MAX) {
      leftOut += 1;
      return;
    }
    ofKind.set(kind, before + 1);
    written += 1;
    write(line);
  };
}
