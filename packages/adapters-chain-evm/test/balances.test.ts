import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createWalletClient, getAddress, http, parseEther } from 'viem';
import { HDKey, hdKeyToAccount, type HDAccount } from 'viem/accounts';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import { compileSolidity } from '../../../tests/services/solidity.js';
import { contractPath, type Shop, startWorld, throughLiar, type World } from './world.js';

let world: World;
beforeAll(async () => {
  world = await startWorld(['--no-mining']);
  await world.mine(20);
});
afterAll(() => world.stop());

const call = { callId: 'sell_1', mode: 'test', now: 0, network: 'local' } as const;
const DAY = 24 * 3_600_000;
let shop: Shop;
let address: `0x${string}`;
let owner: HDAccount;
let tests = 0;
beforeEach(async () => {
  const master = HDKey.fromMasterSeed(new Uint8Array(32).fill((tests += 1)));
  owner = hdKeyToAccount(master, { accountIndex: 0, addressIndex: 0 });
  shop = await world.shop({ deposits: { xpub: master.derive("m/44'/60'/0'").publicExtendedKey } });
  address = getAddress((await shop.chain.depositAddress(call)).address);
});

async function watch(rounds = 3, who = shop): Promise<void> {
  for (let round = 0; round < rounds; round += 1) {
    who.pass(5_000);
    await who.chain.work();
  }
}
/** Native coins that a contract passes on, as a smart wallet does. */
const forward = (value: bigint, to = address) =>
  world.pay({ to: world.token.address, value, data: world.token.data('forward', to) });
const seen = async (who = shop) =>
  (await who.chain.deposits(call)).map(({ asset, amount, seen: depth }) => [asset, amount, depth]);
const names = () => shop.alarms.map(({ name }) => name);

/** The operator moves everything away with the key of the address. */
async function sweep(): Promise<void> {
  const url = world.anvil.url;
  const balance = BigInt((await world.anvil.request('eth_getBalance', address, 'latest')) as string);
  const gasPrice = 10n ** 11n;
  const wallet = createWalletClient({ account: owner, transport: http(url) });
  const value = balance - 21_000n * gasPrice;
  await wallet.sendTransaction({ chain: null, to: shop.wallet, value, gas: 21_000n, gasPrice, type: 'legacy' });
}

describe('native coins that a contract passes on', () => {
  it('are seen at once, and credited when their block is final', async () => {
    await watch(1);
    await forward(parseEther('0.5'));
    await world.mine();
    await watch();
    expect(await seen()).toEqual([['ETH', '0.5', 1]]);
    await world.mine(3);
    await watch();
    expect(await seen()).toEqual([['ETH', '0.5', 2]]);
    await world.mine(12);
    await watch();
    expect(await seen()).toEqual([['ETH', '0.5', 3]]);
    expect(await shop.chain.deposits(call)).toMatchObject([{ isMeasured: true }]);
    expect(shop.alarms).toEqual([]);
  });

  it('have the time of their block', async () => {
    await watch(1);
    await forward(7n);
    await world.mine();
    const block = (await world.anvil.request('eth_getBlockByNumber', 'latest', false)) as { timestamp: string };
    await world.mine(20);
    await watch();
    expect(await shop.chain.deposits(call)).toMatchObject([{ at: Number(block.timestamp) * 1_000, seen: 3 }]);
  });

  it('and coins of a transaction to the address are each credited once, by two processes and after a restart', async () => {
    await forward(5n);
    await world.pay({ to: address, value: 11n });
    await world.mine();
    await forward(6n);
    await world.mine(16);
    const other = shop.another();
    await Promise.all([watch(), watch(3, other)]);
    await watch(3, shop.another());
    const deposits = await shop.chain.deposits(call);
    expect(deposits.map(({ amount }) => amount).toSorted()).toEqual(['0.000000000000000011', '0.000000000000000011']);
    expect(deposits.every(({ seen: depth }) => depth === 3)).toBe(true);
    await forward(1n);
    await world.mine(16);
    await watch();
    expect((await seen()).length).toBe(3);
    expect(names()).toEqual([]);
  });

  it('are unseen by a reorganization, and seen again where they are included again', async () => {
    await watch(1);
    await forward(5n);
    await world.mine();
    await watch();
    const [first] = await shop.chain.deposits(call);
    await world.anvil.request('anvil_reorg', 1, []);
    await watch();
    expect(await seen()).toEqual([]);
    await forward(5n);
    await world.mine(16);
    await watch();
    const deposits = await shop.chain.deposits(call);
    expect(deposits).toMatchObject([{ hash: first?.hash, seen: 3 }]);
    expect(names()).toEqual([]);
  });

  it('are credited once when the address is swept before, in the same rounds, and after', async () => {
    await world.pay({ to: address, value: parseEther('1') });
    await world.mine(16);
    await watch();
    await sweep();
    await world.mine(16);
    await watch(15);
    await forward(parseEther('0.25'));
    await world.mine();
    await sweep();
    await world.mine(16);
    await watch(15);
    expect((await seen()).map(([, amount]) => amount)).toEqual(['1', '0.25']);
    await sweep().catch(() => undefined);
    await forward(parseEther('0.5'));
    await world.mine(16);
    await watch(15);
    expect((await seen()).toSorted()).toEqual([
      ['ETH', '0.25', 3],
      ['ETH', '0.5', 3],
      ['ETH', '1', 3],
    ]);
    expect(names()).toEqual([]);
  });

  it('are not credited twice by a node that answers with its newest balances', async () => {
    let isAhead = true;
    const transport = throughLiar(world.anvil, async (method, params, ask) => {
      if (!isAhead) return ask(method, ...params);
      if (method === 'eth_call') return ask(method, params[0], 'latest');
      const isHead = method === 'eth_getBlockByNumber' && params[0] === 'latest';
      return isHead ? stale : ask(method, ...params);
    });
    const stale: unknown = await world.anvil.request('eth_getBlockByNumber', 'latest', false);
    const behind = shop.another({ network: { transport } });
    await world.anvil.request('evm_increaseTime', 10);
    await world.pay({ to: address, value: 9n });
    await world.mine();
    await watch(3, behind);
    expect(names()).toEqual(['worker_failed']);
    isAhead = false;
    await world.mine(16);
    await watch(4, behind);
    expect(await seen(behind)).toEqual([['ETH', '0.000000000000000009', 3]]);
  });

  it('that are at an address before it is given out keep it from being given out', async () => {
    const next = hdKeyToAccount(HDKey.fromMasterSeed(new Uint8Array(32).fill(tests)), { addressIndex: 1 }).address;
    await forward(5n, next);
    await world.mine(16);
    const second = { ...call, callId: 'sell_2' };
    const given = getAddress((await shop.chain.depositAddress(second)).address);
    expect(given).toBe(
      hdKeyToAccount(HDKey.fromMasterSeed(new Uint8Array(32).fill(tests)), { addressIndex: 2 }).address,
    );
    await watch();
    expect(await shop.chain.deposits(second)).toEqual([]);
    await forward(6n, given);
    await world.mine(16);
    await watch();
    expect(await shop.chain.deposits(second)).toMatchObject([{ amount: '0.000000000000000006', seen: 3 }]);
  });
});

describe('an address long after its operation', () => {
  it('is still compared, and what arrives raises an alarm', async () => {
    await watch(1);
    shop.pass(31 * DAY);
    await forward(5n);
    await world.pay({ to: world.token.address, data: world.token.data('mint', address, 3_000_000n) });
    await world.mine(16);
    await watch(30);
    expect((await seen()).toSorted()).toEqual([
      ['ETH', '0.000000000000000005', 3],
      ['USDC', '3', 3],
    ]);
    expect(names()).toEqual(['deposit_unclaimed']);
    expect(shop.alarms[0]?.fields).toMatchObject({ address, count: 1 });
  });

  it('is reached by a round through all addresses, with few requests each time', async () => {
    const others = Array.from({ length: 450 }, (_, nth) => ({ ...call, callId: `sell_${nth + 2}` }));
    for (const one of others) await shop.chain.depositAddress(one);
    const last = await shop.chain.depositAddress({ ...call, callId: 'sell_451' });
    shop.pass(31 * DAY);
    await world.mine();
    await watch(2);
    await forward(5n, getAddress(last.address));
    await world.mine(16);
    let requests = 0;
    const transport = throughLiar(world.anvil, (method, params, ask) => {
      // Only the probe is deployed nowhere.
      if (method === 'eth_call' && (params[0] as { to?: string }).to === undefined) requests += 1;
      return ask(method, ...params);
    });
    const counted = shop.another({ network: { transport } });
    await watch(40, counted);
    expect(await counted.chain.deposits({ ...call, callId: 'sell_451' })).toMatchObject([{ seen: 3 }]);
    expect(requests).toBeLessThan(40);
  });

  it('of an earlier version leaves what it holds to an operator', async () => {
    await watch(1);
    const stored = await shop.store.load('evm_deposit', 'sell_1');
    if (stored === null) throw new Error('expected a document');
    const { measured: _, ...body } = stored.body as Record<string, never>;
    await shop.store.commit({ documents: [{ ...stored, body, version: stored.version + 1 }], entries: [] });
    await forward(5n);
    await world.mine(16);
    await watch(30);
    expect(await seen()).toEqual([]);
    expect(await shop.store.load('evm_deposit', 'sell_1')).toMatchObject({ body: { unattributed: { ETH: '5' } } });
    expect(names()).toEqual(['unattributed_deposit']);
  });
});

it('tokens that the logs leave out are read again, without a second RPC', async () => {
  let isLying = true;
  const transport = throughLiar(world.anvil, async (method, params, ask) =>
    method === 'eth_getLogs' && isLying ? [] : ask(method, ...params),
  );
  const deceived = shop.another({ network: { transport } });
  await watch(1, deceived);
  await world.pay({ to: world.token.address, data: world.token.data('mint', address, 3_000_000n) });
  await world.mine(16);
  await watch(1, deceived);
  isLying = false;
  await watch(4, deceived);
  expect(await seen(deceived)).toEqual([['USDC', '3', 3]]);
  expect(names()).toEqual([]);
});

it('tokens that no log ever shows raise one alarm and are left to an operator', async () => {
  const transport = throughLiar(world.anvil, async (method, params, ask) =>
    method === 'eth_getLogs' ? [] : ask(method, ...params),
  );
  const deceived = shop.another({ network: { transport } });
  await watch(1, deceived);
  await world.pay({ to: world.token.address, data: world.token.data('mint', address, 3_000_000n) });
  await world.mine(16);
  await watch(30, deceived);
  expect(shop.alarms).toMatchObject([{ name: 'deposit_missed', fields: { asset: 'USDC', balance: '3000000' } }]);
  expect(await shop.store.load('evm_deposit', 'sell_1')).toMatchObject({ body: { unattributed: { USDC: '3000000' } } });
});

it('a token whose balance changes by itself holds up no coins, and few blocks are read again', async () => {
  let rereads = 0;
  let newest = 0;
  const transport = throughLiar(world.anvil, async (method, params, ask) => {
    if (method === 'eth_getLogs') return [];
    if (method === 'eth_getBlockByNumber' && params[1] === true) {
      if (Number(params[0]) <= newest) rereads += 1;
      newest = Math.max(newest, Number(params[0]));
    }
    return ask(method, ...params);
  });
  const other = shop.another({ network: { transport } });
  await watch(1, other);
  await forward(5n);
  await world.mine(16);
  for (let round = 0; round < 24; round += 1) {
    await world.pay({ to: world.token.address, data: world.token.data('mint', address, 1n) });
    await world.mine();
    await watch(1, other);
  }
  expect(await seen(other)).toEqual([['ETH', '0.000000000000000005', 3]]);
  expect(await shop.store.load('evm_deposit', 'sell_1')).toMatchObject({
    body: { unattributed: { USDC: expect.stringMatching(/^([4-9]|[12]\d)$/) } },
  });
  // At most the blocks of the rounds in between, not all since the address is known.
  expect(rereads).toBeLessThan(60);
});

it('the code that reads balances is the compiled contract', async () => {
  const { bytecode } = await compileSolidity(contractPath('balance-probe.sol'));
  expect(readFileSync(join(import.meta.dirname, '../src/balances.ts'), 'utf8')).toContain(bytecode);
});
