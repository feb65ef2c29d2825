import {
  chmodSync,
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, resolve } from 'node:path';
import { StartError } from '../start-error.js';
import { syncFolder } from './write-synced.js';

/** Only the owner may read or write files in the data folder. */
export const OWNER_ONLY = { file: 0o600, folder: 0o700 } as const;

const READABLE_BY_OTHERS = 0o077;
const WRITABLE_BY_OTHERS = 0o022;

/** Windows has no modes or owners that Node can read. */
const hasModes = process.platform !== 'win32';

/** Creates the folder if it does not exist, with its path synced to the disk. Refuses a folder that other users may change. */
export function makeSafeFolder(dir: string): void {
  const first = mkdirSync(dir, { recursive: true, mode: OWNER_ONLY.folder });
  if (first !== undefined)
    for (let made = resolve(dir); made.length >= resolve(first).length; made = dirname(made)) syncFolder(dirname(made));
  checkFolder(dir);
}

/** Anyone with write access to the folder can replace its files. */
function checkFolder(dir: string): void {
  if (!hasModes) return;
  const { mode, uid } = statSync(dir);
  if ((mode & WRITABLE_BY_OTHERS) !== 0)
    throw new StartError([
      `GATE_DATA_DIR: other users may write to "${dir}" (mode ${octal(mode)}). Run: chmod 700 "${dir}"`,
    ]);
  const ownUid = process.getuid?.() ?? uid;
  if (uid !== ownUid && uid !== 0)
    throw new StartError([
      `GATE_DATA_DIR: "${dir}" belongs to another user (uid ${uid}), and the server runs as uid ${ownUid}. Run: chown -R ${ownUid} "${dir}"`,
    ]);
}

/**
 * Called before SQLite opens the file: the files that it creates next to it get the same permissions. An existing file is not opened here,
 * since closing it would release this process's locks on it.
 */
export function createPrivate(path: string): void {
  if (isPlainFile(path)) chmodSync(path, OWNER_ONLY.file);
  else writeFileSync(path, '', { mode: OWNER_ONLY.file, flag: 'wx' });
}

/** Replaces the file, without following a symbolic link. */
export function replaceFile(path: string, text: string): void {
  rmSync(path, { force: true });
  writeFileSync(path, text, { mode: OWNER_ONLY.file, flag: 'wx' });
}

/** Reads a file that only its owner may read; null if it does not exist. */
export function readSecretFile(path: string): string | null {
  if (!isPlainFile(path)) return null;
  const file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const { mode } = fstatSync(file);
    if (hasModes && (mode & READABLE_BY_OTHERS) !== 0)
      throw new StartError([
        `GATE_DATA_DIR: other users may read ${path} (mode ${octal(mode)}). If one of them may have read it, change the master key. Run: chmod 600 "${path}"`,
      ]);
    return readFileSync(file, 'utf8');
  } finally {
    closeSync(file);
  }
}

/** False if there is no file. Links are refused: their target may be writable by others, or on another disk. */
export function isPlainFile(path: string): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) return false;
  if (found.isFile()) return true;
  const kind = found.isSymbolicLink() ? 'a symbolic link' : 'not a regular file';
  throw new StartError([`GATE_DATA_DIR: ${path} is ${kind}. Replace it with a regular file.`]);
}

function octal(mode: number): string {
  return (mode & 0o7777).toString(8);
}
