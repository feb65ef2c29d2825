import { isOutage, Outage } from '@gateramp/core/ports';
import type { Connection } from './connection.js';
import { isBusy } from './outage.js';

/** Jobs in one transaction at most: together they hold up the event loop for some milliseconds. */
const BATCH_MAX = 64;
const BUSY_RETRY_MS = 2;

interface Job {
  readonly work: () => unknown;
  /** When it is given up, by the clock of this process. */
  readonly until: number;
  readonly resolve: (value: never) => void;
  readonly reject: (error: unknown) => void;
}

/** Thrown by a job: whatever it has written is taken back, and `value` is its answer all the same. */
export class TakenBack<Value> extends Error {
  constructor(readonly value: Value) {
    super('What a job has written is taken back.');
  }
}

type Ended = { readonly value: unknown } | { readonly error: unknown };

/**
 * Everything that writes. What arrives within one turn of the event loop, or while others are being synced, is one transaction and so one
 * sync; each job stands in a savepoint of its own, so one that throws undoes itself and none of its neighbours. Nothing is answered before
 * it is on the disk. While another process writes it is waited for, off the event loop.
 */
export class GroupCommit {
  private readonly jobs: Job[] = [];
  private isScheduled = false;

  constructor(
    private readonly connection: () => Connection,
    private readonly waitMaxMs: number,
    private readonly onBatch: (jobs: number) => void,
  ) {}

  /** Runs `work` in a transaction; it must not wait for anything. */
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
    const batch = this.jobs.slice(0, BATCH_MAX);
    const begun = this.begin(batch);
    if (begun === 'busy') {
      setTimeout(() => this.go(), BUSY_RETRY_MS);
      return;
    }
    this.jobs.splice(0, batch.length);
    this.isScheduled = false;
    this.schedule();
    if (begun === 'begun') this.commit(batch);
  }

  /** Begins the transaction of a batch. `failed`: all have been told why. */
  private begin(batch: readonly Job[]): 'begun' | 'busy' | 'failed' {
    try {
      this.connection().exec('begin immediate');
      return 'begun';
    } catch (error) {
      const cause = error instanceof Outage ? error.cause : null;
      if (isBusy(cause) && batch.some(({ until }) => performance.now() < until)) return 'busy';
      for (const { reject } of batch) reject(error);
      return 'failed';
    }
  }

  private commit(batch: readonly Job[]): void {
    const connection = this.connection();
    try {
      const ended = batch.map(({ work }) => ownSavepoint(connection, work));
      connection.exec('commit');
      this.onBatch(batch.length);
      for (const [nth, { resolve, reject }] of batch.entries()) {
        const end = ended[nth];
        // Each job resolves with what its own work gave.
        if (end !== undefined && 'value' in end) resolve(end.value as never);
        else reject(end?.error);
      }
    } catch (error) {
      rollBack(connection);
      for (const { reject } of batch) reject(error);
    }
  }
}

/** A job that throws takes back what it wrote. A file that is full or away is everybody's trouble. */
function ownSavepoint(connection: Connection, work: () => unknown): Ended {
  connection.run('savepoint job');
  try {
    const value = work();
    connection.run('release job');
    return { value };
  } catch (error) {
    if (isOutage(error)) throw error;
    connection.run('rollback to job');
    connection.run('release job');
    return error instanceof TakenBack ? { value: error.value as unknown } : { error };
  }
}

/** SQLite has ended some failed transactions by itself. */
function rollBack(connection: Connection): void {
  try {
    connection.exec('rollback');
  } catch {
    // There is none any more.
  }
}
