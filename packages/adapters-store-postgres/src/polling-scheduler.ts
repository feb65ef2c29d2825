import { type Scheduler, SWEEP_MS } from '@gateramp/core/ports';
import {
  Alarm,
  DueCalls,
  localScheduler,
  type LocalSchedulerOptions,
  reportToStderr,
  systemTimers,
  type Timers,
} from '@gateramp/core/runtime';
import type { Pool } from 'pg';
import { checkSchema, type Database, DEFAULT_SCHEMA, pooled } from './database.js';

/** Which schema, and how often it is looked at. */
export interface PollingSchedulerOptions extends LocalSchedulerOptions {
  /** Where `migrate` has put the tables; `gateramp` by default. */
  readonly schema?: string;
  /**
   * Gap between looks for work that other processes have left, while they leave none; 250 ms by default: four small
   * statements a second.
   */
  readonly pollMs?: number;
  /** Named prepared statements, as of the store. Off by default. */
  readonly preparedStatements?: boolean;
}

const POLL_MS = 250;

/** Gap between looks while they find something new: another process is at work, and what it leaves is begun at once. */
const BUSY_POLL_MS = 5;

/** Hints of this process that come as close as this leave little to look for: a claim takes all that is due. */
const CLOSE_HINTS_MS = 20;

/**
 * An alarm clock that needs nothing but Postgres. Hints of this process ring here at once; work of other processes is found by looking;
 * whatever both have missed is found by the sweep. `onError` hears what a look threw, too.
 */
export function pollingScheduler(pool: Pool, options: PollingSchedulerOptions = {}): Scheduler {
  const database = pooled(pool, {
    queryTimeoutMs: SWEEP_MS,
    preparedStatements: options.preparedStatements ?? false,
  });
  return scheduleOver(probe(database, checkSchema(options.schema ?? DEFAULT_SCHEMA)), options);
}

/**
 * The same alarm over any way of looking. A look that is slow holds up no hint, and there is never more than one. After
 * one that found something new, looks come quickly for as long as `pollMs`, but for a process whose own hints do.
 */
export function scheduleOver(
  look: () => Promise<Look>,
  { pollMs = POLL_MS, ...options }: PollingSchedulerOptions,
): Scheduler {
  const timers = options.timers ?? systemTimers;
  const local = localScheduler(options);
  let busyUntil = -Infinity;
  const hints = recentHints(timers, pollMs);
  const looks = new DueCalls(
    options.onError ?? reportToStderr('the scheduler could not look for work in Postgres and will retry'),
  );
  const poll = new Alarm(() => looks.ring(), { silentAtMostMs: pollMs, ...options });
  return {
    wake(given) {
      if (given.some(({ delayMs }) => delayMs <= 0)) hints.add();
      local.wake(given);
    },
    async start(onDue) {
      await local.start(onDue);
      looks.start(async () => {
        const found = await look();
        if (found !== 'nothing') local.wake([{ delayMs: 0 }]);
        if (found === 'new' && hints.count() * CLOSE_HINTS_MS < pollMs) busyUntil = timers.now() + pollMs;
        if (timers.now() < busyUntil) poll.set(BUSY_POLL_MS);
      });
      poll.start();
    },
    async close(graceMs) {
      poll.stop();
      await local.close(graceMs);
    },
  };
}

/** How many came within a period, about: each counts for less the longer ago it was. */
function recentHints(timers: Timers, periodMs: number) {
  let counted = 0;
  let countedAt = timers.now();
  const count = (): number => {
    const now = timers.now();
    counted *= Math.exp((countedAt - now) / periodMs);
    countedAt = now;
    return counted;
  };
  return { count, add: () => void (counted = count() + 1) };
}

interface ProbeRow {
  readonly newest: string;
  readonly heads: string;
}

/** `new` is what was not there at the last look. */
export type Look = 'nothing' | 'waiting' | 'new';

/**
 * Whether another process has left something to do: a first attempt that is not leased (it is due by its nature), or a
 * task, or something for a consumer, that is next and was not at the last look. It compares no instant, because the
 * modes have clocks of their own. One statement over the ends of indexes: of first attempts the newest is looked at, as
 * one that cannot be taken hides none that come after it.
 */
export function probe(database: Database, schema: string): () => Promise<Look> {
  const newest = (mode: string) =>
    `(select id from "${schema}".delivery_queue where mode = '${mode}' and lane = 'first' and lease_token is null
      order by due_at desc, id desc limit 1)`;
  const head = (mode: string) =>
    `(select free_at || id from "${schema}".tasks where mode = '${mode}' and free_at is not null order by free_at, id limit 1)`;
  // Of each consumer's lane: a head that stays where it is belongs to a consumer that this process lacks, and wakes no worker twice.
  const owed = (mode: string) =>
    `(select string_agg(q.due_at || q.id, ' ' order by c.name, c.type) from "${schema}".consumers c cross join lateral (
      select due_at, id from "${schema}".delivery_queue
      where mode = '${mode}' and lane = 'consumer:' || c.name || '/' || c.type and lease_token is null
      order by due_at, id limit 1) q)`;
  const text = `select concat_ws(' ', ${newest('test')}, ${newest('live')}) as newest,
    concat_ws(' ', ${head('test')}, ${head('live')}, ${owed('test')}, ${owed('live')}) as heads`;
  let last: ProbeRow = { newest: '', heads: '' };
  return async () => {
    const [row] = await database.query<ProbeRow>(text, []);
    if (row === undefined) return 'nothing';
    const isNew = (row.newest !== last.newest && row.newest !== '') || (row.heads !== last.heads && row.heads !== '');
    last = row;
    return isNew ? 'new' : row.newest === '' ? 'nothing' : 'waiting';
  };
}
