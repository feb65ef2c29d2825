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

/** The folder of a process whose disk can be made to forget what was not synced. */
export interface ForgetfulDisk {
  /** What the process has to be started with. */
  readonly env: Readonly<Record<string, string>>;
  /** What lay there before the calls. */
  readonly before: () => Files;
  /** All that was done to the folder since it was made, or since the last cut. */
  readonly calls: () => readonly DiskCall[];
  /** A process has ended, however, and the machine has not. */
  readonly outlive: () => void;
  /**
   * The power fails, and every process with it: what the folder holds is put back to what `fate` leaves of it. Answers
   * how many changes had not been synced.
   */
  readonly cut: (fate: Fate) => number;
}

/** What processes share in memory, and work out again when the first one comes: no disk keeps it over a power cut. */
const isShared = (name: string): boolean => name.endsWith('-shm');

/**
 * A disk in `folder`, which holds no folders; its journal lies next to it. Linux alone: it takes `LD_PRELOAD` and
 * `/proc`. `outlive` and `cut` throw when the journal and the folder disagree: then nothing is known.
 */
export async function forgetfulDisk(folder: string): Promise<ForgetfulDisk> {
  const library = await journalLibrary();
  mkdirSync(folder, { recursive: true });
  const path = realpathSync(folder);
  const journal = `${path}.journal`;
  let before = filesIn(path);
  const notes = () => readCalls(existsSync(journal) ? readFileSync(journal) : Buffer.alloc(0));
  const calls = (): readonly DiskCall[] => notes().filter(({ name }) => !isShared(name));

  /** A killed process may have noted a change in part, noted it and not made it, or made only a part of it. */
  const outlive = (): void => {
    const found = filesIn(path);
    // The next process goes on behind what is whole.
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
    // Node's own ring of file calls would pass by the library.
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

/** Makes the folder hold these files and no others. */
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

/** Where the last note ends. */
function wholeUntil(notes: readonly NotedCall[]): number {
  const last = notes.at(-1);
  return last === undefined ? 0 : last.at + noteOf(last).length;
}

function otherStory(): Error {
  return new Error('The disk journal tells another story than the folder: something changes files unnoticed.');
}
