import { statSync } from 'node:fs';
import { Outage } from '@gateramp/core/ports';
import { openConnection, READ_WAIT_MS, type Connection } from './connection.js';
import { GroupCommit } from './group-commit.js';
import { InstallationError } from './installation-error.js';
import { migrate } from './migrations/migrate.js';

/** How long a write may wait for another process. */
export interface SqliteOptions {
  /** How long a write waits while another process writes, before it is an outage; 5 s by default. */
  readonly busyTimeoutMs?: number;
  /** Hears how many writes each transaction carries, for metrics. Must not throw. */
  readonly onCommitBatch?: (writes: number) => void;
}

/** One file, opened when it is first used. The store, the vault and the sandbox's books may share it. */
export interface SqliteDatabase {
  readonly path: string;
  /** For reads: each sees what is committed. Throws an `Outage` when the file cannot be opened. */
  readonly connection: () => Connection;
  /** Runs `work` in a transaction, with others if there are any, and resolves once it is on the disk. */
  readonly write: <Result>(work: (connection: Connection) => Result) => Promise<Result>;
  /** For good: what is asked afterwards, or still waits to be written, is an `Outage`. */
  readonly close: () => void;
}

/** Opens a file that several parts share; it is made and migrated when it is first used. `close()` is for after the gate has stopped. */
export function openSqlite(path: string, options: SqliteOptions = {}): SqliteDatabase {
  let open: Connection | null = null;
  let place: string | null = null;
  let isClosed = false;
  const connection = (): Connection => {
    // What comes too late must not open it again: the folder may be another process's by now.
    if (isClosed) throw new Outage(`${path} was closed.`, null);
    if (open === null) {
      open = opened(path);
      place = placeOf(path);
    }
    return open;
  };
  const { busyTimeoutMs = 5_000, onCommitBatch = () => undefined } = options;
  const group = new GroupCommit(connection, busyTimeoutMs, onCommitBatch);
  return {
    path,
    connection,
    write: async (work) => {
      // A file that was removed or replaced can still be written to, and what is written there is gone with the process.
      if (open !== null && placeOf(path) !== place)
        throw new Outage(`${path} is no longer the file that was opened. Stop the process and restore the file.`, null);
      return group.add(() => work(connection()));
    },
    close: () => {
      isClosed = true;
      open?.close();
      open = null;
    },
  };
}

/** Which file is there; null: none. */
function placeOf(path: string): string | null {
  const file = statSync(path, { throwIfNoEntry: false });
  return file === undefined ? null : `${file.dev}:${file.ino}`;
}

function opened(path: string): Connection {
  let connection: Connection | null = null;
  try {
    connection = openConnection(path);
    migrate(connection);
    connection.exec(`pragma busy_timeout = ${READ_WAIT_MS}`);
    return connection;
  } catch (error) {
    connection?.close();
    if (error instanceof InstallationError || error instanceof Outage) throw error;
    throw new Outage(`The database file ${path} cannot be opened.`, error);
  }
}
