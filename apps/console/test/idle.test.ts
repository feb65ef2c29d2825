import { postgresOperator, postgresStore } from '@gateramp/adapters-store-postgres';
import { createTestGate, TEST_PARTNER } from '@gateramp/testing';
import { setImmediate } from 'node:timers/promises';
import type pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { freshSchema, testPool } from '../../../packages/adapters-store-postgres/test/postgres-subject.js';
import { send, signedIn, testConsole } from './console.js';

let pool: pg.Pool;
let schema: string;
let statements = 0;

beforeAll(async () => {
  pool = counted(await testPool(4));
  schema = await freshSchema(pool);
});
afterAll(() => pool.end());
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** Counts every statement of every connection of the pool. */
function counted(of: pg.Pool): pg.Pool {
  of.on('connect', (client) => {
    const query = client.query.bind(client) as (...given: readonly unknown[]) => unknown;
    Object.assign(client, {
      query: (...given: readonly unknown[]) => {
        statements += 1;
        return query(...given);
      },
    });
  });
  return of;
}

async function opened(console: Parameters<typeof send>[0], cookie: string, query: string) {
  const reader = (await send(console, `/stream${query}`, { cookie })).body?.getReader();
  const chunks: string[] = [];
  void (async () => {
    for (;;) {
      const read = await reader?.read();
      if (read?.value === undefined) return;
      chunks.push(new TextDecoder().decode(read.value));
    }
  })();
  return chunks;
}

/** Advances the timers by a minute. Statements take real time and set the next timers when they end, so each step waits for them. */
async function passMinute(): Promise<void> {
  for (let step = 0; step < 12; step += 1) {
    await vi.advanceTimersByTimeAsync(5_000);
    for (let quiet = 0; quiet < 10; quiet += 1) {
      await setImmediate();
      if (pool.idleCount < pool.totalCount || pool.waitingCount > 0) quiet = 0;
    }
  }
}

it('all idle tabs of the console together cost at most one Postgres statement a minute', async () => {
  const store = postgresStore(pool, { schema });
  const { gate } = await createTestGate({ ports: { store, operator: postgresOperator(pool, { schema }) } });
  const other = await createTestGate({ ports: { store, operator: postgresOperator(pool, { schema }) } });
  const console = testConsole(gate);
  const scope = { partnerId: TEST_PARTNER.id, mode: 'test' } as const;
  const [ada, bob, olga] = [
    await signedIn(console, TEST_PARTNER.id),
    await signedIn(console, TEST_PARTNER.id, { mode: 'live' }),
    await signedIn(console, null),
  ];
  const [test, live, all] = [
    await opened(console, ada, ''),
    await opened(console, bob, ''),
    await opened(console, olga, ''),
    await opened(console, olga, `?partner=${TEST_PARTNER.id}&mode=test`),
  ];
  for (let minute = 0; minute < 5; minute += 1) await passMinute();

  statements = 0;
  for (let minute = 0; minute < 30; minute += 1) await passMinute();
  expect(statements).toBeGreaterThan(0);
  expect(statements).toBeLessThanOrEqual(30);

  // A change by another process reaches only the streams that it concerns.
  for (const seen of [test, live, all]) seen.length = 0;
  await other.gate.sessions.create(scope, { amount: '1.00', currency: 'EUR', return_url: 'https://shop.example/' });
  await other.gate.webhooks.test(scope);
  for (let minute = 0; minute < 2; minute += 1) await passMinute();
  expect(test.join('')).toContain('sessions');
  expect([...live, ...all].filter((text) => text.includes('changed'))).toEqual([]);
});
