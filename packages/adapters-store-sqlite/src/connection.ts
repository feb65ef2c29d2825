import Libsql from 'libsql';
import { isOutage } from '@gateramp/core/ports';
import { InstallationError } from './installation-error.js';
import { asOutage } from './outage.js';

/** What a parameter may be. */
export type Value = string | number | null;

/** One connection to a file. Each call is over when it returns; a statement is prepared once. */
export interface Connection {
  all<Row>(text: string, ...values: readonly Value[]): readonly Row[];
  /** How many rows it changed. */
  run(text: string, ...values: readonly Value[]): number;
  /** Plain SQL, of any number of statements. */
  exec(text: string): void;
  close(): void;
}

/** While it is opened a file may be locked for longer: another process makes its tables. */
const OPENING_WAIT_MS = 5_000;
/** How long a read waits, the event loop with it: for a process that is just opening the file after a crash, or closing it. */
export const READ_WAIT_MS = 20;
/** The texts of lists depend on what is asked; there are some hundreds. */
const STATEMENTS_MAX = 500;

/**
 * Opens the file, which is made if it is not there. What was committed is on the disk before it is answered
 * (`synchronous = full`), and readers and the writer do not wait for each other (WAL).
 */
export function openConnection(path: string): Connection {
  const database = new Libsql(path);
  const statements = new Map<string, Libsql.Statement>();

  const prepared = (text: string): Libsql.Statement => {
    const known = statements.get(text);
    if (known !== undefined) return known;
    if (statements.size >= STATEMENTS_MAX) statements.clear();
    const statement = database.prepare(text);
    statements.set(text, statement);
    return statement;
  };

  const connection: Connection = {
    // The author of a statement knows what it returns.
    all: <Row>(text: string, ...values: readonly Value[]) => guarded(() => prepared(text).all(...values) as Row[]),
    run: (text, ...values) => guarded(() => prepared(text).run(...values).changes),
    exec: (text) => guarded(() => void database.exec(text)),
    close: () => {
      emptyLog(database);
      database.close();
    },
  };
  try {
    connection.exec(`pragma busy_timeout = ${OPENING_WAIT_MS}`);
    const [mode] = connection.all<{ journal_mode: string }>('pragma journal_mode = wal');
    if (mode?.journal_mode !== 'wal') throw new InstallationError(`"${path}" must be a file on a local disk.`);
    connection.exec('pragma synchronous = full');
    return connection;
  } catch (error) {
    database.close();
    throw error;
  }
}

/**
 * Moves what is in the write-ahead log into the file itself: libsql leaves that undone when it closes, and a file that
 * was moved without its log would be empty. While others use the file it is theirs to do; on a disk that takes nothing
 * the log stays, and counts, as it is.
 */
function emptyLog(database: Libsql.Database): void {
  try {
    database.exec('pragma wal_checkpoint(truncate)');
  } catch (error) {
    if (!isOutage(asOutage(error))) throw error;
  }
}

function guarded<Result>(work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw asOutage(error);
  }
}
