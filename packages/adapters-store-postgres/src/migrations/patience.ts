import { setTimeout as rest } from 'node:timers/promises';
import type { PoolClient } from 'pg';
import { codeOf, InstallationError } from '../errors.js';

/** The time that a statement waits for a lock. Other statements that need the table wait as long. */
export const LOCK_WAIT_MS = 250;

const FIRST_PAUSE_MS = 500;
const PAUSE_MAX_MS = 5_000;
const TURN_PAUSE_MS = 100;
const GIVE_UP_AFTER_MS = 10 * 60_000;
const REPORT_EVERY_MS = 5_000;

/** Limits of a migration that has to wait for others. */
export interface WaitOptions {
  /** Called with a line of text whenever the migration has to wait. Must not throw. */
  readonly onProgress?: (line: string) => void;
  /** The time that one migration tries to get its locks before `migrate` gives up; 10 minutes by default. */
  readonly giveUpAfterMs?: number;
}

/** Repeats a migration whose tables are locked, with increasing pauses, and reports progress. */
export class Patience {
  private readonly startedAt = performance.now();
  private readonly giveUpAfterMs: number;
  private readonly onProgress: (line: string) => void;
  private pauseMs = FIRST_PAUSE_MS;
  private reportedAt = performance.now();

  constructor(
    private readonly client: PoolClient,
    private readonly schema: string,
    options: WaitOptions,
  ) {
    this.giveUpAfterMs = options.giveUpAfterMs ?? GIVE_UP_AFTER_MS;
    this.onProgress = options.onProgress ?? (() => undefined);
  }

  /** Another process is migrating the schema: ends the transaction and waits. */
  async giveTurn(): Promise<void> {
    await this.client.query('rollback');
    const holder = 'another process, which migrates it';
    this.giveUpIfLate(holder, null);
    this.report(`Waiting for ${holder}`);
    await rest(TURN_PAUSE_MS);
  }

  /** Ends the failed transaction and, if a lock was not available, waits before the next try. Throws any other error. */
  async giveWay(error: unknown): Promise<void> {
    if (!LOCKED.test(codeOf(error) ?? '')) throw error;
    await this.client.query('rollback');
    const holder = await this.holder();
    this.giveUpIfLate(holder, error);
    this.report(`The migration waits for a lock held by ${holder}`, { atOnce: this.pauseMs === FIRST_PAUSE_MS });
    await rest(this.pauseMs);
    this.pauseMs = Math.min(2 * this.pauseMs, PAUSE_MAX_MS);
  }

  private giveUpIfLate(holder: string, cause: unknown): void {
    const waitedMs = performance.now() - this.startedAt;
    if (waitedMs <= this.giveUpAfterMs) return;
    throw new InstallationError(
      `The schema "${this.schema}" could not be migrated: its tables were locked for ${seconds(waitedMs)}, most recently by ${holder}. ` +
        'Completed migrations are kept. End that transaction or wait for it, then run the migration again.',
      { cause },
    );
  }

  /** Reports at intervals until the returned function is called. Uses the connection until then. */
  reportWhile(what: string): () => Promise<void> {
    const ending = new AbortController();
    const reporting = (async () => {
      while (await rest(REPORT_EVERY_MS, true, { signal: ending.signal }).catch(() => false))
        this.report(`${what}; the oldest transaction is ${await this.holder()}`, { atOnce: true });
    })();
    return () => {
      ending.abort();
      return reporting;
    };
  }

  private report(line: string, { atOnce = false } = {}): void {
    const now = performance.now();
    if (!atOnce && now - this.reportedAt < REPORT_EVERY_MS) return;
    this.reportedAt = now;
    this.onProgress(`${line} (${seconds(now - this.startedAt)} so far).`);
  }

  /** Describes the oldest transaction that uses a table of the schema. */
  private async holder(): Promise<string> {
    const { rows } = await this.client.query<{ pid: number; name: string; ms: number }>(
      `select a.pid, coalesce(nullif(a.application_name, ''), a.usename) as name,
         (extract(epoch from clock_timestamp() - a.xact_start) * 1000)::float8 as ms
       from pg_stat_activity a where a.pid <> pg_backend_pid() and a.xact_start is not null and exists (
         select from pg_locks l join pg_class c on c.oid = l.relation
         where l.pid = a.pid and l.granted and l.database = (select oid from pg_database where datname = current_database())
           and c.relnamespace = to_regnamespace($1))
       order by a.xact_start limit 1`,
      [`"${this.schema}"`],
    );
    const [row] = rows;
    return row === undefined
      ? 'a transaction that has ended'
      : `process ${row.pid} of Postgres ("${row.name}"), open for ${seconds(row.ms)}`;
  }
}

/** A lock was not granted in time, or a deadlock was detected. */
const LOCKED = /^(55P03|40P01)$/;

function seconds(ms: number): string {
  return `${Math.round(ms / 1000)} s`;
}
