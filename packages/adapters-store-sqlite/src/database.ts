import { statSync } from 'node:fs';
import { InstallationError, Outage } from '@gateramp/core/ports';
import { openConnection, READ_WAIT_MS, type Connection } from './connection.js';
import { GroupCommit } from './group-commit.js';
import { migrate } from './migrations/migrate.js';

/** The options of a database file. */
export interface SqliteOptions {
  /** How long a write waits for another writing process before it fails as an outage; 5 s by default. */
  readonly busyTimeoutMs?: number;
  /** Called with the number of writes in each transaction, for metrics. Must not throw. */
  readonly onCommitBatch?: (writes: number) => void;
}

/** One file, opened on first use. The store, the vault and the sandbox ledger may share it. */
export interface SqliteDatabase {
  readonly path: string;
  /** For reads: each sees the committed state. Throws an `Outage` if the file cannot be opened. */
  readonly connection: () => Connection;
  /** Runs `work` in a transaction, together with other pending writes, and resolves once it is on the disk. */
  readonly write: <Result>(work: (connection: Connection) => Result) => Promise<Result>;
  /** Closes the file permanently: later calls and pending writes fail with an `Outage`. */
  readonly close: () => void;
}

/** Opens a file that several components share; it is created and migrated on first use. Call `close()` after the gate has stopped. */
export function openSqlite(path: string, options: SqliteOptions = {}): SqliteDatabase {
  let open: Connection | null = null;
  let place: string | null = null;
  let isClosed = false;
  const connection = (): Connection => {
    // Late calls must not reopen the file: another process may already use the folder.
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
      // A file that was removed or replaced can still be written to, but those writes are lost when the process ends.
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

/** Identifies the file at this path; null if there is none. */
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
