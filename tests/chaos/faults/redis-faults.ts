import { connect } from 'node:net';

import { pause } from '../lib/ask.js';
import type { TestRedis } from '../../services/redis.js';
import type { Chance } from '../lib/chance.js';
import type { Form } from '../forms.js';
import type { World } from '../world.js';
import { repeated, spread, type FaultEvent } from './schedule.js';

/** Flushes Redis every few seconds, kills and restarts it empty, and pauses it once, so that it accepts commands without answering. */
export function redisEvents(
  luck: Chance,
  { flushEveryMs, kills, pauseMs, durationMs }: Form['redis'],
  { redis, count }: World,
): FaultEvent[] {
  // The pause comes first: other faults wait until it ends.
  const after = pauseMs + 1_000;
  const kill = async (): Promise<void> => {
    await redis.kill();
    count('redis');
    await pause(luck.between(200, 1_500));
    await redis.start();
  };
  return [
    { atMs: 500, what: `pause redis for ${pauseMs / 1000} s`, run: () => pauseRedis(redis, pauseMs, count) },
    ...repeated(luck, flushEveryMs, durationMs - after).map((atMs) => ({
      atMs: after + atMs,
      what: 'flush redis',
      run: () => flush(redis.port, count),
    })),
    ...spread(luck, kills, durationMs - after).map((atMs) => ({ atMs: after + atMs, what: 'kill redis', run: kill })),
  ];
}

async function pauseRedis(redis: TestRedis, pauseMs: number, count: World['count']): Promise<void> {
  redis.pause();
  count('redis_pause');
  await pause(pauseMs);
  redis.resume();
}

function flush(port: number, count: World['count']): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write('FLUSHALL\r\n'));
    socket.once('error', reject);
    socket.once('data', (data) => {
      socket.destroy();
      if (!data.toString().startsWith('+OK')) return reject(new Error(`FLUSHALL: ${data.toString().trim()}`));
      count('redis_flush');
      resolve();
    });
  });
}
