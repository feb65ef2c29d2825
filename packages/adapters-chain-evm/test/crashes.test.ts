import { memoryLegsStore, type LegsStore } from '@gateramp/provider-legs';
import { HDKey } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { runs } from '../../../tests/depth.js';
import { orderOf, startWorld, throughLiar, type World } from './world.js';

let world: World;
beforeAll(async () => {
  world = await startWorld(['--no-mining']);
});
afterAll(() => world.stop());

/** Counts calls and fails the call number `at`: before its effect, or after it, as when a response is lost. */
function fuse(at: number, isAfter: boolean) {
  let calls = 0;
  return {
    calls: () => calls,
    async through<T>(call: () => Promise<T>): Promise<T> {
      calls += 1;
      const isHit = calls === at;
      // A dead process makes no more calls.
      if (calls > at || (isHit && !isAfter)) throw new Error('crash');
      const result = await call();
      if (isHit) throw new Error('crash');
      return result;
    },
  };
}

function breakable(store: LegsStore, { through }: ReturnType<typeof fuse>): LegsStore {
  return {
    load: (...args) => through(() => store.load(...args)),
    commit: (...args) => through(() => store.commit(...args)),
    claimDue: (...args) => through(() => store.claimDue(...args)),
    removeDue: (...args) => through(() => store.removeDue(...args)),
    listDue: (...args) => through(() => store.listDue(...args)),
    list: (...args) => through(() => store.list(...args)),
    entries: (...args) => through(() => store.entries(...args)),
    listEntries: (...args) => through(() => store.listEntries(...args)),
    balances: (...args) => through(() => store.balances(...args)),
  };
}

describe('a crash at any call of the store or the RPC', () => {
  it.each(['before', 'after'] as const)(
    '%s its effect leaves exactly one transfer',
    async (when) => {
      const step = runs(2, 1);
      for (let at = 1; ; at += step) {
        const store = memoryLegsStore();
        const crash = fuse(at, when === 'after');
        const transport = throughLiar(world.anvil, (method, params, ask) =>
          crash.through(() => ask(method, ...params)),
        );
        const shop = await world.shop({ store });
        const dying = shop.another({ store: breakable(store, crash), network: { transport } });
        const to = `0x${(0xaa_0000 + at * 2 + (when === 'after' ? 1 : 0)).toString(16).padStart(40, 'b')}` as const;
        const story = async () => {
          await dying.chain.reserve(orderOf({ to }));
          await dying.chain.send(orderOf({ to }));
          for (let round = 0; round < 4; round += 1) {
            await world.mine();
            dying.pass(31_000);
            await dying.chain.work();
          }
        };
        await story().catch(() => undefined);
        // The caller repeats the call that had no answer, on a new process.
        shop.pass(60_000);
        await shop.chain.reserve(orderOf({ to }));
        await shop.chain.send(orderOf({ to }));
        await shop.settle('send_1');
        await shop.chain.release({ callId: 'send_1', mode: 'test', now: 0, network: 'local' });
        shop.pass(10_000);
        await world.mine();
        expect(await shop.chain.deliverable('local', 'USDC'), `crash at call ${at}`).toBe('990');
        expect(await world.token.transfersTo(to), `crash at call ${at}`).toBe(1);
        expect(await shop.chain.lookupSend({ callId: 'send_1', mode: 'test', now: 0 })).toMatchObject({
          kind: 'confirmed',
        });
        if (crash.calls() < at) break;
      }
    },
    120_000,
  );

  it.each(['before', 'after'] as const)(
    '%s its effect leaves a deposit at one address, credited once',
    async (when) => {
      await world.pay({ to: world.token.address, data: world.token.data('mint', FAUCET, 10n ** 12n) });
      await world.mine();
      const step = runs(2, 1);
      for (let at = 1; ; at += step) {
        const store = memoryLegsStore();
        const crash = fuse(at, when === 'after');
        const transport = throughLiar(world.anvil, (method, params, ask) =>
          crash.through(() => ask(method, ...params)),
        );
        const seed = new Uint8Array(32).fill(when === 'after' ? 1 : 2);
        seed.set([at >> 8, at & 255]);
        const xpub = HDKey.fromMasterSeed(seed).derive("m/44'/60'/0'").publicExtendedKey;
        const shop = await world.shop({ store, deposits: { xpub } });
        const dying = shop.another({ store: breakable(store, crash), network: { transport } });
        const given = await dying.chain.depositAddress(DEPOSIT).catch(() => null);
        // The caller repeats the call that had no answer, on a new process.
        const { address } = await shop.chain.depositAddress(DEPOSIT);
        if (given !== null) expect(given.address).toBe(address);
        const data = world.token.data('transfer', address, 5_000_000n);
        await world.pay({ to: world.token.address, data });
        for (let round = 0; round < 4; round += 1) {
          await world.mine();
          dying.pass(31_000);
          await dying.chain.work().catch(() => undefined);
        }
        for (let round = 0; round < 3; round += 1) {
          shop.pass(60_000);
          await shop.chain.work();
        }
        const seen = await shop.chain.deposits(DEPOSIT);
        expect(seen, `crash at call ${at}`).toMatchObject([{ amount: '5', asset: 'USDC', seen: 3, required: 3 }]);
        const raised = shop.alarms.map(({ name }) => name).filter((name) => !OF_A_DEAD_PROCESS.includes(name));
        expect(raised, `crash at call ${at}`).toEqual([]);
        if (crash.calls() < at) break;
      }
    },
    180_000,
  );
});

const DEPOSIT = { callId: 'sell_1', mode: 'test', now: 0, network: 'local' } as const;
const FAUCET = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266';
/** Alarms of the dead process, all of whose calls fail after the crash. */
const OF_A_DEAD_PROCESS: readonly string[] = ['worker_failed', 'rpc_silent'];
