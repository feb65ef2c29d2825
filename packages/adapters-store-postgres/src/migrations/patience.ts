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

  /** Reports what blocks the process `pid` at intervals until the returned function is called. Uses the connection until then. */
  reportWhile(what: string, pid: number): () => Promise<void> {
    const ending = new AbortController();
    const reporting = (async () => {
      while (await rest(REPORT_EVERY_MS, true, { signal: ending.signal }).catch(() => false))
        this.report(await this.withBlocker(what, pid), { atOnce: true });
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

  private async withBlocker(what: string, pid: number): Promise<string> {
    const blocker = await this.blocker(pid);
    return blocker === null ? what : `${what}; it waits for ${blocker}`;
  }

  private async holder(): Promise<string> {
    return (await this.blocker(null)) ?? 'a transaction that has ended';
  }

  /** Describes what blocks the process `blocked` or, without one, the oldest transaction that uses the schema. Null if there is none. */
  private async blocker(blocked: number | null): Promise<string | null> {
    const { rows } = await this.client.query<HolderRow>(HOLDERS, [`"${this.schema}"`, blocked]);
    const [first, ...others] = rows;
    if (first === undefined) return null;
    const name = first.name === null ? '' : ` ("${first.name}")`;
    const more = others.length === 0 ? '' : ` (and by ${others.map(({ pid }) => pid).join(', ')})`;
    if (first.ms !== null) return `process ${first.pid} of Postgres${name}, open for ${seconds(first.ms)}${more}`;
    return (
      `process ${first.pid} of Postgres${name}${more}; to see what it is, grant pg_read_all_stats (or pg_monitor) to the role "${first.me}", ` +
      `and to end it: select pg_terminate_backend(${first.pid})`
    );
  }
}

interface HolderRow {
  readonly pid: number;
  readonly name: string | null;
  /** Null if the role may not read the activity of the other one. */
  readonly ms: number | null;
  readonly me: string;
}

/**
 * Locks and `pg_blocking_pids` are readable by every role; the activity of another role is not, apart from its process id and role. The own
 * connections of a migration are left out: they wait like this one.
 */
const HOLDERS = `
  with held as (
    select l.pid from pg_locks l join pg_class c on c.oid = l.relation
    where $2::int is null and l.granted and l.database = (select oid from pg_database where datname = current_database())
      and c.relnamespace = to_regnamespace($1)
    union
    select unnest(pg_blocking_pids($2::int)) where $2::int is not null
  )
  select h.pid, coalesce(nullif(a.application_name, ''), a.usename) as name, current_user as me,
    (extract(epoch from clock_timestamp() - a.xact_start) * 1000)::float8 as ms
  from held h left join pg_stat_activity a on a.pid = h.pid
  where h.pid is distinct from pg_backend_pid() and h.pid is distinct from $2
    and not (coalesce(a.application_name, '') ~ '^gateramp (migrate|partition)$'
      and a.application_name = current_setting('application_name') and a.usename = current_user)
  order by a.xact_start nulls last limit 5`;

/** A lock was not granted in time, or a deadlock was detected. */
const LOCKED = /^(55P03|40P01)$/;

function seconds(ms: number): string {
  return `${Math.round(ms / 1000)} s`;
}
