import { TRANSFER_KIND } from '@gateramp/provider-legs';
import { parseEther } from 'viem';
import { HDKey, hdKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import { evmChain } from '../src/index.js';
import { orderOf, type Shop, startWorld, throughLiar, type World } from './world.js';

let world: World;
beforeAll(async () => {
  world = await startWorld(['--no-mining']);
});
afterAll(() => world.stop());

const call = { callId: 'sell_1', mode: 'test', now: 0, network: 'local' } as const;
let shop: Shop;
let address: `0x${string}`;
let master: HDKey;
let tests = 0;

beforeEach(async () => {
  // Each test has its own keys, since all share one chain.
  master = HDKey.fromMasterSeed(new Uint8Array(32).fill((tests += 1)));
  shop = await world.shop({ deposits: { xpub: account().publicExtendedKey } });
  ({ address } = (await shop.chain.depositAddress(call)) as { address: `0x${string}` });
});

const account = () => master.derive("m/44'/60'/0'");

async function watch(who: Shop = shop, rounds = 3): Promise<void> {
  for (let round = 0; round < rounds; round += 1) {
    who.pass(60_000);
    await who.chain.work();
  }
}

const send = (units: bigint, to = address) =>
  world.pay({ to: world.token.address, data: world.token.data('transfer', to, units) });
const fund = () => world.pay({ to: world.token.address, data: world.token.data('mint', FAUCET, 10n ** 12n) });
const FAUCET = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266';
const seen = async (who: Shop = shop) =>
  (await who.chain.deposits(call)).map((deposit) => [deposit.amount, deposit.seen]);
const names = () => shop.alarms.map(({ name }) => name);

describe('a deposit address', () => {
  it('is refused as an address of the buyer', async () => {
    await watch();
    for (const given of [address, `0x${address.slice(2).toUpperCase()}`])
      expect(shop.chain.addressProblem('local', given)).toMatch(/receives deposits for us/);
    expect(shop.chain.addressProblem('local', FAUCET)).toBeNull();
  });

  it('is refused by a process that does not watch deposits, for reservations, sends and what an operator returns', async () => {
    const idle = shop.another();
    const order = orderOf({ to: address });
    expect(await idle.chain.reserve({ ...order, callId: 'send_a' })).toMatchObject({
      kind: 'refused',
      failure: { code: 'wallet_address_invalid' },
    });
    const send = await shop.another().chain.send({ ...order, callId: 'send_b' });
    expect(send).toMatchObject({ kind: 'refused', failure: { code: 'wallet_address_invalid' } });
    const cli = shop.another();
    await cli.chain.arrivedDeposits();
    expect(cli.chain.addressProblem('local', address)).toMatch(/receives deposits for us/);
  });

  it('is child 0/i of the account key, the same for every repeat, and different for every call', async () => {
    expect(address).toBe(hdKeyToAccount(master, { accountIndex: 0, addressIndex: 0 }).address);
    const other = shop.another();
    expect(await other.chain.depositAddress(call)).toEqual({ address, memo: null });
    const calls = Array.from({ length: 6 }, (_, at) => ({ ...call, callId: `sell_${at + 2}` }));
    const given = await Promise.all(calls.map((next, at) => (at % 2 === 0 ? shop : other).chain.depositAddress(next)));
    expect(new Set(given.map((next) => next.address)).size).toBe(6);
    expect(given.map((next) => next.address)).toContain(
      hdKeyToAccount(master, { accountIndex: 0, addressIndex: 6 }).address,
    );
  });

  it('is not made from a private key, which no message quotes', () => {
    const options = { networks: [world.network()], wallet: { account: shop.account }, store: shop.store };
    expect(() => evmChain({ ...options, deposits: { xpub: account().privateExtendedKey } })).toThrow(
      /^The deposit key is a private key/,
    );
    expect(() => evmChain({ ...options, deposits: { xpub: `${account().privateExtendedKey}x` } })).toThrow(
      /^The deposit key is not an extended/,
    );
  });
});

describe('a deposit', () => {
  beforeEach(async () => {
    await fund();
    await world.mine();
  });

  it('counts from the block that contains it and is credited at its depth', async () => {
    await send(2_500_000n);
    await world.mine();
    await watch();
    expect(await seen()).toEqual([['2.5', 1]]);
    await world.mine();
    await watch();
    expect(await seen()).toEqual([['2.5', 2]]);
    await world.mine();
    await watch();
    expect(await seen()).toEqual([['2.5', 3]]);
  });

  it('is each transfer of a transaction, and native coins too', async () => {
    await world.pay({
      to: world.token.address,
      data: world.token.data('transferTwice', address, 1_000_000n, 2_000_000n),
    });
    await world.pay({ to: address, value: parseEther('0.5') });
    await world.mine(4);
    await watch();
    expect((await seen()).toSorted()).toEqual([
      ['0.5', 3],
      ['1', 3],
      ['2', 3],
    ]);
  });

  it('is credited once by two processes and after a restart', async () => {
    const other = shop.another();
    await send(1_000_000n);
    await world.mine(5);
    await Promise.all([watch(), watch(other)]);
    await watch(shop.another());
    expect(await seen()).toEqual([['1', 3]]);
  });

  it('is unseen by a reorganization, and seen again where it is included again', async () => {
    await send(1_000_000n);
    await world.mine();
    await watch();
    expect(await seen()).toEqual([['1', 1]]);
    await world.anvil.request('anvil_reorg', 1, []);
    await watch();
    expect(await seen()).toEqual([]);
    const hash = await send(1_000_000n);
    await world.mine(3);
    await watch();
    expect(await seen()).toEqual([['1', 3]]);
    expect(names()).not.toContain('deposit_reorged');
    // Its call is found by the hash, which was seen before the reorganization too.
    expect(await shop.store.load(TRANSFER_KIND, `${hash} sell_1`)).toMatchObject({
      version: 1,
      body: { callId: 'sell_1', as: 'deposit' },
    });
    const { body } = (await shop.store.load('evm_cursor', 'local')) ?? {};
    expect(body).toMatchObject({ number: Number(await world.anvil.request('eth_blockNumber')) });
  });

  it('that a reorganization removes after it was credited raises an alarm', async () => {
    await send(1_000_000n);
    await world.mine(3);
    await watch();
    await world.anvil.request('anvil_reorg', 4, []);
    await watch();
    expect(await seen()).toEqual([]);
    expect(names()).toContain('deposit_reorged');
  });

  it('that a reorganization past finality removes raises both alarms', async () => {
    await send(1_000_000n);
    await world.mine(14);
    await watch();
    await world.anvil.request('anvil_reorg', 15, []);
    await watch();
    expect(await seen()).toEqual([]);
    expect(names()).toEqual(expect.arrayContaining(['deep_reorg', 'deposit_reorged']));
  });

  it('that the RPC leaves out is found by the reconciler, and read again', async () => {
    let isLying = true;
    const transport = throughLiar(world.anvil, async (method, params, ask) =>
      method === 'eth_getLogs' && isLying ? [] : ask(method, ...params),
    );
    const deceived = shop.another({ network: { transport, reconcileTransport: world.network().transport } });
    const hash = await send(1_000_000n);
    await world.mine(16);
    await watch(deceived, 1);
    expect(await seen(deceived)).toEqual([]);
    isLying = false;
    await watch(deceived);
    expect(shop.alarms.filter(({ fields }) => fields['hash'] === hash)).toMatchObject([{ name: 'deposit_missed' }]);
    expect(await seen(deceived)).toEqual([['1', 3]]);
  });

  it('that the watcher does not get to is missing after five minutes, and not before', async () => {
    const stale: unknown = await world.anvil.request('eth_getBlockByNumber', 'latest', false);
    let isStale = false;
    const transport = throughLiar(world.anvil, async (method, params, ask) =>
      isStale && method === 'eth_getBlockByNumber' && params[0] === 'latest' ? stale : ask(method, ...params),
    );
    const behind = shop.another({ network: { transport, reconcileTransport: world.network().transport } });
    await world.mine(70);
    await send(1_000_000n);
    await world.mine(40);
    isStale = true;
    await watch(behind, 1);
    expect(names()).toEqual([]);
    await watch(behind, 5);
    expect(names()).toContain('deposit_missed');
    shop.alarms.length = 0;
    isStale = false;
    await watch(behind, 4);
    expect(await seen(behind)).toEqual([['1', 3]]);
    expect(names()).toEqual([]);
  });

  it('that a watcher far behind has yet to read is not missing', async () => {
    const behind = shop.another({ network: { reconcileTransport: world.network().transport } });
    await world.mine(70);
    await send(1_000_000n);
    await world.mine(40);
    await watch(behind, 4);
    expect(await seen(behind)).toEqual([['1', 3]]);
    expect(names()).toEqual([]);
  });

  it('that the second RPC does not show raises an alarm', async () => {
    const reconcileTransport = throughLiar(world.anvil, async (method, params, ask) =>
      method === 'eth_getLogs' ? [] : ask(method, ...params),
    );
    const careful = shop.another({ network: { reconcileTransport } });
    const hash = await send(1_000_000n);
    await world.mine(16);
    await watch(careful);
    expect(await seen(careful)).toEqual([['1', 3]]);
    expect(shop.alarms).toMatchObject([{ name: 'deposit_not_found', fields: { hash } }]);
  });

  it('is neither lost nor unseen while the RPC shows an old head', async () => {
    let stale: unknown = null;
    const transport = throughLiar(world.anvil, async (method, params, ask) => {
      if (stale !== null && method === 'eth_getBlockByNumber' && params[0] === 'latest') return stale;
      return ask(method, ...params);
    });
    const lagging = shop.another({ network: { transport } });
    await send(1_000_000n);
    stale = await world.anvil.request('eth_getBlockByNumber', 'latest', false);
    await world.mine(2);
    await watch();
    await watch(lagging);
    expect(await seen()).toEqual([['1', 2]]);
    stale = null;
    await world.mine();
    await watch(lagging);
    expect(await seen()).toEqual([['1', 3]]);
  });
});
