import { MODES } from '@gateramp/core/domain';
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
import type { Distribution } from './distribution/distribution.js';
import { LanePositions } from './work/lane-positions.js';
import { type Found, type Look, lookFor } from './work/look.js';

/** The schema and the polling interval. */
export interface PollingSchedulerOptions extends LocalSchedulerOptions {
  /** The schema that `migrate` has created; `gateramp` by default. */
  readonly schema?: string;
  /** The time between polls for work of other processes while there is none; 250 ms by default: four small statements a second. */
  readonly pollMs?: number;
  /** As in `postgresStore`: the tables are distributed by partner. */
  readonly distribution?: Distribution | null;
  /** Uses named prepared statements, like the option of the store. Off by default. */
  readonly preparedStatements?: boolean;
}

const POLL_MS = 250;

/** The time between polls while they find new work: another process is active, and its work starts at once. */
const BUSY_POLL_MS = 5;

/** Hints of this process that arrive this often make polling unnecessary: a claim takes everything that is due. */
const CLOSE_HINTS_MS = 20;

/**
 * A scheduler that needs only Postgres. Hints of this process wake workers at once; work of other processes is found by polling, and
 * anything missed by both is found by the sweep. `onError` also receives errors of polls.
 */
export function pollingScheduler(pool: Pool, options: PollingSchedulerOptions = {}): Scheduler {
  const database = pooled(pool, {
    queryTimeoutMs: SWEEP_MS,
    preparedStatements: options.preparedStatements ?? false,
  });
  const schema = checkSchema(options.schema ?? DEFAULT_SCHEMA);
  const poll =
    options.distribution?.poll(database, schema) ?? probe(database, LanePositions.shared(pool, schema), schema);
  return scheduleOver(poll, options);
}

/**
 * The same scheduler over any polling function. A slow poll delays no hint, and there is never more than one. After a poll that found new
 * work, polls follow quickly for `pollMs`, unless the process's own hints are frequent.
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
    contract: 2,
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

/** The approximate number of hints within a period: older hints count less. */
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

/**
 * Whether another process has left work: a first attempt that is not leased (it is due by nature), or a task or consumer delivery that is
 * next and was not at the previous poll. Compares no instants, because each mode has its own clock. One statement over the ends of indexes:
 * of first attempts the newest is read, so that one that cannot be claimed does not hide later ones. While the claims of this process start
 * from a position, so do these reads, and a first attempt before it is not found: a claim that renews the position finds it.
 */
export function probe(database: Database, positions: LanePositions, schema: string): () => Promise<Look> {
  const newest = (mode: string, unread: string) =>
    `(select id from "${schema}".delivery_queue where mode = '${mode}' and lane = 'first' and due_at > ${unread} and lease_token is null
      order by due_at desc, id desc limit 1)`;
  const head = (mode: string, start: string) =>
    `(select free_at || id from "${schema}".tasks where mode = '${mode}' and free_at >= ${start} order by free_at, id limit 1)`;
  // For each consumer's lane: a head that stays belongs to a consumer that this process does not run, and wakes no worker twice.
  const consumerHeads = (mode: string, starts: string) =>
    `(select string_agg(q.due_at || q.id, ' ' order by l.name) from (
      select 'consumer:' || c.name || '/' || c.type as name from "${schema}".consumers c) l cross join lateral (
      select due_at, id from "${schema}".delivery_queue
      where mode = '${mode}' and lane = l.name and due_at >= coalesce((${starts}::jsonb ->> l.name)::bigint, 0) and lease_token is null
      order by due_at, id limit 1) q)`;
  const text = `select concat_ws(' ', ${newest('test', '$1')}, ${newest('live', '$2')}) as newest,
    concat_ws(' ', ${head('test', '$3')}, ${head('live', '$4')}, ${consumerHeads('test', '$5')}, ${consumerHeads('live', '$6')}) as heads`;
  return lookFor(async () => {
    const values = [
      ...MODES.map((mode) => positions.unread('first', mode)),
      ...MODES.map((mode) => positions.firstDue('tasks', mode)),
      ...MODES.map((mode) => positions.firstDues(mode)),
    ];
    return (await database.query<Found>(text, values))[0];
  });
}
