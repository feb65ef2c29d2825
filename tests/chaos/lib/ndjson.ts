import { closeSync, existsSync, openSync, readFileSync, writeSync } from 'node:fs';

const linesHeldMax = 64;

export interface Log {
  readonly write: (entry: object) => void;
  readonly flush: () => void;
  readonly close: () => void;
}

/** An append-only log with one JSON object per line. Lines reach the disk in order, at the latest when the process exits normally. */
export function openNdjson(path: string): Log {
  const file = openSync(path, 'a');
  let held: string[] = [];
  const flush = (): void => {
    if (held.length === 0) return;
    writeSync(file, held.join(''));
    held = [];
  };
  process.once('exit', flush);
  return {
    write(entry) {
      held.push(`${JSON.stringify(entry)}\n`);
      if (held.length >= linesHeldMax) flush();
    },
    flush,
    close() {
      flush();
      process.off('exit', flush);
      closeSync(file);
    },
  };
}

/** `Entry` is the type of each line. */
export function readNdjson<Entry>(path: string): Entry[] {
  if (!existsSync(path)) return [];
  return readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Entry);
}
