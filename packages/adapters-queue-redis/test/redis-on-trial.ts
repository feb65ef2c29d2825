import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Scheduler } from '@gateramp/core/ports';
import { Redis } from 'ioredis';
import { redisScheduler, type RedisSchedulerOptions } from '../src/index.js';

/** Waits in real time, which Redis and its client use. */
export const elapse = (ms: number): Promise<void> => sleep(ms + 5).then(() => undefined);

export interface Process {
  readonly scheduler: Scheduler;
  readonly connection: Redis;
  readonly errors: unknown[];
  /** The start of each call of `onDue`. */
  readonly calls: number[];
  readonly close: () => Promise<void>;
}

/** One process of a deployment: its own connection, and a scheduler on it. */
export function newProcess(url: string, options: RedisSchedulerOptions = {}): Process {
  const connection = new Redis(url, { maxRetriesPerRequest: null });
  const errors: unknown[] = [];
  const scheduler = redisScheduler(connection, {
    prefix: freshPrefix(),
    onError: (error) => errors.push(error),
    ...options,
  });
  const close = async (): Promise<void> => {
    await scheduler.close(0);
    connection.disconnect();
  };
  return { scheduler, connection, errors, calls: [], close };
}

/** A process that also listens. */
export async function startProcess(url: string, options: RedisSchedulerOptions = {}): Promise<Process> {
  const started = newProcess(url, options);
  await started.scheduler.start(async () => void started.calls.push(performance.now()));
  return started;
}

export function freshPrefix(): string {
  return `test-${randomUUID()}`;
}

/** Resolves as soon as `claim` holds; a test that waits without success fails by its timeout. */
export async function until(claim: () => boolean): Promise<void> {
  while (!claim()) await sleep(2);
}
