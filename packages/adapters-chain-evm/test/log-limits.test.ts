import { getAddress, HttpRequestError } from 'viem';
import { HDKey } from 'viem/accounts';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import { type Shop, startWorld, throughLiar, type World } from './world.js';

let world: World;
beforeAll(async () => {
  world = await startWorld(['--no-mining']);
});
afterAll(() => world.stop());

const call = { callId: 'sell_1', mode: 'test', now: 0, network: 'local' } as const;
let shop: Shop;
let address: `0x${string}`;
let tests = 0;
beforeEach(async () => {
  const master = HDKey.fromMasterSeed(new Uint8Array(32).fill((tests += 1)));
  shop = await world.shop({ deposits: { xpub: master.derive("m/44'/60'/0'").publicExtendedKey } });
  address = getAddress((await shop.chain.depositAddress(call)).address);
});

async function watch(rounds: number, who: Shop): Promise<void> {
  for (let round = 0; round < rounds; round += 1) {
    who.pass(60_000);
    await who.chain.work();
  }
}
const names = () => shop.alarms.map(({ name }) => name);
const give = () => world.pay({ to: world.token.address, data: world.token.data('mint', address, 1_000_000n) });

interface Filter {
  readonly fromBlock?: string;
  readonly toBlock?: string;
  readonly address: readonly string[];
  readonly topics: readonly (readonly string[])[];
}

const rpcError = (code: number, message: string) => Object.assign(new Error(message), { code });
const REFUSALS = [
  ['HTTP 400', () => new HttpRequestError({ url: 'http://rpc.test', status: 400, details: 'range too large' })],
  ['invalid params', () => rpcError(-32_602, 'query exceeds max block range')],
  ['a server error', () => rpcError(-32_000, 'block range is too wide')],
  ['an exceeded limit', () => rpcError(-32_005, 'query returned more than 10000 results')],
  ['an internal error', () => rpcError(-32_603, 'response too large')],
] as const;

/** Refuses what `isTooMuch`, and counts the requests. */
function limited(isTooMuch: (filter: Filter, blocks: number) => boolean, refusal: () => Error) {
  const counts = { asked: 0, refused: 0 };
  const transport = throughLiar(world.anvil, (method, params, ask) => {
    if (method !== 'eth_getLogs') return ask(method, ...params);
    // The request is viem's.
    const filter = params[0] as Filter;
    const blocks =
      filter.fromBlock === undefined ? 1 : Number(filter.toBlock ?? filter.fromBlock) - Number(filter.fromBlock) + 1;
    counts.asked += 1;
    if (!isTooMuch(filter, blocks)) return ask(method, ...params);
    counts.refused += 1;
    return Promise.reject(refusal());
  });
  return { transport, counts };
}

describe('an RPC with limits for logs', () => {
  it.each(REFUSALS)('of 10 blocks, which it tells by %s, is compared to the end', async (_, refusal) => {
    const { transport, counts } = limited((__, blocks) => blocks > 10, refusal);
    let isWithheld = true;
    const first = throughLiar(world.anvil, async (method, params, ask) =>
      isWithheld && method === 'eth_getLogs' ? [] : ask(method, ...params),
    );
    const careful = shop.another({ network: { transport: first, reconcileTransport: transport } });
    await world.mine(150);
    await give();
    await world.mine(100);
    await watch(6, careful);
    expect(shop.alarms).toMatchObject([{ name: 'deposit_missed', fields: { address, count: 1 } }]);
    isWithheld = false;
    await watch(20, careful);
    expect(await careful.chain.deposits(call)).toMatchObject([{ amount: '1', seen: 3 }]);
    // It halves from 500 once, and then tries more only now and then.
    expect(counts.refused).toBeLessThan(20);
    expect(counts.asked).toBeGreaterThan(20);
  });

  it('of receivers still serves the watcher and the reconciler', async () => {
    const isTooMuch = ({ topics }: Filter) => (topics[2]?.length ?? 0) > 4;
    const { transport } = limited(isTooMuch, () => rpcError(-32_602, 'too many topics'));
    const careful = shop.another({ network: { transport, reconcileTransport: transport } });
    for (let nth = 2; nth < 20; nth += 1) await careful.chain.depositAddress({ ...call, callId: `sell_${nth}` });
    await give();
    await world.mine(30);
    await watch(6, careful);
    expect(await careful.chain.deposits(call)).toMatchObject([{ amount: '1', seen: 3 }]);
    expect(names()).toEqual([]);
  });

  it('whose node does not have the block yet is asked again, and does not refuse', async () => {
    let isLagging = true;
    const { transport, counts } = limited(
      () => isLagging,
      () => rpcError(-32_000, 'unknown block'),
    );
    const lagging = shop.another({ network: { transport } });
    for (let nth = 2; nth < 20; nth += 1) await lagging.chain.depositAddress({ ...call, callId: `sell_${nth}` });
    await give();
    await world.mine(5);
    await watch(6, lagging);
    expect(counts.asked).toBe(6);
    isLagging = false;
    await watch(2, lagging);
    expect(await lagging.chain.deposits(call)).toMatchObject([{ amount: '1', seen: 3 }]);
    expect(names()).toEqual([]);
  });

  it('that refuses every request raises an alarm with its reason, and is not an outage', async () => {
    let isRefusing = true;
    const { transport } = limited(
      () => isRefusing,
      () => rpcError(-32_601, 'eth_getLogs is not in your plan, see https://rpc.test/secret-key'),
    );
    const refused = shop.another({ network: { transport } });
    await give();
    await world.mine(30);
    await watch(5, refused);
    expect(names()).toEqual(['logs_refused']);
    expect(JSON.stringify(shop.alarms)).toContain('not in your plan');
    expect(JSON.stringify(shop.alarms)).not.toContain('secret-key');
    expect(await refused.chain.deposits(call)).toEqual([]);
    isRefusing = false;
    await watch(3, refused);
    expect(await refused.chain.deposits(call)).toMatchObject([{ amount: '1', seen: 3 }]);
  });

  it('a second RPC that refuses or is silent for ten minutes raises the alarm that the comparison is behind, once', async () => {
    const { transport } = limited(
      () => true,
      () => new HttpRequestError({ url: 'http://rpc.test', status: 503 }),
    );
    const careful = shop.another({ network: { reconcileTransport: transport } });
    await world.mine(30);
    await watch(8, careful);
    expect(names()).toEqual([]);
    await watch(12, careful);
    expect(names()).toEqual(['reconciler_behind']);
  });
});
