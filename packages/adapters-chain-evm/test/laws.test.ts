import { chainLegLaws, describeLaws } from '@gateramp/conformance';
import { formatUnits, parseUnits } from 'viem';
import { HDKey } from 'viem/accounts';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { startWorld, type World } from './world.js';

const DECIMALS = 6;

let world: World;
let trials = 0;
let addresses = 0;
beforeAll(async () => {
  world = await startWorld(['--no-mining']);
});
afterAll(() => world.stop());

describeLaws(
  chainLegLaws,
  {
    create: async () => {
      const seed = new Uint8Array(32).fill((trials += 1));
      const xpub = HDKey.fromMasterSeed(seed).derive("m/44'/60'/0'").publicExtendedKey;
      const shop = await world.shop({ deposits: { xpub } });
      const other = shop.another();
      let clock = 0;
      const look = async () => {
        clock += 2_000;
        shop.pass(2_000);
        await shop.chain.work();
      };
      await look();
      return {
        leg: shop.chain,
        other: other.chain,
        mode: 'test',
        now: () => clock,
        network: 'local',
        asset: 'USDC',
        id: `op${trials}`,
        freshAddress: () => `0x${(addresses += 1).toString(16).padStart(8, '0').padStart(40, 'b')}`,
        async pass(blocks) {
          for (let block = 0; block < blocks; block += 1) {
            await look();
            await world.mine();
            await look();
          }
        },
        async pay(to, amount) {
          const data = world.token.data('mint', to, parseUnits(amount, DECIMALS));
          await world.pay({ to: world.token.address, data });
        },
        async reorganize(blocks) {
          await world.anvil.request('anvil_reorg', blocks, []);
          await look();
        },
        received: async (to) => (await world.token.amountsTo(to)).map((units) => formatUnits(units, DECIMALS)),
        close: async () => {},
      };
    },
  },
  { describe, it },
);
