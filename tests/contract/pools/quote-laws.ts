import assert from 'node:assert/strict';
import {
  expectRefusal,
  expectStatus,
  failedFields,
  freshKey,
  httpLaw,
  type HttpSubject,
  type Law,
  type Members,
  WALLET,
} from '../kit.js';
import { ask, balances, openPool, POOL, quote, UNTOUCHED } from './pool-calls.js';

const TOPIC = 'HTTP: pools, quotes';

const REFUSED: readonly (readonly [string, number, string, Members])[] = [
  ['to sell crypto back', 501, 'off_ramp_not_available', { side: 'off_ramp' }],
  ['for another asset', 422, 'asset_network_mismatch', { asset: 'ETH' }],
  ['for another network', 422, 'asset_network_mismatch', { network: 'ethereum' }],
  ['for another currency', 422, 'corridor_not_supported', { currency: 'USD' }],
  ['for an invalid address', 422, 'wallet_address_invalid', { destAddress: '0xnobody' }],
  ['for more decimals than its currency has', 400, 'validation_failed', { amount: '0.001' }],
];

export const quoteLaws: readonly Law<HttpSubject>[] = [
  httpLaw(TOPIC, 'shows the price it holds for 30 seconds, and how the amount is computed', async (world) => {
    await openPool(world);
    const { json } = expectStatus(await quote(world), 201);
    const now = world.t.clock.now('live');
    assert.match(String(json['quoteId']), /^[0-9a-f]{24}$/);
    assert.deepEqual(json, {
      quoteId: json['quoteId'],
      poolId: POOL,
      side: 'on_ramp',
      asset: 'USDC',
      network: 'base',
      amountIn: '100.00',
      currencyIn: 'EUR',
      amountOut: '108.152173',
      currencyOut: 'USDC',
      rate: '1.08695652173913043',
      spreadBps: 30,
      feeBps: 20,
      totalBps: 50,
      destAddress: WALLET,
      expiresAt: new Date(now + 30_000).toISOString(),
      createdAt: new Date(now).toISOString(),
    });
    assert.deepEqual(await balances(world), UNTOUCHED);
  }),
  ...REFUSED.map(([when, status, code, body]) =>
    httpLaw(TOPIC, `is refused ${when}: ${status} ${code}`, async (world) => {
      await openPool(world);
      expectRefusal(await quote(world, body), status, code);
      assert.deepEqual(await balances(world), UNTOUCHED);
    }),
  ),
  httpLaw(TOPIC, 'names every field that is missing, malformed or unknown', async (world) => {
    await openPool(world);
    const answer = await ask(world, 'POST', `/v1/pools/${POOL}/quote`, {
      body: { side: 'buy', asset: 'USDC', amount: '-1', currency: 'EUR', dest_address: WALLET },
    });
    expectRefusal(answer, 400, 'validation_failed');
    assert.deepEqual(failedFields(answer), ['amount', 'destAddress', 'dest_address', 'network', 'side']);
  }),
  httpLaw(
    TOPIC,
    'answers a repeat under the same key with the same quote, and 409 another body under it',
    async (world) => {
      await openPool(world);
      const idempotencyKey = freshKey();
      const first = expectStatus(await quote(world, {}, { idempotencyKey }), 201);
      assert.equal(expectStatus(await quote(world, {}, { idempotencyKey }), 201).text, first.text);
      expectRefusal(await quote(world, { amount: '1.00' }, { idempotencyKey }), 409, 'idempotency_key_mismatch');
    },
  ),
];
