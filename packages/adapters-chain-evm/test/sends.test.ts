import { TRANSFER_KIND } from '@gateramp/provider-legs';
import { parseGwei, parseEther } from 'viem';
import { privateKeyToAccount, toAccount } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { evmChain } from '../src/index.js';
import { BUYER, orderOf, startWorld, type World } from './world.js';

let world: World;
beforeAll(async () => {
  world = await startWorld(['--no-mining']);
});
afterAll(() => world.stop());

const freshBuyer = (() => {
  let next = 0x2000;
  return () => `0x00000000000000000000000000000000${(next += 1).toString(16).padStart(8, 'a')}` as const;
})();

describe('a send', () => {
  it('delivers the tokens once and is confirmed at the configured depth, counting its own block as 1', async () => {
    const shop = await world.shop();
    const to = freshBuyer();
    const first = await shop.chain.send(orderOf({ to }));
    expect(first).toMatchObject({ kind: 'sending', seen: 0, required: 3 });
    const seen: number[] = [];
    for (let block = 0; block < 3; block += 1) {
      await world.mine();
      shop.pass(2_000);
      await shop.chain.work();
      const state = await shop.chain.lookupSend({ callId: 'send_1', mode: 'test', now: 0 });
      if (state !== null && state.kind !== 'refused') seen.push(state.seen);
    }
    expect(seen).toEqual([1, 2, 3]);
    expect(await shop.chain.lookupSend({ callId: 'send_1', mode: 'test', now: 0 })).toMatchObject({
      kind: 'confirmed',
    });
    expect(await world.token.balanceOf(to)).toBe(10_000_000n);
  });

  it('of a network that is no longer configured does not hold up the work of the others', async () => {
    const shop = await world.shop();
    await shop.chain.send(orderOf({ to: freshBuyer() }));
    const without = shop.another({ network: { network: 'renamed' } });
    shop.pass(60_000);
    await without.chain.work();
    expect(shop.alarms).toMatchObject([
      { name: 'worker_failed', fields: { reason: expect.stringContaining('local') } },
    ]);
  });

  it('with the same call id, from two processes at once, is one transaction', async () => {
    const shop = await world.shop();
    const other = shop.another();
    const to = freshBuyer();
    const results = await Promise.all([shop, other, shop, other].map(({ chain }) => chain.send(orderOf({ to }))));
    expect(new Set(results.map((result) => (result.kind === 'refused' ? '' : result.hash))).size).toBe(1);
    await shop.settle('send_1');
    expect(await world.token.transfersTo(to)).toBe(1);
  });

  it('from two processes on one wallet takes a nonce of its own each', async () => {
    const shop = await world.shop();
    const other = shop.another();
    const to = freshBuyer();
    const ids = Array.from({ length: 12 }, (_, at) => `send_${at}`);
    await Promise.all(ids.map((callId, at) => (at % 2 === 0 ? shop : other).chain.send(orderOf({ callId, to }))));
    for (const callId of ids) await (callId.endsWith('1') ? other : shop).settle(callId);
    expect(await world.token.transfersTo(to)).toBe(12);
    expect(await world.token.balanceOf(to)).toBe(120_000_000n);
  });

  it('of the native coin is delivered, with legacy fees too', async () => {
    const shop = await world.shop({ network: { fees: 'legacy' } });
    const to = freshBuyer();
    await shop.chain.send(orderOf({ to, asset: 'ETH', amount: '0.25' }));
    await shop.settle('send_1');
    expect(BigInt((await world.anvil.request('eth_getBalance', to, 'latest')) as string)).toBe(parseEther('0.25'));
  });

  it('waits for the finalized block where the network says so', async () => {
    const shop = await world.shop({ network: { finality: 'tag', confirmations: 2 } });
    await shop.chain.send(orderOf({ to: freshBuyer() }));
    await world.mine(2);
    shop.pass(2_000);
    await shop.chain.work();
    expect(await shop.chain.lookupSend({ callId: 'send_1', mode: 'test', now: 0 })).toMatchObject({
      kind: 'sending',
      seen: 1,
      required: 2,
    });
    await shop.settle('send_1');
  });

  it('that the pool dropped is broadcast again, as the same bytes', async () => {
    const shop = await world.shop();
    const to = freshBuyer();
    const sent = await shop.chain.send(orderOf({ to }));
    await world.anvil.request('anvil_dropAllTransactions');
    await shop.settle('send_1');
    const state = await shop.chain.lookupSend({ callId: 'send_1', mode: 'test', now: 0 });
    expect(state).toMatchObject({ kind: 'confirmed', hash: sent.kind === 'refused' ? '' : sent.hash });
    expect(await world.token.transfersTo(to)).toBe(1);
  });

  it('that is underpriced gets at least 12.5 % more on the same nonce', async () => {
    const shop = await world.shop();
    const to = freshBuyer();
    await shop.chain.send(orderOf({ to }));
    await world.anvil.request('anvil_dropAllTransactions');
    await world.anvil.request('anvil_setNextBlockBaseFeePerGas', `0x${parseGwei('500').toString(16)}`);
    await world.mine();
    shop.pass(60_000);
    await shop.chain.work();
    const stored = await shop.store.load('evm_send', 'send_1');
    expect(stored?.body).toMatchObject({ nonce: 0 });
    const { attempts } = (stored ?? { body: { attempts: [] } }).body as unknown as {
      attempts: { maxFee: string; hash: string }[];
    };
    expect(attempts).toHaveLength(2);
    // Its call is found by the hash of either.
    for (const { hash } of attempts)
      expect(await shop.store.load(TRANSFER_KIND, `${hash} send_1`)).toMatchObject({
        body: { callId: 'send_1', as: 'send' },
      });
    expect(BigInt(attempts[1]?.maxFee ?? 0) * 1_000n).toBeGreaterThanOrEqual(BigInt(attempts[0]?.maxFee ?? 0) * 1_125n);
    await shop.settle('send_1');
    expect(await world.token.transfersTo(to)).toBe(1);
    await world.anvil.request('anvil_setNextBlockBaseFeePerGas', '0x3b9aca00');
    await world.mine();
  });

  it('that is cancelled in time moves nothing, and one in a block stays', async () => {
    const shop = await world.shop();
    const to = freshBuyer();
    await shop.chain.send(orderOf({ to }));
    await shop.chain.cancelSend(orderOf({ to }));
    shop.pass(2_000);
    await shop.chain.work();
    await shop.settle('send_1');
    expect(await shop.chain.lookupSend({ callId: 'send_1', mode: 'test', now: 0 })).toMatchObject({ kind: 'refused' });
    expect(await world.token.transfersTo(to)).toBe(0);
    const recorded = await shop.store.list({ kind: TRANSFER_KIND, after: null, limit: 10 });
    expect(recorded.map(({ body }) => JSON.stringify(body)).toSorted()).toEqual([
      '{"callId":"send_1","as":"cancellation"}',
      '{"callId":"send_1","as":"send"}',
    ]);

    await shop.chain.send(orderOf({ to, callId: 'send_2' }));
    await world.mine();
    await shop.chain.cancelSend(orderOf({ to, callId: 'send_2' }));
    await shop.settle('send_2');
    expect(await shop.chain.lookupSend({ callId: 'send_2', mode: 'test', now: 0 })).toMatchObject({
      kind: 'confirmed',
    });

    const third = await shop.chain.cancelSend(orderOf({ to, callId: 'send_3' }));
    expect(third).toMatchObject({ kind: 'refused' });
    expect(await shop.chain.send(orderOf({ to, callId: 'send_3' }))).toMatchObject({ kind: 'refused' });
  });

  it('that is being cancelled is not broadcast again while its replacement is too expensive', async () => {
    const shop = await world.shop();
    const to = freshBuyer();
    await shop.chain.send(orderOf({ to }));
    await world.anvil.request('anvil_dropAllTransactions');
    const thrifty = shop.another({ network: { gasCeilingGwei: '0.000001' } });
    await thrifty.chain.cancelSend(orderOf({ to }));
    shop.pass(2_000);
    await thrifty.chain.work();
    await world.mine();
    expect(await world.token.transfersTo(to)).toBe(0);
    shop.pass(2_000);
    await shop.settle('send_1');
    expect(await shop.chain.lookupSend({ callId: 'send_1', mode: 'test', now: 0 })).toMatchObject({ kind: 'refused' });
  });

  it('that a reorganization dropped is delivered again with its nonce, before and after it was confirmed', async () => {
    const shop = await world.shop();
    const to = freshBuyer();
    await shop.chain.send(orderOf({ to }));
    await world.mine(2);
    shop.pass(2_000);
    await shop.chain.work();
    await world.anvil.request('anvil_reorg', 2, []);
    shop.pass(2_000);
    await shop.chain.work();
    expect(await shop.chain.lookupSend({ callId: 'send_1', mode: 'test', now: 0 })).toMatchObject({ seen: 0 });
    await shop.settle('send_1');
    expect(shop.alarms.map(({ name }) => name)).not.toContain('send_reorged');

    await world.anvil.request('anvil_reorg', 4, []);
    shop.pass(2_000);
    await shop.chain.work();
    expect(shop.alarms.map(({ name }) => name)).toContain('send_reorged');
    await world.mine(1);
    expect(await world.token.transfersTo(to)).toBe(1);
  });

  it('whose nonce another signer spent gets a new one only after the wallet was paused and resumed', async () => {
    const shop = await world.shop();
    const to = freshBuyer();
    await shop.chain.send(orderOf({ to }));
    await world.anvil.request('anvil_dropAllTransactions');
    const thief = privateKeyToAccount(shop.key);
    const raw = await thief.signTransaction({
      to: BUYER,
      chainId: 31_337,
      nonce: 0,
      gas: 21_000n,
      maxFeePerGas: parseGwei('1000'),
      maxPriorityFeePerGas: parseGwei('5'),
    });
    await world.anvil.request('eth_sendRawTransaction', raw);
    await world.mine();
    shop.pass(2_000);
    await shop.chain.work();
    // The block is not final yet: a reorganization could free the nonce.
    expect((await shop.chain.wallets())[0]).toMatchObject({ status: 'active' });
    await world.mine(12);
    shop.pass(2_000);
    await shop.chain.work();
    expect((await shop.chain.wallets())[0]).toMatchObject({ status: 'paused' });
    expect(shop.alarms.map(({ name }) => name)).toContain('nonce_conflict');
    expect(await shop.chain.unavailable('local', { asset: 'USDC', as: 'send' })).toMatch(/paused/);
    await shop.chain.resumeWallet('local', 'The other signer was removed');
    await shop.settle('send_1');
    expect(await world.token.transfersTo(to)).toBe(1);
    expect((await shop.chain.wallets())[0]).toMatchObject({ nextNonce: 2 });
  });

  it('that reverts in a final block is refused, with an alarm', async () => {
    const shop = await world.shop();
    const token = await world.deployToken(6, 0);
    const to = freshBuyer();
    await world.pay({ to: token.address, data: token.data('mint', shop.wallet, 100_000_000n) });
    await world.mine();
    const picky = shop.another({ network: { tokens: [{ asset: 'USDC', address: token.address, decimals: 6 }] } });
    await picky.chain.send(orderOf({ to }));
    await world.pay({ to: token.address, data: token.data('refuse', to) });
    await picky.settle('send_1');
    expect(await picky.chain.lookupSend({ callId: 'send_1', mode: 'test', now: 0 })).toMatchObject({ kind: 'refused' });
    expect(picky.alarms.map(({ name }) => name)).toContain('send_reverted');
    expect(await token.balanceOf(to)).toBe(0n);
    // The estimate of the second send already reverts, so nothing is signed.
    expect(await picky.chain.send(orderOf({ to, callId: 'send_2' }))).toMatchObject({ kind: 'refused' });
    expect((await picky.chain.wallets())[0]).toMatchObject({ nextNonce: 1 });
  });

  it('by a key service that holds another key stores and broadcasts nothing', async () => {
    const shop = await world.shop();
    const { signTransaction } = privateKeyToAccount(
      '0x0000000000000000000000000000000000000000000000000000000000000042',
    );
    const account = toAccount({
      address: shop.wallet,
      signMessage: () => Promise.reject(new Error('not used')),
      signTypedData: () => Promise.reject(new Error('not used')),
      signTransaction: (transaction, options) => signTransaction(transaction, options),
    });
    const chain = evmChain({ networks: [world.network()], wallet: { account }, store: shop.store });
    await expect(chain.send(orderOf())).rejects.toThrow(/signs as/);
    expect(await shop.store.load('evm_send', 'send_1')).toBeNull();
  });

  it('is followed by the background work of a started leg', async () => {
    const shop = await world.shop();
    shop.chain.start();
    await shop.chain.send(orderOf({ to: freshBuyer() }));
    await world.mine(3);
    const look = () => shop.chain.lookupSend({ callId: 'send_1', mode: 'test', now: 0 });
    await expect.poll(look).toMatchObject({ kind: 'confirmed' });
    await shop.chain.stop();
    expect(await look()).toMatchObject({ kind: 'confirmed' });
  });
});
