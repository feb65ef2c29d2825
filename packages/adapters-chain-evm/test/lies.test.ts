import { HttpRequestError } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { type Liar, orderOf, startWorld, throughLiar, type World } from './world.js';

let world: World;
beforeAll(async () => {
  world = await startWorld(['--no-mining']);
});
afterAll(() => world.stop());

const silence = () => new HttpRequestError({ url: 'http://rpc.test' });
const refusal = (message: string) => Object.assign(new Error(message), { code: -32_000 });

let next = 0xcc_0000;
async function deceived(liar: Liar) {
  const shop = await world.shop();
  const to = `0x${(next += 1).toString(16).padStart(40, 'c')}` as const;
  return { shop, to, liar: shop.another({ network: { transport: throughLiar(world.anvil, liar) } }) };
}

describe('one transfer, whatever the RPC says', () => {
  it.each([
    ['already known', refusal('already known')],
    ['nonce too low', refusal('nonce too low')],
    ['replacement transaction underpriced', refusal('replacement transaction underpriced')],
    ['nothing', silence()],
  ])('when it answers a broadcast that it took with: %s', async (_, answer) => {
    const { shop, to, liar } = await deceived(async (method, params, ask) => {
      const result = await ask(method, ...params);
      if (method === 'eth_sendRawTransaction') throw answer;
      return result;
    });
    await liar.chain.send(orderOf({ to }));
    await liar.settle('send_1');
    expect(await world.token.transfersTo(to)).toBe(1);
    expect(shop.alarms).toEqual([]);
  });

  it('when it says nonce too low for a broadcast that it did not take', async () => {
    let isLying = true;
    const { to, liar } = await deceived((method, params, ask) => {
      if (isLying && method === 'eth_sendRawTransaction') return Promise.reject(refusal('nonce too low'));
      return ask(method, ...params);
    });
    await liar.chain.send(orderOf({ to }));
    for (let round = 0; round < 5; round += 1) {
      await world.mine();
      liar.pass(60_000);
      await liar.chain.work();
    }
    expect(await world.token.transfersTo(to)).toBe(0);
    isLying = false;
    await liar.settle('send_1');
    expect(await world.token.transfersTo(to)).toBe(1);
  });

  it('when it leaves out receipts, even after the block is final', async () => {
    let isLying = true;
    const { shop, to, liar } = await deceived((method, params, ask) =>
      isLying && method === 'eth_getTransactionReceipt' ? Promise.resolve(null) : ask(method, ...params),
    );
    await liar.chain.send(orderOf({ to }));
    for (let round = 0; round < 14; round += 1) {
      await world.mine();
      liar.pass(60_000);
      await liar.chain.work();
    }
    expect(await shop.chain.lookupSend({ callId: 'send_1', mode: 'test', now: 0 })).toMatchObject({ kind: 'sending' });
    expect(shop.alarms).toEqual([]);
    isLying = false;
    await liar.settle('send_1');
    expect(await world.token.transfersTo(to)).toBe(1);
  });

  it('when the receipt is of a block that is not on its main chain', async () => {
    let isLying = true;
    const { to, liar } = await deceived(async (method, params, ask) => {
      const answer = await ask(method, ...params);
      if (!isLying || method !== 'eth_getTransactionReceipt' || answer === null) return answer;
      return { ...answer, blockHash: `0x${'ab'.repeat(32)}` };
    });
    await liar.chain.send(orderOf({ to }));
    for (let round = 0; round < 5; round += 1) {
      await world.mine();
      liar.pass(2_000);
      await liar.chain.work();
    }
    expect(await liar.chain.lookupSend({ callId: 'send_1', mode: 'test', now: 0 })).toMatchObject({
      kind: 'sending',
      seen: 0,
    });
    isLying = false;
    await liar.settle('send_1');
  });

  it('when it is silent from the first call on: the order is taken, and delivered later', async () => {
    let isSilent = true;
    const { shop, to, liar } = await deceived((method, params, ask) =>
      isSilent ? Promise.reject(silence()) : ask(method, ...params),
    );
    expect(await liar.chain.unavailable('local', { asset: 'USDC', as: 'send' })).toMatch(/does not answer/);
    expect(await liar.chain.send(orderOf({ to }))).toMatchObject({ kind: 'sending', hash: null });
    for (let round = 0; round < 30; round += 1) {
      liar.pass(60_000);
      await liar.chain.work();
    }
    expect(await liar.chain.lookupSend({ callId: 'send_1', mode: 'test', now: 0 })).toMatchObject({
      kind: 'sending',
      hash: null,
    });
    expect(shop.alarms.map(({ name }) => name)).toEqual(['rpc_silent']);
    isSilent = false;
    liar.pass(10_000);
    await world.mine();
    expect(await liar.chain.unavailable('local', { asset: 'USDC', as: 'send' })).toBeNull();
    await liar.settle('send_1');
    expect(await world.token.transfersTo(to)).toBe(1);
  });
});
