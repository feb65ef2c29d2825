import { connect } from 'node:net';

import { pause } from '../lib/ask.mjs';
import { repeated, spread } from './schedule.mjs';

/** Redis flushed every few seconds, killed and brought back empty, and once stopped so that it takes everything and answers nothing. */
export function redisEvents(luck, { flushEveryMs, kills, pauseMs, durationMs }, { redis, count }) {
  // The pause first of all: what else happens meanwhile waits for its end.
  const after = pauseMs + 1_000;
  const kill = async () => {
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

async function pauseRedis(redis, pauseMs, count) {
  redis.pause();
  count('redis_pause');
  await pause(pauseMs);
  redis.resume();
}

function flush(port, count) {
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
