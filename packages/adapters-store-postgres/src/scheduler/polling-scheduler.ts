import { SWEEP_MS, type Scheduler } from '@gateramp/core/ports';
import {
  Alarm,
  DueCalls,
  localScheduler,
  reportToStderr,
  systemTimers,
  type LocalSchedulerOptions,
} from '@gateramp/core/runtime';
import type { Pool } from 'pg';
import { pooled } from '../database.js';
import { checkSchema, DEFAULT_SCHEMA } from '../schema.js';
import { probe, type Look } from './probe.js';

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

/**
 * Gap between looks while they find something new that no hint told of: another process is at work, and what it leaves is
 * begun at once.
 */
const BUSY_POLL_MS = 5;

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
 * one that found something new, looks come quickly for as long as `pollMs`. Not where a hint for now came since the look
 * before: what is new is likely what the hint was for, and whoever takes that takes what others left, too.
 */
export function scheduleOver(
  look: () => Promise<Look>,
  { pollMs = POLL_MS, ...options }: PollingSchedulerOptions,
): Scheduler {
  const timers = options.timers ?? systemTimers;
  const local = localScheduler(options);
  let busyUntil = -Infinity;
  let isHinted = false;
  const looks = new DueCalls(
    options.onError ?? reportToStderr('the scheduler could not look for work in Postgres and tries again'),
  );
  const poll = new Alarm(() => looks.ring(), { silentAtMostMs: pollMs, ...options });
  return {
    wake(hints) {
      isHinted ||= hints.some(({ delayMs }) => delayMs <= 0);
      local.wake(hints);
    },
    async start(onDue) {
      await local.start(onDue);
      looks.start(async () => {
        const found = await look();
        if (found !== 'nothing') local.wake([{ delayMs: 0 }]);
        if (found === 'new' && !isHinted) busyUntil = timers.now() + pollMs;
        isHinted = false;
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
