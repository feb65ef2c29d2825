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

/** Only its owner may read or write what is in the data folder. */
export const OWNER_ONLY = { file: 0o600, folder: 0o700 } as const;

const READABLE_BY_OTHERS = 0o077;
const WRITABLE_BY_OTHERS = 0o022;

/** Windows has neither modes nor owners that Node can see. */
const hasModes = process.platform !== 'win32';

/** Makes the folder if it is not there, with every name on the way to it on the disk. Refuses one that another user may change. */
export function makeSafeFolder(dir: string): void {
  const first = mkdirSync(dir, { recursive: true, mode: OWNER_ONLY.folder });
  if (first !== undefined)
    for (let made = resolve(dir); made.length >= resolve(first).length; made = dirname(made)) syncFolder(dirname(made));
  checkFolder(dir);
}

/** Anyone who may write to the folder can replace our files. */
function checkFolder(dir: string): void {
  if (!hasModes) return;
  const { mode, uid } = statSync(dir);
  if ((mode & WRITABLE_BY_OTHERS) !== 0)
    throw new StartError([
      `GATE_DATA_DIR: other users may write to "${dir}" (mode ${octal(mode)}). Run: chmod 700 "${dir}"`,
    ]);
  const ours = process.getuid?.() ?? uid;
  if (uid !== ours && uid !== 0)
    throw new StartError([
      `GATE_DATA_DIR: "${dir}" belongs to another user (uid ${uid}), and the server runs as uid ${ours}. Run: chown -R ${ours} "${dir}"`,
    ]);
}

/**
 * Before SQLite opens it: the files it creates next to a file have the permissions of that file. An existing file is not opened here, for
 * closing it would end this process's locks on it.
 */
export function createPrivate(path: string): void {
  if (isPlainFile(path)) chmodSync(path, OWNER_ONLY.file);
  else writeFileSync(path, '', { mode: OWNER_ONLY.file, flag: 'wx' });
}

/** Replaces the file, and follows no link that has its name. */
export function replaceFile(path: string, text: string): void {
  rmSync(path, { force: true });
  writeFileSync(path, text, { mode: OWNER_ONLY.file, flag: 'wx' });
}

/** A file that only its owner may read, or null if it does not exist. */
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

/** False when there is nothing. A link is refused: what it names may be changed by others, or lie on another disk. */
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
