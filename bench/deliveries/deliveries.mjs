import { setTimeout as wait } from 'node:timers/promises';
import { startPostgres } from '../../tests/services/postgres.ts';
import { startRedis } from '../../tests/services/redis.ts';
import { compare } from '../lib/compare.mjs';
import { cpuSeconds } from '../lib/cpu-time.mjs';
import { newDatabase, TUNING } from '../lib/databases.mjs';
import { startReferenceServer } from '../lib/reference-server.mjs';
import { startServer } from '../lib/server.mjs';
import { firstAttempts } from './first-attempts.mjs';

/**
 * The lower bound against a worker on one table without a queue, a log or limits per receiver, which is faster. Not a
 * promise: it detects regressions.
 */
const NARROW_AT_LEAST = 0.6;

/**
 * Compares the deliveries per second of one worker of the reference server with a bare BullMQ worker, which stores no
 * rows, and with a hand-written worker on one narrow table. Then measures the time until the first attempt of a new
 * event. The receiver runs in another process.
 */
export async function benchDeliveries({ rounds, seconds, deliveries }) {
  const postgres = await startPostgres({ tuning: TUNING });
  const redis = await startRedis();
  const drained = (worker) => () => drain(worker, postgres, deliveries);
  // A drain takes seconds, and the speed of the machine can change by a third between two of them.
  const limits = { rounds: 2 * rounds - 1, aim: 1.3 };
  const onPostgres = drained(ourWorker({}));
  const withRedis = drained(ourWorker({ REDIS_URL: redis.url }));
  const bullmq = drained(bullmqWorker(redis.url));
  try {
    return [
      await compare({
        title: 'Deliveries, Postgres alone, against BullMQ',
        ...limits,
        atLeast: 1.0,
        baseline: bullmq,
        ours: onPostgres,
      }),
      await compare({
        title: 'Deliveries, Postgres and Redis, against BullMQ',
        ...limits,
        atLeast: 1.0,
        baseline: bullmq,
        ours: withRedis,
      }),
      await compare({
        title: 'Deliveries, Postgres alone, against one narrow table',
        ...limits,
        atLeast: NARROW_AT_LEAST,
        aim: 1.0,
        baseline: drained(narrowWorker),
        ours: onPostgres,
      }),
      ...(await firstAttempts({ rounds: limits.rounds, seconds, redis })),
    ];
  } finally {
    await redis.stop();
    await postgres.stop();
  }
}

/**
 * Writes all deliveries first. The time is measured at the receiver, from the first delivery to the last. CPU time counts
 * from the first deliveries on.
 */
async function drain(startWorker, postgres, deliveries) {
  const receiver = await startServer('receiver.mjs');
  const worker = await startWorker({
    database: await newDatabase(postgres.url),
    deliveries,
    webhookUrl: `http://127.0.0.1:${receiver.port}/`,
  });
  const spent = (count) => ({ count, server: cpuSeconds(worker.pid), database: cpuSeconds(postgres.pid) });
  let first = null;
  try {
    for (;;) {
      const { count, firstAt, lastAt } = await worker.whileRunning(receiver.ask());
      if (count > 0) first ??= spent(count);
      if (count >= deliveries)
        return { perSecond: (count - 1) / ((lastAt - firstAt) / 1000), p99: 0, cpu: eachOf(first, spent(count)) };
      await wait(50);
    }
  } finally {
    await worker.stop();
    await receiver.stop();
  }
}

function eachOf(before, after) {
  const perDelivery = (what) => Math.round(((after[what] - before[what]) * 1e6) / (after.count - before.count));
  return { server: perDelivery('server'), database: perDelivery('database') };
}

async function narrowWorker({ database, deliveries, webhookUrl }) {
  const worker = await startServer('deliver-bare.mjs', {
    BENCH_DATABASE_URL: database,
    BENCH_COUNT: String(deliveries),
    BENCH_RECEIVER: webhookUrl,
  });
  worker.go();
  return worker;
}

let queues = 0;

function bullmqWorker(redisUrl) {
  return async ({ deliveries, webhookUrl }) => {
    const env = {
      BENCH_REDIS_URL: redisUrl,
      BENCH_QUEUE: `bench-${(queues += 1)}`,
      BENCH_COUNT: String(deliveries),
      BENCH_RECEIVER: webhookUrl,
    };
    const worker = await startServer('deliver-bullmq.mjs', env);
    worker.go();
    return worker;
  };
}

function ourWorker(env) {
  return async ({ database, deliveries, webhookUrl }) => {
    const filled = await startServer('fill-gate.mjs', {
      BENCH_DATABASE_URL: database,
      BENCH_COUNT: String(deliveries),
    });
    await filled.stop();
    return startReferenceServer(
      { DATABASE_URL: database, GATE_ROLE: 'worker', GATE_ALLOW_PRIVATE_WEBHOOKS: 'on', ...env },
      { webhookUrl },
    );
  };
}
