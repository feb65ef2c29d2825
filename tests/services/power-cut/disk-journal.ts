import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import {
  ALL_KEPT,
  filesAfterCut,
  noteOf,
  readCalls,
  unsynced,
  type DiskCall,
  type Fate,
  type Files,
  type NotedCall,
} from './disk-image.js';
import { journalLibrary } from './journal-library.js';

/** The folder of a process, on a disk that can lose everything that was not synced. */
export interface ForgetfulDisk {
  /** Environment variables for the process. */
  readonly env: Readonly<Record<string, string>>;
  /** The files before the calls. */
  readonly before: () => Files;
  /** All calls on the folder since it was created, or since the last power failure. */
  readonly calls: () => readonly DiskCall[];
  /** Call after a process has ended in any way while the machine keeps running. */
  readonly outlive: () => void;
  /**
   * Simulates a power failure, after all processes have ended: replaces the content of the folder by what `fate` leaves. Returns the
   * number of changes that had not been synced.
   */
  readonly cut: (fate: Fate) => number;
}

/** Shared memory, which the first process computes again: it does not survive a power failure on any disk. */
const isShared = (name: string): boolean => name.endsWith('-shm');

/**
 * A disk in `folder`, which must not contain folders; its journal is next to it. Linux only: it uses `LD_PRELOAD` and `/proc`. `outlive`
 * and `cut` throw if the journal and the folder differ, since the state is then unknown.
 */
export async function forgetfulDisk(folder: string): Promise<ForgetfulDisk> {
  const library = await journalLibrary();
  mkdirSync(folder, { recursive: true });
  const path = realpathSync(folder);
  const journal = `${path}.journal`;
  let before = filesIn(path);
  const notes = () => readCalls(existsSync(journal) ? readFileSync(journal) : Buffer.alloc(0));
  const calls = (): readonly DiskCall[] => notes().filter(({ name }) => !isShared(name));

  /** A killed process may have recorded a change partially, recorded it without making it, or made it only partially. */
  const outlive = (): void => {
    const found = filesIn(path);
    // The next process appends after the last complete record.
    if (existsSync(journal)) truncateSync(journal, wholeUntil(notes()));
    const noted = calls();
    if (isSame(filesAfterCut(before, noted, ALL_KEPT), found)) return;
    const last = notes().at(-1);
    const others = noted.slice(0, -1);
    if (last === undefined || isShared(last.name)) throw otherStory();
    truncateSync(journal, last.at);
    if (isSame(filesAfterCut(before, others, ALL_KEPT), found)) return;
    const content = found.get(last.name);
    if (last.kind !== 'write' || content === undefined) throw otherStory();
    const made = { ...last, data: content.subarray(last.offset, last.offset + last.data.length) };
    if (!isSame(filesAfterCut(before, [...others, made], ALL_KEPT), found)) throw otherStory();
    writeFileSync(journal, noteOf(made), { flag: 'a' });
  };

  return {
    // Node's io_uring file calls would bypass the library.
    env: { LD_PRELOAD: library, DISK_FOLDER: path, DISK_JOURNAL: journal, UV_USE_IO_URING: '0' },
    before: () => before,
    calls,
    outlive,
    cut: (fate) => {
      outlive();
      const made = calls();
      before = filesAfterCut(before, made, fate);
      putFiles(path, before);
      rmSync(journal, { force: true });
      return unsynced(made).length;
    },
  };
}

/** Replaces the content of the folder by these files. */
export function putFiles(folder: string, files: Files): void {
  mkdirSync(folder, { recursive: true });
  for (const name of readdirSync(folder)) if (!files.has(name)) rmSync(join(folder, name));
  for (const [name, content] of files) writeFileSync(join(folder, name), content, { mode: 0o600 });
}

function filesIn(folder: string): Files {
  const names = readdirSync(folder).filter((name) => !isShared(name));
  return new Map(names.map((name) => [name, readFileSync(join(folder, name))]));
}

function isSame(one: Files, other: Files): boolean {
  return one.size === other.size && [...one].every(([name, content]) => other.get(name)?.equals(content));
}

/** The end of the last complete record. */
function wholeUntil(notes: readonly NotedCall[]): number {
  const last = notes.at(-1);
  return last === undefined ? 0 : last.at + noteOf(last).length;
}

function otherStory(): Error {
  return new Error('The disk journal does not match the folder: files were changed without being recorded.');
}
