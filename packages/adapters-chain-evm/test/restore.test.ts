import { type LegsStore, memoryLegsStore } from '@gateramp/provider-legs';
import { parseGwei } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { UnexplainedNonceError } from '../src/index.js';
import { orderOf, type Shop, startWorld, throughLiar, type World } from './world.js';

let world: World;
beforeAll(async () => {
  world = await startWorld(['--no-mining']);
});
afterAll(() => world.stop());

let receivers = 0xdd_0000;
const freshBuyer = () => `0x${(receivers += 1).toString(16).padStart(40, 'd')}` as const;

const KINDS = ['evm_send', 'evm_wallet', 'evm_reservation', 'evm_outside_spend'] as const;

/** A backup: the documents of the store at this moment. */
async function backupOf(store: LegsStore): Promise<LegsStore> {
  const copy = memoryLegsStore();
  for (const kind of KINDS)
    for (const document of await store.list({ kind, after: null, limit: 1_000 }))
      for (let version = 1; version <= document.version; version += 1)
        await copy.commit({ documents: [{ ...document, version }], entries: [] });
  return copy;
}

/** What operators and the provider do after a restore: work, resume the wallet, and call for the send again. */
async function continued(shop: Shop, order: ReturnType<typeof orderOf>): Promise<void> {
  shop.pass(5_000);
  await world.mine();
  await shop.chain.work();
  await shop.chain.send(order);
  await shop.chain.work();
  await shop.chain.resumeWallet('local', 'Restored');
  await shop.chain.send(order);
  await shop.settle(order.callId);
  expect(await stateOf(shop, order.callId)).toMatchObject({ kind: 'confirmed' });
}

const stateOf = (shop: Shop, callId: string) => shop.chain.lookupSend({ callId, mode: 'test', now: 0 });

/** A shop whose wallet is known, as after its first minute. */
async function openShop(): Promise<Shop> {
  const shop = await world.shop();
  await shop.chain.unavailable('local', { asset: 'USDC', as: 'send' });
  return shop;
}

describe('after a restore, a purchase that was delivered since the backup is paid once', () => {
  /** Brings the order to the stage of the backup. */
  const stages: Readonly<Record<string, (shop: Shop, order: ReturnType<typeof orderOf>) => Promise<unknown>>> = {
    'before its amount was reserved': async () => undefined,
    'when its amount was reserved': (shop, order) => shop.chain.reserve(order),
    'when it was queued': async (shop, order) => {
      await shop.chain.reserve(order);
      await shop.chain.pauseWallet('local', 'Maintenance');
      await shop.chain.send(order);
    },
    'when it was queued without a reservation': async (shop, order) => {
      await shop.chain.pauseWallet('local', 'Maintenance');
      await shop.chain.send(order);
    },
    'when it was signed': (shop, order) => shop.chain.send(order),
    'when it was confirmed': async (shop, order) => {
      await shop.chain.send(order);
      await shop.settle(order.callId);
    },
  };

  it.each(Object.keys(stages))('%s', async (stage) => {
    const shop = await openShop();
    const order = orderOf({ to: freshBuyer(), since: Date.now() });
    await stages[stage]?.(shop, order);
    const backup = await backupOf(shop.store);
    await shop.chain.resumeWallet('local', 'Done');
    await shop.chain.reserve(order);
    await shop.chain.send(order);
    await shop.settle(order.callId);
    await continued(shop.another({ store: backup }), order);
    expect(await world.token.transfersTo(order.to)).toBe(1);
  });

  it('when its fee was raised after the backup', async () => {
    const shop = await openShop();
    const order = orderOf({ to: freshBuyer() });
    await shop.chain.send(order);
    const backup = await backupOf(shop.store);
    await world.anvil.request('anvil_dropAllTransactions');
    await world.anvil.request('anvil_setNextBlockBaseFeePerGas', `0x${parseGwei('500').toString(16)}`);
    await world.mine();
    shop.pass(60_000);
    await shop.chain.work();
    await shop.settle(order.callId);
    await world.anvil.request('anvil_setNextBlockBaseFeePerGas', '0x3b9aca00');
    const restored = shop.another({ store: backup });
    await continued(restored, order);
    expect(await world.token.transfersTo(order.to)).toBe(1);
    expect(shop.alarms).toEqual([]);
  });

  it('while its transaction is pending', async () => {
    const shop = await openShop();
    const order = orderOf({ to: freshBuyer() });
    await shop.chain.reserve(order);
    const backup = await backupOf(shop.store);
    await shop.chain.send(order);
    const restored = shop.another({ store: backup });
    await restored.chain.send(order);
    await restored.settle(order.callId);
    expect(await world.token.transfersTo(order.to)).toBe(1);
    expect((await restored.chain.wallets())[0]).toMatchObject({ nextNonce: 1, status: 'active' });
  });

  it('when another purchase is the first to be sent after it', async () => {
    const shop = await openShop();
    const [first, second] = [
      orderOf({ to: freshBuyer() }),
      orderOf({ to: freshBuyer(), callId: 'send_2', amount: '7.00' }),
    ];
    await shop.chain.reserve(first);
    const backup = await backupOf(shop.store);
    await shop.chain.send(first);
    await shop.settle(first.callId);
    const restored = shop.another({ store: backup });
    await restored.chain.send(second);
    await restored.settle(second.callId);
    expect((await restored.chain.wallets())[0]).toMatchObject({ status: 'active' });
    await restored.chain.send(first);
    await restored.settle(first.callId);
    expect(await world.token.transfersTo(first.to)).toBe(1);
    expect(await world.token.transfersTo(second.to)).toBe(1);
  });

  it('when the database asks to cancel it', async () => {
    const shop = await openShop();
    const order = orderOf({ to: freshBuyer() });
    await shop.chain.reserve(order);
    const backup = await backupOf(shop.store);
    await shop.chain.send(order);
    await shop.settle(order.callId);
    const restored = shop.another({ store: backup });
    await restored.chain.cancelSend(order);
    await restored.settle(order.callId);
    // Too late: the tokens have moved.
    expect(await stateOf(restored, order.callId)).toMatchObject({ kind: 'confirmed' });
    expect(await world.token.transfersTo(order.to)).toBe(1);
  });

  it.each([
    ['without old states', 'eth_getTransactionCount'],
    ['that does not return signed bytes', 'eth_getTransactionByHash'],
  ])('by a node %s', async (_, refused) => {
    const shop = await openShop();
    const order = orderOf({ to: freshBuyer() });
    await shop.chain.reserve(order);
    const backup = await backupOf(shop.store);
    await shop.chain.send(order);
    await shop.settle(order.callId);
    const head = BigInt((await world.anvil.request('eth_blockNumber')) as string);
    const transport = throughLiar(world.anvil, (method, params, ask) => {
      const isOld =
        method !== 'eth_getTransactionCount' || (/^0x/.test(String(params[1])) && BigInt(String(params[1])) < head);
      if (method === refused && isOld)
        return Promise.reject(Object.assign(new Error('missing trie node'), { code: -32_000 }));
      return ask(method, ...params);
    });
    const restored = shop.another({ store: backup, network: { transport } });
    await restored.chain.send(order);
    await restored.settle(order.callId);
    expect(await world.token.transfersTo(order.to)).toBe(1);
  });
});

describe('after a restore', () => {
  it('two equal purchases of one buyer are both paid, and not one of them twice', async () => {
    const shop = await openShop();
    const to = freshBuyer();
    const orders = ['send_1', 'send_2'].map((callId) => orderOf({ callId, to }));
    for (const order of orders) await shop.chain.reserve(order);
    const backup = await backupOf(shop.store);
    await shop.chain.send(orders[0] ?? orderOf());
    await shop.settle('send_1');
    const restored = shop.another({ store: backup });
    for (const order of orders) await restored.chain.send(order);
    for (const { callId } of orders) await restored.settle(callId);
    expect(await world.token.transfersTo(to)).toBe(2);
  });

  it('a payment of a purchase that the backup does not have pauses the wallet, and a new equal purchase is paid', async () => {
    const shop = await openShop();
    const to = freshBuyer();
    const backup = await backupOf(shop.store);
    await shop.chain.send(orderOf({ to }));
    await shop.settle('send_1');
    await world.mine();
    const restored = shop.another({ store: backup });
    const other = orderOf({ to: freshBuyer(), callId: 'send_2' });
    await restored.chain.send(other);
    expect((await restored.chain.wallets())[0]).toMatchObject({
      status: 'paused',
      pausedBecause: expect.stringMatching(/0x[0-9a-f]{64} \(nonce 0\) paid 10 USDC to 0x/),
    });
    expect(shop.alarms.map(({ name }) => name)).toEqual(['nonce_conflict']);
    await restored.chain.resumeWallet('local', 'The buyer of the lost purchase was paid');
    const equal = orderOf({ to, callId: 'send_3', since: Date.now() + 86_400_000 });
    expect(await restored.chain.reserve(equal)).toEqual({ kind: 'reserved' });
    await restored.chain.send(equal);
    for (const callId of ['send_2', 'send_3']) await restored.settle(callId);
    expect(await world.token.transfersTo(to)).toBe(2);
    expect(shop.alarms.map(({ name }) => name)).toEqual(['nonce_conflict']);
  });

  it('a send that was cancelled since stays cancelled', async () => {
    const shop = await openShop();
    const order = orderOf({ to: freshBuyer() });
    await shop.chain.send(order);
    const backup = await backupOf(shop.store);
    await shop.chain.cancelSend(order);
    shop.pass(2_000);
    await shop.chain.work();
    await shop.settle(order.callId);
    expect(await stateOf(shop, order.callId)).toMatchObject({ kind: 'refused' });
    const restored = shop.another({ store: backup });
    restored.pass(5_000);
    await restored.settle(order.callId);
    expect(await stateOf(restored, order.callId)).toMatchObject({ kind: 'refused' });
    expect(await world.token.transfersTo(order.to)).toBe(0);
  });

  it('a send whose transaction was reverted since is refused, as it was before', async () => {
    const shop = await openShop();
    const token = await world.deployToken(6, 0);
    await world.pay({ to: token.address, data: token.data('mint', shop.wallet, 100_000_000n) });
    await world.mine();
    const network = { tokens: [{ asset: 'USDC', address: token.address, decimals: 6 }] };
    const order = orderOf({ to: freshBuyer() });
    const before = shop.another({ network });
    await before.chain.reserve(order);
    const backup = await backupOf(shop.store);
    await before.chain.send(order);
    await world.pay({ to: token.address, data: token.data('refuse', order.to) });
    await before.settle(order.callId);
    expect(await stateOf(before, order.callId)).toMatchObject({ kind: 'refused' });
    const restored = before.another({ store: backup, network });
    await restored.chain.send(order);
    await restored.settle(order.callId);
    expect(await stateOf(restored, order.callId)).toMatchObject({ kind: 'refused' });
    expect((await restored.chain.wallets())[0]).toMatchObject({ status: 'active', nextNonce: 1 });
    expect(await token.transfersTo(order.to)).toBe(0);
  });

  it('an unknown cancellation pauses the wallet, since the send that it ended may have been refunded', async () => {
    const shop = await openShop();
    const order = orderOf({ to: freshBuyer() });
    await shop.chain.reserve(order);
    const backup = await backupOf(shop.store);
    await shop.chain.send(order);
    await shop.chain.cancelSend(order);
    shop.pass(2_000);
    await shop.chain.work();
    await shop.settle(order.callId);
    const restored = shop.another({ store: backup });
    expect(await restored.chain.send(order)).toMatchObject({ kind: 'sending', hash: null });
    expect((await restored.chain.wallets())[0]).toMatchObject({
      status: 'paused',
      pausedBecause: expect.stringMatching(/\(nonce 0\) cancelled a send/),
    });
  });

  it('nothing is signed while the node does not show what the wallet has sent', async () => {
    const shop = await openShop();
    const order = orderOf({ to: freshBuyer() });
    await shop.chain.reserve(order);
    const backup = await backupOf(shop.store);
    await shop.chain.send(order);
    await shop.settle(order.callId);
    let isHiding = true;
    const transport = throughLiar(world.anvil, async (method, params, ask) => {
      const answer = await ask(method, ...params);
      const isBlock = method === 'eth_getBlockByNumber' && params[1] === true;
      return isHiding && isBlock ? { ...(answer as object), transactions: [] } : answer;
    });
    const restored = shop.another({ store: backup, network: { transport } });
    for (const one of [order, orderOf({ to: freshBuyer(), callId: 'send_2' })]) await restored.chain.send(one);
    restored.pass(5_000);
    await restored.chain.work();
    expect((await restored.chain.wallets())[0]).toMatchObject({ nextNonce: 0 });
    expect(shop.alarms.map(({ name }) => name)).toEqual(['nonce_conflict']);
    await restored.chain.pauseWallet('local', 'Restored');
    await expect(restored.chain.resumeWallet('local', 'Looks fine')).rejects.toThrow(UnexplainedNonceError);
    isHiding = false;
    await restored.chain.resumeWallet('local', 'The node has caught up');
    for (const callId of ['send_1', 'send_2']) await restored.settle(callId);
    expect(await world.token.transfersTo(order.to)).toBe(1);
  });
});
