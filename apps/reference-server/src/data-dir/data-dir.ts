import { randomBytes } from 'node:crypto';
import { readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { lockFile, openSqlite, type SqliteDatabase } from '@gateramp/adapters-store-sqlite';
import { masterKeyProblem } from '@gateramp/core/runtime';
import { StartError } from '../start-error.js';
import { dataDirError } from './data-dir-error.js';
import { lockInode } from './inode-lock.js';
import { isPlainFile, createPrivate, makeSafeFolder, OWNER_ONLY, readSecretFile, replaceFile } from './safe-files.js';
import { writeSynced } from './write-synced.js';

/** The files in the folder of `GATE_DATA_DIR`. */
const FILES = { database: 'gate.db', masterKey: 'master.key', lock: 'server.lock', process: 'server.pid' } as const;

/** Opens the database file at once, so that any problem is reported before requests are served. */
export function openDataFile(
  dir: string,
  options: { readonly onCommitBatch?: (writes: number) => void } = {},
): SqliteDatabase {
  const path = join(dir, FILES.database);
  const database = openSqlite(path, options);
  try {
    makeSafeFolder(dir);
    refuseEmptyDatabase(dir);
    createPrivate(path);
    for (const beside of [`${path}-wal`, `${path}-shm`]) if (isPlainFile(beside)) createPrivate(beside);
    database.connection();
    return database;
  } catch (error) {
    database.close();
    throw dataDirError(error, dir);
  }
}

/** For commands, which change an installation but never create one. */
export function openExistingDataFile(dir: string): SqliteDatabase {
  if (!inFolder(dir, () => isPlainFile(join(dir, FILES.database))))
    throw new StartError([`GATE_DATA_DIR: there is no installation in "${dir}"; start the server on it once.`]);
  return openDataFile(dir);
}

/**
 * Locks the folder for one server at a time. The operating system releases the locks when the process ends in any way;
 * `server.pid` identifies the process. `gate.db` itself is locked as well if the system supports it, since `server.lock` may
 * be deleted. Returns a function that unlocks the folder, to be called after the database was closed. `otherwise` is the
 * advice if another process holds the lock.
 */
export function lockDataDir(dir: string, otherwise = A_SERVER): () => void {
  return inFolder(dir, () => {
    const [database, lock] = [join(dir, FILES.database), join(dir, FILES.lock)];
    makeSafeFolder(dir);
    refuseEmptyDatabase(dir);
    createPrivate(lock);
    const held = lockFile(lock);
    if (held === null) throw lockedError(dir, otherwise);
    createPrivate(database);
    const unlockDatabase = lockInode(database);
    if (unlockDatabase === null) {
      held.release();
      throw lockedError(dir, otherwise);
    }
    replaceFile(join(dir, FILES.process), `${process.pid}\n`);
    return () => {
      rmSync(join(dir, FILES.process), { force: true });
      unlockDatabase();
      held.release();
    };
  });
}

function lockedError(dir: string, otherwise: string): StartError {
  const path = join(dir, FILES.process);
  const pid = isPlainFile(path) ? readFileSync(path, 'utf8').trim() : null;
  const other = `another server${pid === null ? '' : ` (process ${pid})`} uses "${dir}"`;
  return new StartError([`GATE_DATA_DIR: ${other}. ${otherwise}`]);
}

const A_SERVER = 'Stop it first, or use another folder for this one.';

/**
 * The master key of the folder. `makes` creates one if nothing has been sealed yet, for a database that was opened. The format
 * is that of `openssl`: 32 bytes as base64.
 */
export function masterKeyOf(
  dir: string,
  options: { readonly makes: false } | { readonly makes: true; readonly isSealed: boolean },
): Uint8Array {
  const path = join(dir, FILES.masterKey);
  const known = inFolder(dir, () => readSecretFile(path));
  if (known === null && !options.makes)
    throw new StartError([`GATE_MASTER_KEY: is not set, and there is no ${FILES.masterKey} in "${dir}".`]);
  if (known === null && options.makes && options.isSealed)
    throw new StartError([
      `GATE_MASTER_KEY: "${dir}" has a database and no ${FILES.masterKey}. Restore that file, or set GATE_MASTER_KEY to the key the data was encrypted with.`,
    ]);
  const text = known ?? randomBytes(32).toString('base64');
  const fault = masterKeyProblem(text.trim());
  if (fault !== null) throw new StartError([`GATE_DATA_DIR: ${path} does not contain a valid master key. ${fault}`]);
  // A key must be on the disk before anything is sealed with it, or a power failure could lose it.
  if (known === null) inFolder(dir, () => writeSynced(path, `${text}\n`, OWNER_ONLY.file));
  return new Uint8Array(Buffer.from(text.trim(), 'base64'));
}

/**
 * The key is created after the tables, so a key next to an empty database shows that data was lost. A server that started with an empty
 * database would continue as if nothing had ever been sold.
 */
function refuseEmptyDatabase(dir: string): void {
  const [database, key] = [join(dir, FILES.database), join(dir, FILES.masterKey)];
  if (!isPlainFile(key) || (isPlainFile(database) && statSync(database).size > 0)) return;
  const what = isPlainFile(database) ? `an empty ${FILES.database}` : `no ${FILES.database}`;
  throw new StartError([
    `GATE_DATA_DIR: "${dir}" has a ${FILES.masterKey} and ${what}. Restore ${FILES.database} from a backup, or start in an empty folder.`,
  ]);
}

/** Reports problems of the folder as errors of its setting. */
function inFolder<Result>(dir: string, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw dataDirError(error, dir);
  }
}
