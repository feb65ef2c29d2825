import { postgresLegsStore, postgresStore } from '@gateramp/adapters-store-postgres';
import { createTestGate } from '@gateramp/testing';
import type pg from 'pg';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { freshSchema, testPool } from '../../../packages/adapters-store-postgres/test/postgres-subject.js';
import { buy, providerOf, START, world } from '../../../packages/provider-legs/test/world.js';

const MINUTE = 60_000;
const KIND = 'operation_test';

let pool: pg.Pool;
beforeAll(async () => {
  pool = await testPool(8);
});
afterAll(() => pool.end());

/** A process that steps the clock of a sandbox, and a process with a worker for provider legs whose exchange waits for `exchange.end`. */
async function twoProcesses() {
  const schema = await freshSchema(pool);
  const one = world(postgresLegsStore(pool, { schema }));
  const store = postgresStore(pool, { schema });
  const { gate } = await createTestGate({
    startAt: START,
    ports: { store, providers: [one.provider] },
    policy: { testClock: 'partner' },
  });
  let begin = (): void => undefined;
  let end = (): void => undefined;
  const begun = new Promise<void>((resolve) => (begin = resolve));
  const ended = new Promise<void>((resolve) => (end = resolve));
  const execute: typeof one.exchange.execute = async (order) => {
    begin();
    await ended;
    return one.exchange.execute(order);
  };
  const provider = providerOf(
    { ...one, store: postgresLegsStore(pool, { schema }), exchange: { ...one.exchange, execute } },
    () => undefined,
  );
  const clock = { now: START };
  const startWorker = () => {
    const { skipsStepped } = gate.clock;
    const worker = provider.startWorker({ now: () => clock.now, skipsStepped, intervalMs: 5 });
    onTestFinished(async () => {
      end();
      await worker.stop();
    });
  };
  const operationId = 'ours';
  const order = buy(START, { partnerId: 'acme', operationId, paymentMethod: 'bank_transfer' });
  await one.provider.start({ ...order, operationId, paymentDetails: null });
  const load = async () => {
    const found = await one.store.load(KIND, operationId);
    if (found === null) throw new Error('The operation was started.');
    return found;
  };
  return { gate, store, clock, startWorker, load, exchange: { begun, end } };
}

test('while a sandbox is held, the worker of another process claims none of its operations', async () => {
  const { gate, store, clock, startWorker, load, exchange } = await twoProcesses();
  expect(gate.clock.skipsStepped).toBe(true);
  expect(await store.sandboxHolds?.hold('acme', 'a', MINUTE)).toBe('new');
  const { version } = await load();
  clock.now = START + MINUTE;
  startWorker();
  for (let nth = 0; nth < 50; nth += 1) expect((await load()).version).toBe(version);
  await store.sandboxHolds?.release('acme', 'a');
  exchange.end();
  await expect.poll(async () => (await load()).version).toBeGreaterThan(version);
});

test('an advance waits while the worker of another process makes the calls of an operation, one after another', async () => {
  const { gate, clock, startWorker, load, exchange } = await twoProcesses();
  clock.now = START + MINUTE;
  startWorker();
  await exchange.begun;
  const { status, version } = await load();
  expect(status).toBe('claimed');
  let isAnswered = false;
  const advanced = gate.advanceTestClock(5 * MINUTE, 'acme').finally(() => (isAnswered = true));
  for (let nth = 0; nth < 50; nth += 1) expect((await load()).version).toBe(version);
  expect(isAnswered).toBe(false);
  exchange.end();
  const { fired } = await advanced;
  expect(new Set(fired.map(({ type, id }) => `${type} ${id}`))).toEqual(new Set(['operation ours']));
  expect((await load()).status).toBe('ended');
});
