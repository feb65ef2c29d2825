import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DEMO_KEYS } from '../../../apps/reference-server/src/demo/demo-partner.js';
import { localChain, type LocalChain } from '../../../tools/demo-chain/local-chain.js';
import { startReferenceServer, TEST_PARTNER, type ReferenceServer } from '../../services/reference-server.js';

const BUYER = '0x52908400098527886E0F7030069857D2E4169EE7';

let chain: LocalChain;
beforeAll(async () => {
  chain = await localChain();
}, 60_000);
afterAll(() => chain.stop());

test(
  'a card purchase over provider legs delivers tokens on the chain to the address typed in',
  { timeout: 90_000 },
  async () => {
    const server = await startReferenceServer({ settings: chain.environment });
    const buyer = await openCheckout(server);
    const terms = { flow: 'on_ramp', amount: '50.00', currency: 'EUR', target_token: 'USDC', target_network: 'base' };
    const card = { card_number: '4242424242424242', expiry: '12/30', cvc: '123' };
    const { id } = await buyer('POST', '/v1/embed/intents', {
      ...terms,
      wallet_address: BUYER,
      payment_method: 'card',
      payment_details: card,
    });
    const seen: unknown[] = [];
    const done = await until(async () => {
      const intent = await buyer('GET', `/v1/embed/intents/${id}`);
      seen.push(intent.transaction?.confirmations?.seen);
      return intent.status === 'processing' ? null : intent;
    });
    expect(done).toMatchObject({ status: 'succeeded', transaction: { confirmations: { seen: 3, required: 3 } } });
    expect(done.transaction?.tx_hash).toMatch(/^0x[0-9a-f]{64}$/);
    // 49.45 EUR, the fees of 0.55 taken off, at 0.92 plus half the spread.
    expect(await chain.balanceOf(BUYER)).toBe(53_615_960n);
  },
);

test('a sale asks for a deposit on the chain, and pays out when it is confirmed', { timeout: 90_000 }, async () => {
  const server = await startReferenceServer({ settings: chain.environment });
  const buyer = await openCheckout(server);
  const { id, next_action: asked } = await buyer('POST', '/v1/embed/intents', SALE);
  expect(asked).toMatchObject({ type: 'crypto_deposit', network: 'base', asset: 'USDC' });
  const { address, amount } = asked ?? { address: '', amount: '' };
  await chain.pay(address as `0x${string}`, amount);
  const done = await until(async () => {
    const intent = await buyer('GET', `/v1/embed/intents/${id}`);
    return ['requires_action', 'processing'].includes(intent.status) ? null : intent;
  });
  expect(done).toMatchObject({ status: 'succeeded', transaction: { confirmations: { seen: 3, required: 3 } } });
  expect(await chain.balanceOf(address as `0x${string}`)).toBe(BigInt(amount.replace('.', '')));
});

test('while the network does not answer nothing is sold: flows are off, the checkout is closed, and quotes answer 503', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'gate-silent-'));
  const file = join(folder, 'legs.json');
  writeFileSync(file, readFileSync(chain.environment['GATE_LEGS_FILE'] ?? '', 'utf8').replace(chain.url, SILENT));
  const server = await startReferenceServer({ settings: { ...chain.environment, GATE_LEGS_FILE: file } });
  const call = callsTo(server);
  const keyed = { authorization: `Bearer ${TEST_PARTNER.secretKey}` };
  const flows = (await call('GET', '/v1/capabilities/flows', keyed)) as { data: { code: string; enabled: boolean }[] };
  expect(flows.data.filter(({ enabled }) => enabled)).toEqual([]);
  const preview = { currency: 'EUR', asset: 'USDC', amount: '50.00', side: 'on_ramp', country_code: 'DE' };
  await expect(call('POST', '/v1/quotes/preview', keyed, preview)).rejects.toThrow('"service_unavailable"');
  const { bootstrap } = await openSession(server);
  expect(bootstrap).toMatchObject({ available: false, unavailable_reason: 'maintenance' });
  rmSync(folder, { recursive: true });
});

const SILENT = 'http://127.0.0.1:9';

const SALE = {
  flow: 'off_ramp',
  amount: '50.00',
  currency: 'EUR',
  source_token: 'USDC',
  source_network: 'base',
  payment_method: 'bank_transfer',
  refund_address: BUYER,
  payout_details: { type: 'iban', iban: 'DE89370400440532013000', account_holder: 'Test Buyer' },
};

interface Intent {
  readonly id: string;
  readonly status: string;
  readonly next_action: { readonly type: string; readonly address: string; readonly amount: string } | null;
  readonly transaction: {
    readonly tx_hash: string | null;
    readonly confirmations: { readonly seen: number; readonly required: number } | null;
  } | null;
}

/** A session of the test partner, opened as its page would; what answers are calls of the checkout. */
async function openCheckout(server: ReferenceServer) {
  const { bootstrap, call } = await openSession(server);
  const checkout = { 'x-embed-token': bootstrap.embed_token, origin: server.origins.sandboxWidget };
  return async (method: 'GET' | 'POST', path: string, body?: object) =>
    (await call(method, path, { ...checkout, 'idempotency-key': randomUUID() }, body)) as Intent;
}

async function openSession(server: ReferenceServer) {
  const { returnUrl } = server;
  const call = callsTo(server);
  const keyed = { authorization: `Bearer ${TEST_PARTNER.secretKey}`, 'idempotency-key': randomUUID() };
  const session = (await call('POST', '/v1/gate_sessions', keyed, {
    amount: '50.00',
    currency: 'EUR',
    return_url: returnUrl,
  })) as { readonly client_secret: string };
  const page = { authorization: `Bearer ${DEMO_KEYS.publishable}`, origin: new URL(returnUrl).origin };
  const bootstrap = (await call('POST', '/v1/embed/bootstrap', page, { clientSecret: session.client_secret })) as {
    readonly embed_token: string;
  };
  return { bootstrap, call };
}

function callsTo({ origins }: ReferenceServer) {
  return async (method: string, path: string, headers: Readonly<Record<string, string>>, body?: object) => {
    const response = await fetch(`${origins.sandbox}${path}`, {
      method,
      headers: { 'content-type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const answer: unknown = await response.json();
    if (!response.ok) throw new Error(`${path}: ${JSON.stringify(answer)}`);
    return answer;
  };
}

async function until<Found>(look: () => Promise<Found | null>): Promise<Found> {
  for (;;) {
    const found = await look();
    if (found !== null) return found;
    await new Promise((resolve) => setTimeout(resolve, 300));
  }
}
