import Libsql from 'libsql';
import { InstallationError, isOutage } from '@gateramp/core/ports';
import { asOutage } from './outage.js';

/** The type of a parameter. */
export type Value = string | number | null;

/** A connection to a file. Every call is synchronous; each statement is prepared once. */
export interface Connection {
  all<Row>(text: string, ...values: readonly Value[]): readonly Row[];
  /** Returns the number of changed rows. */
  run(text: string, ...values: readonly Value[]): number;
  /** Runs plain SQL with any number of statements. */
  exec(text: string): void;
  close(): void;
}

/** Opening waits longer for a lock: another process may be creating the tables. */
const OPENING_WAIT_MS = 5_000;
/** How long a read waits, blocking the event loop, for a process that is opening the file after a crash, or closing it. */
export const READ_WAIT_MS = 20;
/** The texts of list queries depend on the filters; there are some hundreds. */
const STATEMENTS_MAX = 500;

/**
 * Opens the file, or creates it. Committed data is on the disk before it is confirmed (`synchronous = full`), and readers and
 * the writer do not block each other (WAL).
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
    // The author of a statement knows the type of its rows.
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
 * Checkpoints the write-ahead log into the file: libsql does not do so on close, and a file that is moved without its log would be empty.
 * While other processes use the file, they do it; on a full or read-only disk the log stays and remains valid.
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
