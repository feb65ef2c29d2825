import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { lockFile, openSqlite, type SqliteDatabase } from '@gateramp/adapters-store-sqlite';
import { masterKeyFault } from '@gateramp/core/runtime';
import { StartFault } from '../start-fault.js';
import { dataDirFault } from './data-dir-fault.js';
import { syncFolder, writeSynced } from './write-synced.js';

/** What lies in the folder of `GATE_DATA_DIR`. */
const FILES = { database: 'gate.db', masterKey: 'master.key', lock: 'server.lock', process: 'server.pid' } as const;

/** Only its owner reads what lies here. */
const OWNER_ONLY = { file: 0o600, folder: 0o700 } as const;

/** The file of the installation, opened at once, so that whatever is wrong with it is said before anything is served. */
export function openDataFile(
  dir: string,
  options: { readonly onCommitBatch?: (writes: number) => void } = {},
): SqliteDatabase {
  const path = join(dir, FILES.database);
  const database = openSqlite(path, options);
  try {
    makeFolder(dir);
    keepFromOthers(path);
    for (const beside of [`${path}-wal`, `${path}-shm`]) if (isThere(beside)) keepFromOthers(beside);
    database.connection();
    return database;
  } catch (error) {
    database.close();
    throw dataDirFault(error, dir);
  }
}

/** For commands: they change an installation and never begin one. */
export function openExistingDataFile(dir: string): SqliteDatabase {
  if (!inFolder(dir, () => isThere(join(dir, FILES.database))))
    throw new StartFault([`GATE_DATA_DIR: there is no installation in "${dir}"; start the server on it once.`]);
  return openDataFile(dir);
}

/**
 * The folder is one server's at a time. The operating system ends this lock with the process, however that ends;
 * `server.pid` says whom to look for. Answers what gives it back. `otherwise`: what can be done when another process
 * has it.
 */
export function lockDataDir(dir: string, otherwise = A_SERVER): () => void {
  const lock = inFolder(dir, () => {
    makeFolder(dir);
    keepFromOthers(join(dir, FILES.lock));
    return lockFile(join(dir, FILES.lock));
  });
  if (lock === null) {
    const pid = readIfThere(join(dir, FILES.process))?.trim();
    const other = `another server${pid === undefined ? '' : ` (process ${pid})`} uses "${dir}"`;
    throw new StartFault([`GATE_DATA_DIR: ${other}. ${otherwise}`]);
  }
  inFolder(dir, () => writeFileSync(join(dir, FILES.process), `${process.pid}\n`, { mode: OWNER_ONLY.file }));
  return () => {
    rmSync(join(dir, FILES.process), { force: true });
    lock.release();
  };
}

const A_SERVER = 'Stop it first, or give this one a folder of its own.';

/** The key of the folder, made with it. `openssl` makes the same: 32 bytes as base64. */
export function masterKeyOf(dir: string, { makes }: { readonly makes: boolean }): Uint8Array {
  const path = join(dir, FILES.masterKey);
  const known = inFolder(dir, () => readIfThere(path));
  if (known === null && !makes)
    throw new StartFault([`GATE_MASTER_KEY: is not set, and there is no ${FILES.masterKey} in "${dir}".`]);
  if (known !== null && makes && !isThere(join(dir, FILES.database)))
    throw new StartFault([
      `GATE_DATA_DIR: "${dir}" has a ${FILES.masterKey} and no ${FILES.database}. Put that file back, or begin anew in an empty folder.`,
    ]);
  const text = known ?? randomBytes(32).toString('base64');
  const fault = masterKeyFault(text.trim());
  if (fault !== null) throw new StartFault([`GATE_DATA_DIR: ${path} holds no master key. ${fault}`]);
  if (known === null) keepKey(dir, path, text);
  return new Uint8Array(Buffer.from(text.trim(), 'base64'));
}

/**
 * Not beside rows that another key has sealed: whoever has lost it must hear so rather than be given one that opens
 * nothing. The database has its name first, empty, so that a key without one shows that a file is gone.
 */
function keepKey(dir: string, path: string, text: string): void {
  const database = join(dir, FILES.database);
  if (isThere(database) && statSync(database).size > 0)
    throw new StartFault([
      `GATE_MASTER_KEY: "${dir}" has a database and no ${FILES.masterKey}. Put that file back, or set the key it was sealed under.`,
    ]);
  inFolder(dir, () => {
    makeFolder(dir);
    keepFromOthers(database);
    syncFolder(dir);
    // Nothing may be sealed under a key that a power cut can still take away.
    writeSynced(path, `${text}\n`, OWNER_ONLY.file);
  });
}

/** What goes wrong with the folder is a fault of the setting that names it. */
function inFolder<Result>(dir: string, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw dataDirFault(error, dir);
  }
}

/** With every name on the way to it on the disk: what is kept in a folder goes with the folder. */
function makeFolder(dir: string): void {
  const first = mkdirSync(dir, { recursive: true, mode: OWNER_ONLY.folder });
  if (first === undefined) return;
  for (let made = resolve(dir); made.length >= resolve(first).length; made = dirname(made)) syncFolder(dirname(made));
}

/**
 * Before SQLite opens it: what it makes beside a file it makes for whoever may read that file, also in a folder that is open to others. One
 * that is there is not opened here, for closing it would end this process's locks on it.
 */
function keepFromOthers(path: string): void {
  if (isThere(path)) chmodSync(path, OWNER_ONLY.file);
  else writeFileSync(path, '', { mode: OWNER_ONLY.file });
}

function readIfThere(path: string): string | null {
  return isThere(path) ? readFileSync(path, 'utf8') : null;
}

/** A folder that may not be looked into is no empty one. */
function isThere(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined;
}
