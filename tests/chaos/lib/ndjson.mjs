import { closeSync, existsSync, openSync, readFileSync, writeSync } from 'node:fs';

const linesHeldMax = 64;

/** An append-only log, one JSON object a line. Lines reach the disk in order, at the latest when the process ends by itself. */
export function openNdjson(path) {
  const file = openSync(path, 'a');
  let held = [];
  const flush = () => {
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

export function readNdjson(path) {
  if (!existsSync(path)) return [];
  return readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}
