import { randomBytes } from 'node:crypto';
import { createGate } from '@gateramp/core';
import { systemClock } from '@gateramp/core/runtime';
import { inProcessScheduler, noRateLimits } from '@gateramp/adapters-store-memory';
import type pg from 'pg';
import { testTelemetry } from '@gateramp/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { postgresTime } from '../src/index.js';
import { postgresStore } from './patient-store.js';
import { freshSchema, testPool } from './postgres-subject.js';

const HOUR = 3_600_000;

let pool: pg.Pool;
beforeAll(async () => {
  pool = await testPool(2);
});
afterAll(() => pool.end());

it('stamps keys with the time of the database, whatever the clock of the operator’s machine says', async () => {
  const store = postgresStore(pool, { schema: await freshSchema(pool) });
  const clock = systemClock(() => Date.now() + HOUR);
  const gate = createGate({
    store,
    clock,
    scheduler: inProcessScheduler(),
    limits: noRateLimits(),
    providers: [],
    masterKey: randomBytes(32),
    // Expected: the clock differs from the database by an hour.
    telemetry: testTelemetry(),
  });
  const partner = {
    id: 'p1',
    name: 'Acme',
    allowedOrigins: [],
    kycTrusted: false,
    liveEnabled: false,
    entitlements: [],
    completedSessionsQuota: null,
  };
  await gate.admin.savePartner(partner);
  const text = 'sk_test_0000000000000000stamped';

  const before = await postgresTime(pool)();
  await gate.admin.addKey(partner.id, text);
  await gate.admin.revokeKey(text);
  const after = await postgresTime(pool)();
  const [key] = await store.listKeys(partner.id);
  for (const stamp of [key?.key.createdAt, key?.key.revokedAt]) {
    expect(stamp).toBeGreaterThanOrEqual(Math.floor(before));
    expect(stamp).toBeLessThanOrEqual(Math.ceil(after));
  }
  await gate.admin.revokeKey(text);
  expect(await store.listKeys(partner.id)).toEqual([key]);
});
