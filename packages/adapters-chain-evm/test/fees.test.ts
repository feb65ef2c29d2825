import { formatEther, parseEther, parseGwei } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { type Liar, orderOf, type Shop, type ShopOptions, startWorld, throughLiar, type World } from './world.js';

let world: World;
beforeAll(async () => {
  world = await startWorld(['--no-mining']);
});
afterAll(() => world.stop());

let receivers = 0xff_0000;
const freshBuyer = () => `0x${(receivers += 1).toString(16).padStart(40, 'f')}` as const;
const SEND = { asset: 'USDC', as: 'send' } as const;

interface StoredAttempt {
  readonly maxFee: string;
  readonly gas: string;
  readonly kind: string;
}

async function attemptsOf(shop: Shop, callId = 'send_1'): Promise<readonly StoredAttempt[]> {
  const stored = await shop.store.load('evm_send', callId);
  // The document of this leg.
  const body = stored?.body as unknown as { readonly attempts: readonly StoredAttempt[] } | undefined;
  return body?.attempts ?? [];
}

const HOUR_OF_ROUNDS = 120;

/** An hour in which blocks are made without the shop's transaction. */
async function hourWithout(shop: Shop, isMining: boolean): Promise<void> {
  for (let round = 0; round < HOUR_OF_ROUNDS; round += 1) {
    await world.anvil.request('anvil_dropAllTransactions');
    shop.pass(30_000);
    // The price of gas stays where it is.
    await world.anvil.request('anvil_setNextBlockBaseFeePerGas', `0x${parseGwei('1').toString(16)}`);
    if (isMining) await world.mine();
    await shop.chain.work();
  }
}

async function shopThrough(liar: Liar, options: ShopOptions = {}): Promise<Shop> {
  const network = { ...options.network, transport: throughLiar(world.anvil, liar) };
  const shop = await world.shop(options);
  return shop.another({ network });
}

/** A node that suggests this priority fee. */
const suggesting =
  (gwei: string): Liar =>
  (method, params, ask) =>
    method === 'eth_maxPriorityFeePerGas'
      ? Promise.resolve(`0x${parseGwei(gwei).toString(16)}`)
      : ask(method, ...params);
const smallest = (a: bigint, b: bigint) => (a < b ? a : b);
const refusal = (message: string) => Object.assign(new Error(message), { code: -32_601 });

describe('the fee of a pending send', () => {
  it('does not rise while the chain makes no block', async () => {
    const shop = await world.shop();
    await shop.chain.send(orderOf({ to: freshBuyer() }));
    await hourWithout(shop, false);
    expect(await attemptsOf(shop)).toHaveLength(1);
    await shop.settle('send_1');
  });

  it('rises at most to ten times the usual price, with one alarm until it is included', async () => {
    const shop = await shopThrough(suggesting('1'));
    await shop.chain.send(orderOf({ to: freshBuyer() }));
    await hourWithout(shop, true);
    const attempts = await attemptsOf(shop);
    expect(attempts.length).toBeGreaterThan(3);
    expect(attempts.length).toBeLessThan(30);
    const cost = attempts.map(({ maxFee, gas }) => BigInt(maxFee) * BigInt(gas)).reduce((a, b) => (a > b ? a : b));
    expect(cost).toBeLessThan(parseEther('0.003'));
    expect(shop.alarms.map(({ name }) => name)).toEqual(['fee_bound']);
    await shop.settle('send_1');
  });

  it('rises at most to the set share of what is sent, also when it is cancelled', async () => {
    const shop = await shopThrough(suggesting('1'), { network: { feeShareMaxBps: 100 } });
    const value = '0.01';
    await shop.chain.send(orderOf({ to: freshBuyer(), asset: 'ETH', amount: value }));
    await hourWithout(shop, true);
    await shop.chain.cancelSend(orderOf({ to: freshBuyer(), asset: 'ETH', amount: value }));
    await hourWithout(shop, true);
    expect((await attemptsOf(shop)).map(({ kind }) => kind)).toContain('cancellation');
    for (const { maxFee, gas } of await attemptsOf(shop))
      expect(BigInt(maxFee) * smallest(BigInt(gas), 21_000n)).toBeLessThanOrEqual(parseEther(value) / 100n);
    // Cleared while the cancellation was possible, and raised again when its fee reached the bound.
    expect(shop.alarms.map(({ name }) => name)).toEqual(['fee_bound', 'fee_bound']);
    expect(shop.cleared.map(({ name }) => name)).toEqual(['fee_bound']);
  });
});

describe('a first signature', () => {
  it('for a token worth less than its gas is neither reserved nor signed until gas is cheap', async () => {
    let price = '0.0003';
    const shop = await world.shop({
      worth: async ({ amount }) => formatEther((parseEther(amount) * parseEther(price)) / 10n ** 18n),
    });
    await baseFee('500');
    expect(await shop.chain.reserve(orderOf({ to: freshBuyer() }))).toMatchObject({ kind: 'refused' });
    const order = orderOf({ to: freshBuyer(), callId: 'send_2' });
    expect(await shop.chain.send(order)).toMatchObject({ kind: 'sending', hash: null });
    expect(shop.alarms.map(({ name }) => name)).toEqual(['fee_bound']);
    await baseFee('1');
    await shop.settle('send_2');
    expect(await shop.chain.reserve(orderOf({ to: freshBuyer(), callId: 'r_2' }))).toEqual({ kind: 'reserved' });
    expect(shop.cleared.map(({ name }) => name)).toEqual(['fee_bound']);
    price = 'unknown';
    await shop.chain.send(orderOf({ to: freshBuyer(), callId: 'send_3' }));
    await shop.settle('send_3');
  });

  it('does not follow a suggested priority fee that no block has paid', async () => {
    const shop = await shopThrough(suggesting('50000'));
    await baseFee('1');
    await shop.chain.send(orderOf({ to: freshBuyer() }));
    const [attempt] = await attemptsOf(shop);
    expect(BigInt(attempt?.maxFee ?? '0')).toBeGreaterThan(0n);
    expect(BigInt(attempt?.maxFee ?? '0')).toBeLessThan(parseGwei('100'));
    await shop.settle('send_1');
  });

  it.each([
    ['a suggested priority fee', ['eth_maxPriorityFeePerGas']],
    ['a history of fees', ['eth_feeHistory']],
    ['both', ['eth_maxPriorityFeePerGas', 'eth_feeHistory']],
  ])('works on a node without %s', async (_, missing) => {
    const shop = await shopThrough((method, params, ask) =>
      missing.includes(method) ? Promise.reject(refusal('the method does not exist')) : ask(method, ...params),
    );
    await baseFee('1');
    expect(await shop.chain.unavailable('local', SEND)).toBeNull();
    await shop.chain.send(orderOf({ to: freshBuyer() }));
    await shop.settle('send_1');
    const legacy = shop.another({ network: { fees: 'legacy' } });
    await legacy.chain.send(orderOf({ to: freshBuyer(), callId: 'send_2' }));
    await legacy.settle('send_2');
  });
});

async function baseFee(gwei: string): Promise<void> {
  await world.anvil.request('anvil_setNextBlockBaseFeePerGas', `0x${parseGwei(gwei).toString(16)}`);
  // Past the blocks that count as recent.
  for (let block = 0; block < 25; block += 1) {
    await world.mine();
    await world.anvil.request('anvil_setNextBlockBaseFeePerGas', `0x${parseGwei(gwei).toString(16)}`);
  }
}
