import { expect, test } from 'vitest';
import { startReferenceServer } from '../../services/reference-server.js';
import {
  BUYER,
  enabledFlows,
  openCheckout,
  openSession,
  previewPrice,
  PURCHASE,
  SALE,
  settledIntent,
  SILENT,
  TEST_CARD,
  until,
  useLocalChain,
  withLegs,
} from '../checkout.js';

const chain = useLocalChain();

test('a card purchase over provider legs delivers tokens on the chain to the address typed in', async () => {
  const server = await startReferenceServer({ settings: chain.environment });
  const buyer = await openCheckout(server);
  const { id } = await buyer('POST', '/v1/embed/intents', { ...PURCHASE, payment_details: TEST_CARD });
  const seen: unknown[] = [];
  const done = await until(async () => {
    const intent = await buyer('GET', `/v1/embed/intents/${id}`);
    seen.push(intent.transaction?.confirmations?.seen);
    return intent.status === 'processing' ? null : intent;
  });
  expect(done).toMatchObject({ status: 'succeeded', transaction: { confirmations: { seen: 3, required: 3 } } });
  expect(done.transaction?.tx_hash).toMatch(/^0x[0-9a-f]{64}$/);
  // 50.00 EUR less fees of 0.55, at 0.92 plus half the spread.
  expect(await chain.balanceOf(BUYER)).toBe(53_615_960n);
});

test('a sale asks for a deposit on the chain, and pays out when it is confirmed', async () => {
  const server = await startReferenceServer({ settings: chain.environment });
  const buyer = await openCheckout(server);
  const { id, next_action: asked } = await buyer('POST', '/v1/embed/intents', SALE);
  expect(asked).toMatchObject({ type: 'crypto_deposit', network: 'base', asset: 'USDC' });
  const { address, amount } = asked ?? { address: '', amount: '' };
  await chain.pay(address as `0x${string}`, amount);
  const done = await settledIntent(buyer, id);
  expect(done).toMatchObject({ status: 'succeeded', transaction: { confirmations: { seen: 3, required: 3 } } });
  expect(await chain.balanceOf(address as `0x${string}`)).toBe(BigInt(amount.replace('.', '')));
});

test('while the network does not answer nothing is sold: flows are off, the checkout is closed, and quotes answer 503', async () => {
  const settings = withLegs(chain, (file) => file.replace(chain.url, SILENT));
  const server = await startReferenceServer({ settings });
  expect(await enabledFlows(server)).toEqual([]);
  await expect(previewPrice(server)).rejects.toThrow('"service_unavailable"');
  const { bootstrap } = await openSession(server);
  expect(bootstrap).toMatchObject({ available: false, unavailable_reason: 'maintenance' });
});
