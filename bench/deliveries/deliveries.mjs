import { setTimeout as wait } from 'node:timers/promises';
import { startPostgres } from '../../tools/test-services/postgres.mjs';
import { startRedis } from '../../tools/test-services/redis.mjs';
import { compare } from '../lib/compare.mjs';
import { startServer } from '../lib/server.mjs';

/** About what a `gate_session.created` event weighs. */
const BYTES = 720;

/** Deliveries a second of one worker process to a receiver in another, against a bare BullMQ worker posting as many bytes. */
export async function benchDeliveries({ rounds, deliveries }) {
  const postgres = await startPostgres({ tuning: { shared_buffers: '512MB', max_wal_size: '4GB' } });
  const redis = await startRedis();
  const env = { BENCH_DATABASE_URL: postgres.url, BENCH_COUNT: String(deliveries), BENCH_BYTES: String(BYTES) };
  const withRedis = { ...env, BENCH_REDIS_URL: redis.url };
  const limits = { rounds, atLeast: 0.6, aim: 1.0, baseline: () => drain('deliver-bullmq.mjs', withRedis, deliveries) };
  try {
    return [
      await compare({ title: 'Deliveries: Postgres alone', ...limits, ours: () => drain('deliver-gate.mjs', env, deliveries) }),
      await compare({ title: 'Deliveries: Postgres and Redis', ...limits, ours: () => drain('deliver-gate.mjs', withRedis, deliveries) }),
    ];
  } finally {
    await redis.stop();
    await postgres.stop();
  }
}

let drains = 0;

/** Everything is written first; the clock runs from the worker's start until the receiver has counted all of it. */
async function drain(script, env, deliveries) {
  const receiver = await startServer('receiver.mjs');
  const BENCH_SCHEMA = `deliveries_${(drains += 1)}`;
  const worker = await startServer(script, { ...env, BENCH_SCHEMA, BENCH_RECEIVER: `http://127.0.0.1:${receiver.port}/` });
  try {
    const began = performance.now();
    worker.go();
    while ((await receiver.ask()).count < deliveries) await wait(20);
    return { perSecond: deliveries / ((performance.now() - began) / 1000), p99: 0 };
  } finally {
    await worker.stop();
    await receiver.stop();
  }
}
