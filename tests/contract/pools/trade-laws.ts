import assert from 'node:assert/strict';
import { SANCTIONED_WALLET_ENDING } from '@gateramp/adapters-provider-sandbox';
import {
  expectRefusal,
  expectStatus,
  freshKey,
  httpLaw,
  type HttpSubject,
  type HttpWorld,
  type Law,
  textOf,
  WALLET,
} from '../kit.js';
import { ask, balances, openPool, POOL, quoteId, trades, transact, UNTOUCHED } from './pool-calls.js';

const TOPIC = 'HTTP: pools, trades';

const RESERVED = { USDC: '9891.847827 + 108.152173 = 10000', EUR: '9900 + 100 = 10000' };
const SPENT = { USDC: '9891.847827 + 0 = 9891.847827', EUR: '9900 + 0 = 9900' };

/** Nothing was moved and no trade was made. */
async function expectUntouched(world: HttpWorld): Promise<void> {
  assert.deepEqual(await balances(world), UNTOUCHED);
  assert.deepEqual(await trades(world), []);
}

export const tradeLaws: readonly Law<HttpSubject>[] = [
  httpLaw(TOPIC, 'reserves both amounts until it has settled, and then takes them out of the pool', async (world) => {
    await openPool(world);
    const id = await quoteId(world);
    const { json } = expectStatus(await transact(world, id), 201);
    const now = new Date(world.t.clock.now('live')).toISOString();
    assert.deepEqual(json, {
      transactId: json['transactId'],
      quoteId: id,
      poolId: POOL,
      status: 'processing',
      amountIn: '100.00',
      currencyIn: 'EUR',
      amountOut: '108.152173',
      currencyOut: 'USDC',
      rate: '1.08695652173913043',
      totalBps: 50,
      destAddress: WALLET,
      txHash: null,
      createdAt: now,
      completedAt: null,
    });
    assert.deepEqual(await balances(world), RESERVED);
    await settled(world);
    assert.deepEqual(await balances(world), SPENT);
    const [trade] = await trades(world);
    assert.equal(trade?.['status'], 'completed');
    assert.match(String(trade?.['txHash']), /^0x[0-9a-f]{64}$/);
    assert.equal(trade?.['completedAt'], new Date(world.t.clock.now('live')).toISOString());
  }),

  httpLaw(TOPIC, 'gives everything back when it cannot be settled', async (world) => {
    await openPool(world);
    const destAddress = `0x${'0'.repeat(32)}${SANCTIONED_WALLET_ENDING}`;
    const id = await quoteId(world, { destAddress });
    expectStatus(await transact(world, id, { body: { quoteId: id, destAddress } }), 201);
    assert.deepEqual(await balances(world), RESERVED);
    await settled(world);
    assert.deepEqual(await balances(world), UNTOUCHED);
    const [trade] = await trades(world);
    assert.deepEqual([trade?.['status'], trade?.['txHash']], ['failed', null]);
  }),

  httpLaw(
    TOPIC,
    'answers a repeat under its key with the same bytes, whatever the state of the trade',
    async (world) => {
      await openPool(world);
      const [id, idempotencyKey] = [await quoteId(world), freshKey()];
      const first = expectStatus(await transact(world, id, { idempotencyKey }), 201);
      await settled(world);
      assert.equal(expectStatus(await transact(world, id, { idempotencyKey }), 201).text, first.text);
      assert.deepEqual(await balances(world), SPENT);
    },
  ),

  httpLaw(
    TOPIC,
    'answers 200 with the trade as it is to a quote that was executed, under any other key',
    async (world) => {
      await openPool(world);
      const id = await quoteId(world);
      const first = expectStatus(await transact(world, id), 201);
      assert.equal(expectStatus(await transact(world, id), 200).text, first.text);
      await settled(world);
      await later(world, 60_000);
      const idempotencyKey = freshKey();
      const again = expectStatus(await transact(world, id, { idempotencyKey }), 200);
      assert.deepEqual(again.json, (await trades(world))[0]);
      assert.equal((await trades(world)).length, 1);
      assert.deepEqual(await balances(world), SPENT);
      // The key has nevertheless been used.
      const other = await transact(world, await quoteId(world), { idempotencyKey });
      expectRefusal(other, 409, 'idempotency_key_mismatch');
    },
  ),

  httpLaw(
    TOPIC,
    'answers 409 idempotency_key_mismatch to another body under its key, and moves nothing',
    async (world) => {
      await openPool(world);
      const idempotencyKey = freshKey();
      const [one, two] = [await quoteId(world), await quoteId(world)];
      expectStatus(await transact(world, one, { idempotencyKey }), 201);
      expectRefusal(await transact(world, two, { idempotencyKey }), 409, 'idempotency_key_mismatch');
      assert.deepEqual(await balances(world), RESERVED);
    },
  ),

  httpLaw(TOPIC, 'needs an Idempotency-Key', async (world) => {
    await openPool(world);
    const body = { quoteId: await quoteId(world), destAddress: WALLET };
    const answer = await ask(world, 'POST', `/v1/pools/${POOL}/transact`, { body });
    expectRefusal(answer, 400, 'idempotency_key_required');
    await expectUntouched(world);
  }),

  httpLaw(
    TOPIC,
    'answers 400 terms_mismatch to another address than the quote was made for, executed or not',
    async (world) => {
      await openPool(world);
      const id = await quoteId(world);
      const body = { quoteId: id, destAddress: `0x${'0'.repeat(40)}` };
      expectRefusal(await transact(world, id, { body }), 400, 'terms_mismatch');
      await expectUntouched(world);
      expectStatus(await transact(world, id), 201);
      expectRefusal(await transact(world, id, { body }), 400, 'terms_mismatch');
    },
  ),

  httpLaw(
    TOPIC,
    'takes a quote at the very instant of its expiry, and answers 422 a millisecond later',
    async (world) => {
      await openPool(world);
      const [one, two] = [await quoteId(world), await quoteId(world)];
      await later(world, 30_000);
      expectStatus(await transact(world, one), 201);
      await later(world, 1);
      expectRefusal(await transact(world, two), 422, 'quote_expired');
      assert.equal((await trades(world)).length, 1);
    },
  ),

  httpLaw(TOPIC, 'answers 404 quote_not_found to an unknown quote and to one of another pool', async (world) => {
    await openPool(world);
    await openPool(world, { id: 'pool_other' });
    expectRefusal(await transact(world, '0'.repeat(24)), 404, 'quote_not_found');
    const elsewhere = await quoteId(world, {}, 'pool_other');
    expectRefusal(await transact(world, elsewhere), 404, 'quote_not_found');
    await expectUntouched(world);
  }),

  ...(['eur', 'usdc'] as const).map((short) =>
    httpLaw(
      TOPIC,
      `answers 402 insufficient_balance when ${short} is short, moves nothing, and keeps the key free`,
      async (world) => {
        await openPool(world, { [short]: '99.99' });
        const before = await balances(world);
        const [id, idempotencyKey] = [await quoteId(world), freshKey()];
        expectRefusal(await transact(world, id, { idempotencyKey }), 402, 'insufficient_balance');
        assert.deepEqual(await balances(world), before);
        assert.deepEqual(await trades(world), []);
        const currency = short.toUpperCase();
        const movement = { poolId: POOL, currency, amount: '100', reference: 'more' };
        await world.t.gate.admin.movePoolBalance(world.t.partner.id, movement);
        expectStatus(await transact(world, id, { idempotencyKey }), 201);
      },
    ),
  ),

  httpLaw(TOPIC, 'takes the last of a balance to the unit', async (world) => {
    await openPool(world, { eur: '100', usdc: '108.152173' });
    expectStatus(await transact(world, await quoteId(world)), 201);
    assert.deepEqual(await balances(world), { USDC: '0 + 108.152173 = 108.152173', EUR: '0 + 100 = 100' });
    expectRefusal(await transact(world, await quoteId(world, { amount: '0.01' })), 402, 'insufficient_balance');
  }),

  httpLaw(TOPIC, 'lists trades newest first, 50 a page by default, and a cursor visits each once', async (world) => {
    await openPool(world);
    const made: string[] = [];
    for (let count = 0; count < 52; count += 1) {
      const { json } = expectStatus(await transact(world, await quoteId(world, { amount: '1.00' })), 201);
      made.unshift(textOf(json, 'transactId'));
      await later(world, 1);
    }
    const first = expectStatus(await ask(world, 'GET', '/v1/pools/trades'), 200);
    assert.deepEqual([first.json['hasMore'], first.json['nextCursor']], [true, made[49]]);
    for (const limit of [1, 7, 26, 100]) {
      const seen: unknown[] = [];
      let query = `?limit=${limit}`;
      for (;;) {
        const page = expectStatus(await ask(world, 'GET', `/v1/pools/trades${query}`), 200);
        const { data, nextCursor } = page.json;
        assert.ok(Array.isArray(data));
        seen.push(...data.map((trade: { transactId: unknown }) => trade.transactId));
        if (typeof nextCursor !== 'string') break;
        query = `?limit=${limit}&cursor=${nextCursor}`;
      }
      assert.deepEqual(seen, made, `at ${limit} a page`);
    }
  }),

  httpLaw(TOPIC, 'refuses a limit outside 1 to 100, an unknown parameter and a cursor of nothing', async (world) => {
    for (const limit of ['0', '101', 'x', '']) {
      expectRefusal(await ask(world, 'GET', `/v1/pools/trades?limit=${limit}`), 400, 'validation_failed');
    }
    expectRefusal(await ask(world, 'GET', '/v1/pools/trades?starting_after=x'), 400, 'unknown_parameter');
    for (const cursor of ['0'.repeat(24), 'x', '%00', ''])
      expectRefusal(await ask(world, 'GET', `/v1/pools/trades?cursor=${cursor}`), 404, 'transaction_not_found');
  }),
];

/** The worker polls the provider, whose settlement takes a few seconds, until it has ended. */
async function settled(world: HttpWorld): Promise<void> {
  await world.t.gate.runDue();
  await later(world, 5_000);
  await world.t.gate.runDue();
}

/** The clocks of both modes advance together here. */
async function later({ t }: HttpWorld, ms: number): Promise<void> {
  await t.clock.advanceTo(t.clock.now('live') + ms);
}
