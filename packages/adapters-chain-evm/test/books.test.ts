import { decimal } from '@gateramp/core/domain';
import { type LegsStore, memoryLegsStore, reconcileLedger } from '@gateramp/provider-legs';
import { formatUnits, type Hex, parseEther, parseUnits } from 'viem';
import { HDKey } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { depositKeysOf } from '../src/index.js';
import { BUYER, orderOf, startWorld, type Shop, type World } from './world.js';

let world: World;
beforeAll(async () => {
  world = await startWorld(['--no-mining']);
});
afterAll(() => world.stop());

/** Enough blocks to make everything final, with rounds of work before and after. */
async function finish(shop: Shop): Promise<void> {
  for (let round = 0; round < 4; round += 1) {
    await shop.chain.work();
    await world.mine(4);
    shop.pass(60_000);
  }
  await shop.chain.work();
}

const FAUCET = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266';
const coinsOf = async (owner: Hex) =>
  formatUnits(BigInt((await world.anvil.request('eth_getBalance', owner, 'latest')) as Hex), 18);
const tokensOf = async (owner: Hex) => formatUnits(await world.token.balanceOf(owner), 6);

async function balanceOf({ store }: Shop, account: string, currency: string): Promise<string> {
  const found = (await store.balances(null)).find((one) => one.account === account && one.currency === currency);
  return decimal.normalise(found?.amount ?? '0');
}

/** Books a delivery as the legs do when the chain reports it as confirmed. */
async function bookDelivery({ store }: Shop, operationId: string, amount: string): Promise<void> {
  const postings = [
    { account: 'customer', currency: 'USDC@local', amount },
    { account: 'chain:local', currency: 'USDC@local', amount: `-${amount}` },
  ];
  await store.commit({ documents: [], entries: [{ id: `${operationId}:out`, operationId, at: 1, postings }] });
}

async function bookDeposit({ store }: Shop, operationId: string, amount: string): Promise<void> {
  const postings = [
    { account: 'chain:local', currency: 'USDC@local', amount },
    { account: 'customer', currency: 'USDC@local', amount: `-${amount}` },
  ];
  await store.commit({ documents: [], entries: [{ id: `${operationId}:deposit`, operationId, at: 1, postings }] });
}

/** The ledger less the position of the chain, by currency. */
async function differences({ store, chain }: Shop): Promise<Readonly<Record<string, string>>> {
  const { positions } = await reconcileLedger(store, await chain.positions());
  return Object.fromEntries(positions.map(({ currency, difference }) => [currency, difference]));
}

/** A backup of the wallet and its books. */
async function copyOf({ store, wallet }: Shop): Promise<LegsStore> {
  const copy = memoryLegsStore();
  for (const kind of ['evm_send', 'evm_wallet', 'evm_reservation', 'evm_books', 'evm_settled'])
    for (const document of await store.list({ kind, after: null, limit: 100 }))
      for (let version = 1; version <= document.version; version += 1)
        await copy.commit({ documents: [{ ...document, version }], entries: [] });
  await copy.commit({ documents: [], entries: await store.entries(`wallet:31337:${wallet.toLowerCase()}`) });
  return copy;
}

const NO_DIFFERENCE = { 'USDC@local': '0', 'ETH@local': '0' };

/** The ledger has exactly what the wallet holds. */
async function expectBooksToAgree(shop: Shop): Promise<void> {
  expect(await balanceOf(shop, 'chain:local', 'USDC@local')).toBe(await tokensOf(shop.wallet));
  expect(await balanceOf(shop, 'chain:local', 'ETH@local')).toBe(await coinsOf(shop.wallet));
}

describe('the books of the wallet', () => {
  it('agree after a restore, whose unknown send is booked as a withdrawal until its operation asks for it', async () => {
    const shop = await world.shop();
    const order = orderOf({ callId: 'op1-send', to: BUYER });
    await finish(shop);
    await shop.chain.reserve(order);
    const backup = await copyOf(shop);
    await shop.chain.send(order);
    await shop.settle('op1-send');
    const restored = shop.another({ store: backup });
    await finish(restored);
    expect(await balanceOf(restored, 'funding', 'USDC@local')).toBe('-990');
    await restored.chain.send(order);
    await restored.settle('op1-send');
    await bookDelivery(restored, 'op1', '10');
    await finish(restored);
    await expectBooksToAgree(restored);
    expect(await differences(restored)).toEqual(NO_DIFFERENCE);
    expect(await balanceOf(restored, 'funding', 'USDC@local')).toBe('-1000');
  });

  it('open with its balances, and have the gas of every send to the last wei', async () => {
    const shop = await world.shop();
    for (const nth of ['1', '2', '3']) {
      const callId = `op${nth}-send`;
      await shop.chain.send(orderOf({ callId, to: BUYER }));
      await shop.settle(callId);
      await bookDelivery(shop, `op${nth}`, '10');
    }
    await finish(shop);
    await expectBooksToAgree(shop);
    const [gas] = (await shop.store.entries('op1')).filter(({ id }) => id.startsWith('gas:'));
    expect(gas?.postings).toMatchObject([
      { account: 'chain:local', currency: 'ETH@local', amount: expect.stringMatching(/^-0\.0/) },
      { account: 'costs', currency: 'ETH@local', amount: expect.stringMatching(/^0\.0/) },
    ]);
  });

  it('have top-ups and withdrawals as money of the house, each once, with several processes', async () => {
    const shop = await world.shop();
    const other = shop.another();
    await finish(shop);
    await world.pay({ to: shop.wallet, value: parseEther('2.5') });
    await world.pay({ to: world.token.address, data: world.token.data('mint', shop.wallet, parseUnits('70', 6)) });
    await world.mine(20);
    shop.pass(120_000);
    await Promise.all([shop.chain.work(), other.chain.work()]);
    await finish(shop);
    await expectBooksToAgree(shop);
    expect(await balanceOf(shop, 'funding', 'ETH@local')).toBe('-12.5');
    expect(await balanceOf(shop, 'funding', 'USDC@local')).toBe('-1070');
  });

  it('have the gas of a cancelled send, which moved nothing', async () => {
    const shop = await world.shop();
    await finish(shop);
    await shop.chain.send(orderOf({ callId: 'op1-send' }));
    await shop.chain.cancelSend(orderOf({ callId: 'op1-send' }));
    shop.pass(2_000);
    await shop.chain.work();
    await shop.settle('op1-send');
    await finish(shop);
    expect(await shop.chain.lookupSend({ callId: 'op1-send', mode: 'test', now: 0 })).toMatchObject({
      kind: 'refused',
    });
    await expectBooksToAgree(shop);
    expect(await balanceOf(shop, 'costs', 'ETH@local')).not.toBe('0');
  });

  it('open on an installation that has sent before, without booking its deliveries again', async () => {
    const before = await world.shop();
    await before.chain.send(orderOf({ callId: 'op1-send' }));
    await before.settle('op1-send');
    await before.chain.send(orderOf({ callId: 'op2-send' }));
    await world.mine(100);
    const store = await withoutBooks(before.store);
    const shop = before.another({ store });
    await bookDelivery(shop, 'op1', '10');
    await shop.settle('op2-send');
    await bookDelivery(shop, 'op2', '10');
    await finish(shop);
    await expectBooksToAgree(shop);
  });

  it('have a deposit once, wherever it is swept to', async () => {
    const master = HDKey.fromMasterSeed(new Uint8Array(32).fill(201));
    const xpub = master.derive("m/44'/60'/0'").publicExtendedKey;
    const shop = await world.shop({ deposits: { xpub, ownAddresses: [FAUCET] } });
    const call = { callId: 'op1-deposit', mode: 'test', now: 0, network: 'local' } as const;
    const address = depositKeysOf(xpub).addressAt(0);
    expect(await shop.chain.depositAddress(call)).toMatchObject({ address });
    await finish(shop);
    await world.pay({ to: world.token.address, data: world.token.data('mint', address, parseUnits('50', 6)) });
    await finish(shop);
    await bookDeposit(shop, 'op1', '50');
    expect(await differences(shop)).toEqual(NO_DIFFERENCE);

    await world.pay({ to: address, value: parseEther('1') });
    await world.mine();
    await world.anvil.request('anvil_impersonateAccount', address);
    const sweep = (to: Hex, amount: string) =>
      world.anvil.request('eth_sendTransaction', {
        from: address,
        to: world.token.address,
        data: world.token.data('transfer', to, parseUnits(amount, 6)),
      });
    await sweep(shop.wallet, '30');
    await world.mine(20);
    await finish(shop);
    expect(await balanceOf(shop, 'chain:local', 'USDC@local')).toBe('1050');
    expect(await balanceOf(shop, 'funding', 'USDC@local')).toBe('-1000');
    await sweep(BUYER, '20');
    await world.mine(20);
    await finish(shop);
    expect(await differences(shop)).toEqual(NO_DIFFERENCE);
    await expectBooksToAgree(shop);
    expect(await balanceOf(shop, 'funding', 'USDC@local')).toBe('-980');
  });

  it('have the gas of a sweep, which the operator sent to the deposit address, as money of the house', async () => {
    const master = HDKey.fromMasterSeed(new Uint8Array(32).fill(202));
    const xpub = master.derive("m/44'/60'/0'").publicExtendedKey;
    const shop = await world.shop({ deposits: { xpub, ownAddresses: [FAUCET] } });
    const call = { callId: 'op1-deposit', mode: 'test', now: 0, network: 'local' } as const;
    const address = depositKeysOf(xpub).addressAt(0);
    await shop.chain.depositAddress(call);
    await finish(shop);
    await world.pay({ to: world.token.address, data: world.token.data('mint', address, parseUnits('50', 6)) });
    await finish(shop);
    await bookDeposit(shop, 'op1', '50');
    await world.pay({ to: address, value: parseEther('0.2') });
    await finish(shop);
    expect(await differences(shop)).toEqual(NO_DIFFERENCE);
    const before = await balanceOf(shop, 'funding', 'ETH@local');

    await world.anvil.request('anvil_impersonateAccount', address);
    const data = world.token.data('transfer', shop.wallet, parseUnits('50', 6));
    await world.anvil.request('eth_sendTransaction', { from: address, to: world.token.address, data });
    await world.mine(20);
    await finish(shop);
    expect(await differences(shop)).toEqual(NO_DIFFERENCE);
    await expectBooksToAgree(shop);
    expect(await balanceOf(shop, 'funding', 'ETH@local')).toBe(before);
    expect((await shop.chain.deposits(call)).map(({ asset, amount }) => [asset, amount])).toEqual([['USDC', '50']]);
    expect(shop.alarms).toEqual([]);
  });

  it('show the difference where the ledger has what the chain has not', async () => {
    const shop = await world.shop();
    await finish(shop);
    await bookDelivery(shop, 'op1', '10');
    expect(await differences(shop)).toEqual({ 'USDC@local': '-10', 'ETH@local': '0' });
  });

  it('wait for a send that the chain includes before it is final here, and take nothing for a withdrawal', async () => {
    const shop = await world.shop();
    await finish(shop);
    await shop.chain.send(orderOf({ callId: 'op1-send' }));
    await world.mine(100);
    // This process books the wallet, but follows no sends: another one holds their lease.
    await shop.store.claimDue({ kind: 'evm_send', now: Number.MAX_SAFE_INTEGER - 60_000, leaseMs: 30_000, limit: 10 });
    shop.pass(60_000);
    await shop.chain.work();
    expect(await balanceOf(shop, 'funding', 'USDC@local')).toBe('-1000');
    expect(await balanceOf(shop, 'chain:local', 'USDC@local')).toBe('1000');
  });
});

/** The documents of sends and the wallet, as an earlier version has written them. */
async function withoutBooks(store: LegsStore): Promise<LegsStore> {
  const old = memoryLegsStore();
  for (const kind of ['evm_send', 'evm_wallet', 'chain_transfer'])
    for (const document of await store.list({ kind, after: null, limit: 100 }))
      await old.commit({ documents: [{ ...document, version: 1 }], entries: [] });
  return old;
}
