import { createWalletClient, getAddress, http, parseEther } from 'viem';
import { HDKey, hdKeyToAccount, type HDAccount } from 'viem/accounts';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';

import { type Shop, startWorld, type World } from './world.js';

let world: World;
beforeAll(async () => {
  world = await startWorld(['--no-mining']);
  await world.pay({ to: world.token.address, data: world.token.data('mint', FAUCET, 10n ** 12n) });
  await world.mine(20);
});
afterAll(() => world.stop());

const FAUCET = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266';
const call = { callId: 'sell_1', mode: 'test', now: 0, network: 'local' } as const;
let shop: Shop;
let address: `0x${string}`;
let keys: HDKey;
let tests = 0;
beforeEach(async () => {
  keys = HDKey.fromMasterSeed(new Uint8Array(32).fill((tests += 1)));
  const xpub = keys.derive("m/44'/60'/0'").publicExtendedKey;
  shop = await world.shop({ deposits: { xpub, ownAddresses: [FAUCET] } });
  address = getAddress((await shop.chain.depositAddress(call)).address);
  await watch(1);
});

async function watch(rounds = 3, who = shop): Promise<void> {
  for (let round = 0; round < rounds; round += 1) {
    who.pass(60_000);
    await who.chain.work();
  }
}
const seen = async () => (await shop.chain.deposits(call)).map(({ asset, amount }) => [asset, amount]);
/** Coins from an account that is not listed. */
async function payFrom(account: HDAccount, value: bigint): Promise<void> {
  const wallet = createWalletClient({ account, transport: http(world.anvil.url) });
  const fees = { gas: 21_000n, gasPrice: 10n ** 11n, type: 'legacy' } as const;
  await wallet.sendTransaction({ chain: null, to: address, value, ...fees });
}

it('coins and tokens of a listed account are no deposit, and no other amount either', async () => {
  await world.pay({ to: address, value: 7n });
  await world.pay({ to: world.token.address, data: world.token.data('transfer', address, 1_000_000n) });
  await world.mine(16);
  await watch(6);
  expect(await seen()).toEqual([]);
  const [arrived] = await shop.chain.arrivedDeposits();
  expect(arrived).toMatchObject({ deposits: [], unattributed: [] });
  expect(await shop.store.load('evm_cursor', 'local')).toMatchObject({ body: { unsettled: [] } });
  expect(shop.alarms).toEqual([]);
});

it('coins of the hot wallet and of another deposit address are no deposit', async () => {
  const other = hdKeyToAccount(keys, { addressIndex: 1 });
  await shop.chain.depositAddress({ ...call, callId: 'sell_2' });
  await world.anvil.request('anvil_setBalance', other.address, '0xde0b6b3a7640000');
  await payFrom(other, 3n);
  const wallet = createWalletClient({ account: shop.account, transport: http(world.anvil.url) });
  const fees = { gas: 21_000n, gasPrice: 10n ** 11n, type: 'legacy' } as const;
  await wallet.sendTransaction({ chain: null, to: address, value: 5n, ...fees });
  await world.mine(16);
  await watch(6);
  expect(await seen()).toEqual([]);
});

it('coins of the buyer are a deposit while those of a listed account are there, and after a reorganization', async () => {
  const buyer = hdKeyToAccount(keys, { accountIndex: 9 });
  await world.anvil.request('anvil_setBalance', buyer.address, '0xde0b6b3a7640000');
  await world.pay({ to: address, value: parseEther('0.5') });
  await world.mine();
  await watch(1);
  await world.anvil.request('anvil_reorg', 1, []);
  await watch(2);
  expect(await shop.store.load('evm_deposit', 'sell_1')).toMatchObject({ body: { deposits: [] } });
  await payFrom(buyer, parseEther('0.25'));
  await world.pay({ to: address, value: parseEther('0.5') });
  await world.mine();
  await world.pay({
    to: world.token.address,
    value: parseEther('0.125'),
    data: world.token.data('forward', address),
  });
  await world.mine(16);
  await watch(6);
  expect((await seen()).toSorted()).toEqual([
    ['ETH', '0.125'],
    ['ETH', '0.25'],
  ]);
  expect(shop.alarms).toEqual([]);
});

it('a second RPC does not miss what a listed account sent', async () => {
  const compared = shop.another({ network: { reconcileTransport: world.network().transport } });
  await world.pay({ to: world.token.address, data: world.token.data('transfer', address, 1_000_000n) });
  await world.mine(16);
  await watch(6, compared);
  expect(await seen()).toEqual([]);
  expect(shop.alarms).toEqual([]);
});
