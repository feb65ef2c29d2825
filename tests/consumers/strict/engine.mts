import assert from 'node:assert/strict';
import { expressGate } from '@gateramp/adapters-http-express';
import { fastifyGate } from '@gateramp/adapters-http-fastify';
import { redisRateLimits } from '@gateramp/adapters-limits-redis';
import { sandboxProvider } from '@gateramp/adapters-provider-sandbox';
import { redisScheduler } from '@gateramp/adapters-queue-redis';
import { citus } from '@gateramp/adapters-store-citus';
import { inProcessScheduler, memoryRateLimits, memoryStore } from '@gateramp/adapters-store-memory';
import { postgresStore } from '@gateramp/adapters-store-postgres';
import { sqliteStore } from '@gateramp/adapters-store-sqlite';
import { describeLaws, storeLaws, type StoreSubject } from '@gateramp/conformance';
import { createGate, type Gate, type GatePorts } from '@gateramp/core';
import { decimal } from '@gateramp/core/domain';
import type { RateLimits, Scheduler, Store } from '@gateramp/core/ports';
import { otelTracer } from '@gateramp/telemetry-otel';
import { createTestGate } from '@gateramp/testing';
import express from 'express';
import { fastify } from 'fastify';
import { Redis } from 'ioredis';
import pg from 'pg';

/** The engine and every adapter of it, under `exactOptionalPropertyTypes` and with every declaration checked. Nobody is connected to. */
const pool = new pg.Pool({ connectionString: 'postgres://nobody.invalid/shop' });
const redis = new Redis({ lazyConnect: true });
const stores: readonly Store[] = [
  memoryStore(),
  postgresStore(pool),
  postgresStore(pool, { distribution: citus }),
  sqliteStore(':memory:'),
];
const limits: readonly RateLimits[] = [memoryRateLimits(), redisRateLimits(redis)];
const schedulerOf = (connection: Redis): Scheduler => redisScheduler(connection, { prefix: 'shop' });
assert.equal(typeof schedulerOf, 'function');
assert.deepEqual([stores.length, limits.length], [4, 2]);

const ports: GatePorts = {
  store: memoryStore(),
  scheduler: inProcessScheduler(),
  limits: memoryRateLimits(),
  providers: [sandboxProvider()],
  tracer: otelTracer(),
};
const gate: Gate = createGate(ports);
express().use('/sandbox', expressGate(gate, { mode: 'test' }));
await fastify().register(fastifyGate, { gate, mode: 'live' });

const titles: string[] = [];
const subject: StoreSubject = { create: async () => ({ store: memoryStore(), close: async () => undefined }) };
describeLaws(storeLaws, subject, {
  describe: (_title: string, tests: () => void) => tests(),
  it: (title: string) => void titles.push(title),
});
assert.equal(titles.length, storeLaws.length);

const t = await createTestGate();
const session = await t.createSession({ amount: '100.00' });
await t.settle(session.id);
await t.clock.advance('5m');
assert.equal((await t.retrieveSession(session.id)).status, 'completed');
redis.disconnect();
await pool.end();
