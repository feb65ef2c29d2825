import { isOutage, Outage } from '@gateramp/core/ports';
import { READ_WAIT_MS, type Connection } from './connection.js';
import { isBusy } from './outage.js';

/** The maximum number of jobs in one transaction: together they block the event loop for some milliseconds. */
const BATCH_MAX = 64;
const BUSY_RETRY_MS = 2;

interface Job {
  readonly work: () => unknown;
  /** The deadline, by the clock of this process. */
  readonly until: number;
  readonly resolve: (value: never) => void;
  readonly reject: (error: unknown) => void;
}

/** Thrown by a job to roll back its writes and still resolve with `value`. */
export class RollbackWithResult<Value> extends Error {
  constructor(readonly value: Value) {
    super('The writes of this job were rolled back.');
  }
}

type JobResult = { readonly value: unknown } | { readonly error: unknown };

/**
 * Serializes all writes. Jobs that arrive within one turn of the event loop, or while others are being synced, share one transaction and so
 * one sync; each job has its own savepoint, so a job that throws rolls back only its own writes. No job resolves before its writes are on
 * the disk. Waiting for another writing process does not block the event loop.
 */
export class GroupCommit {
  private readonly jobs: Job[] = [];
  private isScheduled = false;

  constructor(
    private readonly connection: () => Connection,
    private readonly waitMaxMs: number,
    private readonly onBatch: (jobs: number) => void,
  ) {}

  /** Runs `work` in a transaction; it must be synchronous. */
  add<Result>(work: () => Result): Promise<Result> {
    return new Promise<Result>((resolve, reject) => {
      this.jobs.push({ work, until: performance.now() + this.waitMaxMs, resolve, reject });
      this.schedule();
    });
  }

  private schedule(): void {
    if (this.isScheduled || this.jobs.length === 0) return;
    this.isScheduled = true;
    setImmediate(() => this.go());
  }

  private go(): void {
    try {
      beginAtOnce(this.connection());
    } catch (error) {
      this.putOff(error);
      return;
    }
    const batch = this.jobs.splice(0, BATCH_MAX);
    this.isScheduled = false;
    this.schedule();
    this.commit(batch);
  }

  /** While another process writes, jobs with time left keep waiting; any other error fails all jobs. */
  private putOff(error: unknown): void {
    const isOthersTurn = error instanceof Outage && isBusy(error.cause);
    const now = performance.now();
    for (const job of this.jobs.splice(0)) {
      if (isOthersTurn && now < job.until) this.jobs.push(job);
      else job.reject(error);
    }
    this.isScheduled = this.jobs.length > 0;
    if (this.isScheduled) setTimeout(() => this.go(), BUSY_RETRY_MS);
  }

  private commit(batch: readonly Job[]): void {
    const connection = this.connection();
    try {
      const results = batch.map(({ work }) => ownSavepoint(connection, work));
      connection.exec('commit');
      this.onBatch(batch.length);
      for (const [nth, { resolve, reject }] of batch.entries()) {
        const end = results[nth];
        // Each job resolves with the result of its own work.
        if (end !== undefined && 'value' in end) resolve(end.value as never);
        else reject(end?.error);
      }
    } catch (error) {
      rollBack(connection);
      for (const { reject } of batch) reject(error);
    }
  }
}

/** Begins without waiting, as that would block the event loop. */
function beginAtOnce(connection: Connection): void {
  connection.exec('pragma busy_timeout = 0');
  try {
    connection.exec('begin immediate');
  } finally {
    connection.exec(`pragma busy_timeout = ${READ_WAIT_MS}`);
  }
}

/** A job that throws is rolled back. A full or missing file fails all jobs. */
function ownSavepoint(connection: Connection, work: () => unknown): JobResult {
  connection.run('savepoint job');
  try {
    const value = work();
    connection.run('release job');
    return { value };
  } catch (error) {
    if (isOutage(error)) throw error;
    connection.run('rollback to job');
    connection.run('release job');
    return error instanceof RollbackWithResult ? { value: error.value as unknown } : { error };
  }
}

/** SQLite rolls back some failed transactions by itself. */
function rollBack(connection: Connection): void {
  try {
    connection.exec('rollback');
  } catch {
    // The transaction has already ended.
  }
}
