import { memoryRateLimits } from '@gateramp/adapters-store-memory';
import { migrate, pollingScheduler, postgresStore } from '@gateramp/adapters-store-postgres';
import { redisScheduler } from '@gateramp/adapters-queue-redis';
import { createGate } from '@gateramp/core';
import { Redis } from 'ioredis';
import { PARTNER, WEBHOOK_SECRET } from './gate.mjs';
import { benchPool } from './postgres.mjs';

/** Writes `BENCH_COUNT` sessions while no worker runs; on `go` it starts the worker. */
const pool = benchPool();
const schema = process.env.BENCH_SCHEMA;
await migrate(pool, { schema });
const redis = process.env.BENCH_REDIS_URL ? new Redis(process.env.BENCH_REDIS_URL) : null;
const gate = createGate({
  store: postgresStore(pool, { schema, preparedStatements: true }),
  scheduler: redis === null ? pollingScheduler(pool, { schema }) : redisScheduler(redis, { prefix: schema }),
  limits: memoryRateLimits(),
  providers: [],
  masterKey: new Uint8Array(32).fill(7),
  allowPrivateWebhooks: true,
});
await gate.admin.savePartner(PARTNER);
const scope = { partnerId: PARTNER.id, mode: 'test' };
await gate.admin.setEndpoint(scope, { url: process.env.BENCH_RECEIVER, secret: WEBHOOK_SECRET });
const body = { amount: '100.00', currency: 'EUR', return_url: 'https://shop.example/done' };
for (let left = Number(process.env.BENCH_COUNT); left > 0; left -= 100) {
  await Promise.all(Array.from({ length: 100 }, () => gate.sessions.create(scope, body)));
}
process.on('message', () => void gate.start());
process.send({ port: 0 });
