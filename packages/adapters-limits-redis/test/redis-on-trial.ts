import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { redisRateLimits, type RedisRateLimits, type RedisRateLimitsOptions } from '../src/index.js';

/** Waits in real time, with a tolerance for timers and for Redis's own clock. */
export const elapse = (ms: number): Promise<void> => sleep(ms + 10).then(() => undefined);

export interface Process {
  readonly limits: RedisRateLimits;
  readonly connection: Redis;
  readonly errors: unknown[];
  readonly close: () => void;
}

/** One process of a deployment: its own connection, and limits on it. */
export async function startProcess(url: string, options: RedisRateLimitsOptions = {}): Promise<Process> {
  const connection = new Redis(url, { maxRetriesPerRequest: null });
  const errors: unknown[] = [];
  const limits = redisRateLimits(connection, {
    prefix: freshPrefix(),
    onError: (error) => errors.push(error),
    ...options,
  });
  await new Promise<void>((resolve) => connection.once('ready', () => resolve()));
  return { limits, connection, errors, close: () => connection.disconnect() };
}

export function freshPrefix(): string {
  return `test-${randomUUID()}`;
}

/** Resolves as soon as `claim` holds; a test that waits without success fails by its timeout. */
export async function until(claim: () => boolean): Promise<void> {
  while (!claim()) await sleep(5);
}
