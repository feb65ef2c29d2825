import { memoryStore } from '@gateramp/adapters-store-memory';
import type { ConsoleLegs } from '@gateramp/console';
import { memoryLegsStore } from '@gateramp/provider-legs';
import { createTestGate, TEST_PARTNER, type TestGate } from '@gateramp/testing';
import { sell, world } from '../../../packages/provider-legs/test/world.js';
import { consoleLegs } from '../src/legs/console-legs.js';
import { readLegs } from '../src/legs/legs-file.js';
import { openLegs } from '../src/legs/open-legs.js';

/** A legs file whose network does not answer. */
export const OFFLINE_LEGS = {
  modes: ['test'],
  fiat: { type: 'fake' },
  exchange: { type: 'fixed_spread', spread_bps: 50, prices: { 'USDC/EUR': '0.92' } },
  chain: {
    type: 'evm',
    wallet: { private_key_env: 'GATE_WALLET_KEY', max_per_send: { USDC: '500' }, max_per_day: {} },
    deposits: null,
    networks: [
      {
        network: 'base',
        chain_id: 31_337,
        // Nothing listens there.
        rpc_urls: ['http://127.0.0.1:9'],
        confirmations: 2,
        tx_url: null,
        native: 'ETH',
        tokens: [{ asset: 'USDC', address: '0x5FbDB2315678afecb367f032d93F642f64180aa3', decimals: 6 }],
      },
    ],
  },
  identity: null,
  screening: null,
};

/** A gate and its provider legs with one stuck sale in each mode, op-test and op-live, of the partner partner1. */
export async function stuckLegs(): Promise<{ readonly test: TestGate; readonly legs: ConsoleLegs }> {
  const store = memoryStore();
  const test = await createTestGate({ ports: { store, operator: store }, policy: { retryGaps: [] } });
  // The partner of the intents of this world.
  await test.gate.admin.savePartner({ ...TEST_PARTNER, id: 'partner1' });
  const legsStore = memoryLegsStore(store);
  const w = world(legsStore);
  w.chain.isRefusing = true;
  for (const mode of ['test', 'live'] as const) {
    const operationId = `op-${mode}`;
    const order = sell(w.now, 'DE67370400440532010001');
    await w.provider.start({ ...order, operationId, mode });
    const call = { callId: `${operationId}-deposit`, mode, now: w.now, network: 'base' } as const;
    const { address } = await w.chain.depositAddress(call);
    w.chain.pay(address, { asset: 'USDC', network: 'base', amount: '110.112239' }, w.now);
    for (let second = 0; second < 20; second += 1) {
      w.now += 1_000;
      await w.provider.work(mode, w.now);
    }
  }
  const { legs: config } = readLegs(JSON.stringify(OFFLINE_LEGS), { GATE_WALLET_KEY: `0x${'1'.repeat(64)}` });
  if (config === null) throw new Error('The legs file was not read.');
  const open = openLegs(config, { store: legsStore, alarm: () => undefined, onError: () => undefined });
  return { test, legs: consoleLegs(open, legsStore, config.chain, { now: () => w.now }) };
}
