import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { runGate } from '../../../apps/reference-server/test/run-gate.js';
import { startReferenceServer, type ReferenceServer } from '../../services/reference-server.js';
import { openCheckout, PURCHASE, TEST_CARD, until, useLocalChain } from '../checkout.js';

const chain = useLocalChain();

test('gate wallets list shows the balances of the wallet', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'gate-wallets-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const settings = { ...chain.environment, GATE_DATA_DIR: join(folder, 'data') };
  await startReferenceServer({ settings });
  const listed = await runGate('wallets list', settings);
  expect(listed).toMatchObject({ code: 0, err: '', out: expect.stringContaining('1000000 USDC, 100 ETH') });
  const json: unknown = JSON.parse((await runGate('wallets list --json', settings)).out);
  expect(json).toMatchObject([{ network: 'base', balances: { ETH: '100', USDC: '1000000' }, sent_today: {} }]);
});

test('metrics show each leg: the wallet, sends under way, the RPC, prices and stuck payments', async () => {
  const server = await startReferenceServer({ settings: chain.environment });
  await expect
    .poll(() => legSeries(server))
    .toEqual({
      'gate_rpc_up{network="base"}': 1,
      'gate_wallet_balance{network="base",asset="USDC"}': 1_000_000,
      'gate_wallet_balance{network="base",asset="ETH"}': 100,
      'gate_pending_sends{network="base"}': 0,
      'gate_oldest_unconfirmed_send_seconds{network="base"}': 0,
      'gate_price_age_seconds{pair="USDC/EUR"}': 0,
      'gate_price_age_seconds{pair="USDC/USD"}': 0,
      'gate_operations_stuck{mode="test"}': 0,
      'gate_operations_stuck{mode="live"}': 0,
    });

  // Without blocks, the send stays unconfirmed.
  await chain.anvil.request('evm_setIntervalMining', 0);
  const buyer = await openCheckout(server);
  await buyer('POST', '/v1/embed/intents', { ...PURCHASE, payment_details: TEST_CARD });
  await until(async () => {
    const series = await legSeries(server);
    const age = series['gate_oldest_unconfirmed_send_seconds{network="base"}'] ?? 0;
    return series['gate_pending_sends{network="base"}'] === 1 && age > 0 ? true : null;
  });
  // The balance excludes the amount of the signed send.
  await until(async () =>
    ((await legSeries(server))['gate_wallet_balance{network="base",asset="USDC"}'] ?? 0) < 1_000_000 ? true : null,
  );

  await chain.anvil.stop();
  await until(async () => ((await legSeries(server))['gate_rpc_up{network="base"}'] === 0 ? true : null));
});

const OF_LEGS = /^(gate_(?:rpc|wallet|pending_sends|oldest_unconfirmed|price|operations)\S*) (\S+)$/gm;

/** The metrics of the legs, by name and labels. */
async function legSeries({ origins }: ReferenceServer): Promise<Readonly<Record<string, number>>> {
  const text = await (await fetch(`${origins.ops}/metrics`)).text();
  return Object.fromEntries([...text.matchAll(OF_LEGS)].map(([, name, value]) => [name, Number(value)]));
}
