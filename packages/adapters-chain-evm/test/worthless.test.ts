import { type Abi, encodeFunctionData, getAddress, type Hex } from 'viem';
import { HDKey } from 'viem/accounts';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';

import { compileSolidity } from '../../../tests/services/solidity.js';
import { contractPath, type Shop, startWorld, throughLiar, type World } from './world.js';

let world: World;
let spam: { readonly address: `0x${string}`; airdrop(receivers: readonly string[], value: bigint): Hex };
beforeAll(async () => {
  world = await startWorld(['--no-mining']);
  const { abi, bytecode }: { abi: Abi; bytecode: Hex } = await compileSolidity(contractPath('spam.sol'));
  const address = await world.deploy(bytecode);
  spam = {
    address,
    airdrop: (receivers, value) => encodeFunctionData({ abi, functionName: 'airdrop', args: [receivers, value] }),
  };
});
afterAll(() => world.stop());

const call = { callId: 'sell_1', mode: 'test', now: 0, network: 'local' } as const;
const FAUCET = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266';
let shop: Shop;
let address: `0x${string}`;
let tests = 0;
beforeEach(async () => {
  const master = HDKey.fromMasterSeed(new Uint8Array(32).fill((tests += 1)));
  shop = await world.shop({ deposits: { xpub: master.derive("m/44'/60'/0'").publicExtendedKey } });
  address = getAddress((await shop.chain.depositAddress(call)).address);
  await world.pay({ to: world.token.address, data: world.token.data('mint', FAUCET, 10n ** 12n) });
  await world.mine();
});

async function watch(rounds = 3, who = shop): Promise<void> {
  for (let round = 0; round < rounds; round += 1) {
    who.pass(60_000);
    await who.chain.work();
  }
}
const names = () => shop.alarms.map(({ name }) => name);

it('transfers of zero are no deposits and raise no alarm', async () => {
  const nothing = world.token.data('transfer', address, 0n);
  for (let nth = 0; nth < 3; nth += 1) await world.pay({ to: world.token.address, data: nothing });
  await world.pay({ to: address, value: 0n });
  await world.pay({ to: world.token.address, data: world.token.data('transferTwice', address, 0n, 5_000_000n) });
  await world.mine(16);
  await watch();
  expect(await shop.chain.deposits(call)).toMatchObject([{ amount: '5', index: 0, seen: 3 }]);
  expect(names()).toEqual([]);
});

it('the logs of a contract that is not configured are not read, whatever they say', async () => {
  const others = Array.from({ length: 40 }, (_, nth) => ({ ...call, callId: `sell_${nth + 2}` }));
  const addresses = await Promise.all(others.map(async (one) => (await shop.chain.depositAddress(one)).address));
  await world.pay({ to: spam.address, data: spam.airdrop([address, ...addresses, ...addresses], 10n ** 24n) });
  await world.mine(16);
  await watch();
  expect(await shop.chain.deposits(call)).toEqual([]);
  expect(names()).toEqual([]);
});

it('200 transfers on the wrong network raise one alarm with their count', async () => {
  const elsewhere = shop.another({ network: { network: 'other', chainId: 31_337 } });
  await elsewhere.chain.depositAddress({ ...call, callId: 'sell_elsewhere', network: 'other' });
  const wrong = (await elsewhere.chain.depositAddress({ ...call, callId: 'sell_elsewhere', network: 'other' })).address;
  for (let nth = 0; nth < 100; nth += 1)
    await world.pay({ to: world.token.address, data: world.token.data('transferTwice', wrong, 1n, 1n) });
  await world.mine(3);
  await watch(1);
  expect(shop.alarms).toMatchObject([{ name: 'unattributed_deposit', fields: { address: wrong, count: 200 } }]);
  await world.pay({ to: world.token.address, data: world.token.data('transfer', wrong, 1n) });
  await world.mine();
  const unattributed = () => names().filter((name) => name === 'unattributed_deposit').length;
  await watch(2);
  expect(unattributed()).toBe(1);
  await watch(10);
  expect(unattributed()).toBe(2);
});

it('1,000 transfers to one address in one block are 1,000 deposits, each once', async () => {
  for (let nth = 0; nth < 20; nth += 1)
    await world.pay({ to: world.token.address, data: world.token.data('transferMany', address, 1n, 50n) });
  await world.mine(16);
  await Promise.all([watch(), watch(3, shop.another())]);
  const deposits = await shop.chain.deposits(call);
  expect(deposits).toHaveLength(1_000);
  expect(new Set(deposits.map(({ hash, index }) => `${hash}:${index}`)).size).toBe(1_000);
  expect(names()).toEqual([]);
});

it('a deposit of an earlier version keeps its index when its block is read again', async () => {
  const hash = await world.pay({ to: world.token.address, data: world.token.data('transfer', address, 5_000_000n) });
  await world.mine(16);
  await watch();
  const stored = await shop.store.load('evm_deposit', 'sell_1');
  const cursor = await shop.store.load('evm_cursor', 'local');
  if (stored === null || cursor === null) throw new Error('expected a deposit');
  // Earlier versions counted transfers of every contract.
  const body = JSON.parse(
    JSON.stringify(stored.body).replace('"index":0,"asset"', '"index":3,"asset"'),
  ) as typeof stored.body;
  const { headers } = cursor.body as unknown as { headers: { number: number; hash: string }[] };
  const back = { ...(cursor.body as object), ...headers[0], headers: headers.slice(0, 1) };
  await shop.store.commit({
    documents: [
      { ...stored, body, version: stored.version + 1 },
      { ...cursor, body: back, dueAt: 0, version: cursor.version + 1 },
    ],
    entries: [],
  });
  await watch();
  expect(await shop.chain.deposits(call)).toMatchObject([{ hash, index: 3, amount: '5' }]);
});

it('a fee that a token switches on: what arrived is credited, with an alarm', async () => {
  const token = world.token;
  await world.pay({ to: token.address, data: token.data('charge', 100n, true) });
  await world.pay({ to: token.address, data: token.data('transfer', address, 100_000_000n) });
  await world.mine();
  await world.pay({ to: token.address, data: token.data('charge', 0n, false) });
  await world.mine(16);
  await watch();
  expect(await token.balanceOf(address)).toBe(99_000_000n);
  expect((await shop.chain.deposits(call)).map(({ amount }) => amount)).toEqual(['99']);
  expect(shop.alarms).toMatchObject([
    { name: 'token_fee_on_transfer', fields: { logged: '100000000', arrived: '99000000' } },
  ]);
});

it('logs count where the node has no balances of the block', async () => {
  const transport = throughLiar(world.anvil, (method, params, ask) =>
    method === 'eth_call'
      ? Promise.reject(Object.assign(new Error('missing trie node'), { code: -32_000 }))
      : ask(method, ...params),
  );
  const other = shop.another({ network: { transport } });
  await world.pay({ to: world.token.address, data: world.token.data('transfer', address, 7_000_000n) });
  await world.mine(16);
  await watch(3, other);
  expect((await other.chain.deposits(call)).map(({ amount, seen }) => [amount, seen])).toEqual([['7', 3]]);
});

const refused = () => Promise.reject(Object.assign(new Error('missing trie node'), { code: -32_000 }));
const silent = () => Promise.reject(new Error('socket hang up'));

/** A transfer of 100 of which 99 arrive, while the log says 100. */
async function payWithFee(): Promise<void> {
  const token = world.token;
  await world.pay({ to: token.address, data: token.data('charge', 100n, true) });
  await world.pay({ to: token.address, data: token.data('transfer', address, 100_000_000n) });
  await world.mine();
  await world.pay({ to: token.address, data: token.data('charge', 0n, false) });
  await world.mine(16);
}

it.each(['eth_call', 'eth_getLogs of senders'])(
  'a fee is noticed although the node does not answer once: %s',
  async (which) => {
    let failures = 0;
    const transport = throughLiar(world.anvil, async (method, params, ask) => {
      const { topics } = (params[0] ?? {}) as { topics?: readonly unknown[] };
      const isSenders = method === 'eth_getLogs' && typeof topics?.[1] === 'string';
      const isAsked = which === 'eth_call' ? method === 'eth_call' : isSenders;
      if (!isAsked || failures > 0) return ask(method, ...params);
      failures += 1;
      return silent();
    });
    const other = shop.another({ network: { transport } });
    await payWithFee();
    await watch(4, other);
    expect(failures).toBe(1);
    expect((await other.chain.deposits(call)).map(({ amount }) => amount)).toEqual(['99']);
    expect(names()).toEqual(['token_fee_on_transfer']);
  },
);

it('a credited deposit is not raised when its block is read again without its balances', async () => {
  await payWithFee();
  await watch();
  const cursor = await shop.store.load('evm_cursor', 'local');
  if (cursor === null) throw new Error('expected a cursor');
  const { headers } = cursor.body as unknown as { headers: { number: number; hash: string }[] };
  const body = { ...(cursor.body as object), ...headers[0], headers: headers.slice(0, 1) };
  const again = { ...cursor, body, dueAt: 0, version: cursor.version + 1 };
  await shop.store.commit({ documents: [again], entries: [] });
  const transport = throughLiar(world.anvil, (method, params, ask) =>
    method === 'eth_call' ? refused() : ask(method, ...params),
  );
  await watch(3, shop.another({ network: { transport } }));
  expect((await shop.chain.deposits(call)).map(({ amount }) => amount)).toEqual(['99']);
});
