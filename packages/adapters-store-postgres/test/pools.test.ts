import { createTestGate, type TestGate } from '@gateramp/testing';
import type pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { postgresStore } from './patient-store.js';
import { freshSchema, testPool } from './postgres-subject.js';

const POOL = 'pool_usdc_eur';
const WALLET = `0x${'0'.repeat(38)}aa`;
const AFFORDABLE = 7;
const QUOTES = 12;

const connections: pg.Pool[] = [];
beforeAll(async () => {
  for (let nth = 0; nth < 4; nth += 1) connections.push(await testPool(4));
});
afterAll(() => Promise.all(connections.map((pool) => pool.end())));

/** One gate per process, each with its own connections. */
async function processes(): Promise<readonly [TestGate, ...TestGate[]]> {
  const [first, ...others] = connections;
  if (first === undefined) throw new Error('There are no connections.');
  const schema = await freshSchema(first);
  const t = await createTestGate({ ports: { store: postgresStore(first, { schema }) } });
  return [t, ...others.map((pool) => t.restart({ store: postgresStore(pool, { schema }) }))];
}

it('executes each quote once and spends no more than there is, whichever processes race', async () => {
  const all = await processes();
  const [t] = all;
  const caller = { partnerId: t.partner.id, mode: 'live' as const };
  const terms = { id: POOL, asset: 'USDC', network: 'base', currency: 'EUR', spreadBps: 30, feeBps: 20 };
  await t.gate.admin.savePool(t.partner.id, terms);
  const opening = { EUR: `${AFFORDABLE * 100}.50`, USDC: '100000' };
  // Concurrently, as processes that start together apply one seed file: it counts once.
  const seeded = await Promise.all(
    all.flatMap(({ gate }) =>
      Object.entries(opening).map(([currency, amount]) =>
        gate.admin.movePoolBalance(t.partner.id, { poolId: POOL, currency, amount, reference: 'opening' }),
      ),
    ),
  );
  expect(seeded.filter((one) => one === 'moved')).toHaveLength(2);

  const request = { side: 'on_ramp', asset: 'USDC', network: 'base', currency: 'EUR', destAddress: WALLET } as const;
  const quotes = await Promise.all(
    Array.from({ length: QUOTES }, async () => {
      const quote = await t.gate.pools.quote(caller, POOL, { ...request, amount: '100.00' });
      return quote._unsafeUnwrap().quoteId;
    }),
  );
  const answers = await Promise.all(
    quotes.flatMap((quoteId, quote) =>
      all.flatMap(({ gate }, process) =>
        // With a key that all share, and with a separate one.
        [`shared-${quote}`, `own-${quote}-${process}`].map(async (idempotencyKey) => {
          const done = await gate.pools.transact(caller, POOL, { quoteId, destAddress: WALLET }, { idempotencyKey });
          return { quoteId, trade: done.unwrapOr(null), refused: done.isErr() ? done.error.code : null };
        }),
      ),
    ),
  );
  const { data: trades } = (await t.gate.pools.trades(caller, { limit: 100 }))._unsafeUnwrap();
  expect(trades).toHaveLength(AFFORDABLE);
  expect(new Set(trades.map(({ quoteId }) => quoteId)).size).toBe(AFFORDABLE);
  for (const { quoteId, trade, refused } of answers) {
    const made = trades.find((one) => one.quoteId === quoteId);
    if (trade === null) expect(['insufficient_balance', 'operation_in_progress']).toContain(refused);
    else expect(trade.transactId).toBe(made?.transactId);
  }

  // All processes work concurrently until nothing is due.
  for (let round = 0; round < 3; round += 1) {
    await Promise.all(all.map(({ gate }) => gate.runDue()));
    await t.clock.advanceTo(t.clock.now('live') + 31_000);
  }
  const { balances } = (await t.gate.pools.balance(caller, POOL))._unsafeUnwrap();
  expect(balances).toMatchObject([
    { currency: 'USDC', available: '99242.934789', reserved: '0' },
    { currency: 'EUR', available: '0.5', reserved: '0' },
  ]);
  const settled = (await t.gate.pools.trades(caller, { limit: 100 }))._unsafeUnwrap().data;
  expect(new Set(settled.map(({ status }) => status))).toEqual(new Set(['completed']));
});
