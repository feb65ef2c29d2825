import { describe, it } from 'vitest';
import { chainLegLaws, describeLaws } from '@gateramp/conformance';
import { fakeChain } from '@gateramp/provider-legs';
import { START } from './world.js';

const BLOCK_MS = 1_000;

describeLaws(
  chainLegLaws,
  {
    create: async () => {
      const chain = fakeChain({ blockMs: BLOCK_MS });
      const token = { network: 'base', asset: 'USDC' } as const;
      let now = START;
      let addresses = 0;
      return {
        ...token,
        leg: chain,
        // Another process on the same chain: both objects share its state.
        other: { ...chain },
        mode: 'test',
        now: () => now,
        id: 'op1',
        freshAddress: () => `0x${String((addresses += 1)).padStart(40, 'a')}`,
        pass: async (blocks) => void (now += blocks * BLOCK_MS),
        pay: async (to, amount) => chain.pay(to, { ...token, amount }, now),
        reorganize: async (blocks) => chain.reorganize(blocks, now),
        received: async (to) => chain.received(to, now).map(({ amount }) => amount),
        close: async () => {},
      };
    },
  },
  { describe, it },
);
