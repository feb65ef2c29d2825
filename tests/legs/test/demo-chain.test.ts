import { randomUUID } from 'node:crypto';
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

interface Intent {
  readonly id: string;
  readonly status: string;
  readonly transaction: {
    readonly tx_hash: string | null;
    readonly confirmations: { readonly seen: number; readonly required: number } | null;
  } | null;
}

/** A session of the test partner, opened as its page would; what answers are calls of the checkout. */
async function openCheckout({ origins, returnUrl }: ReferenceServer) {
  const call = async (method: string, path: string, headers: Readonly<Record<string, string>>, body?: object) => {
    const response = await fetch(`${origins.sandbox}${path}`, {
      method,
      headers: { 'content-type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const answer: unknown = await response.json();
    if (!response.ok) throw new Error(`${path}: ${JSON.stringify(answer)}`);
    return answer;
  };
  const keyed = { authorization: `Bearer ${TEST_PARTNER.secretKey}`, 'idempotency-key': randomUUID() };
  const session = (await call('POST', '/v1/gate_sessions', keyed, {
    amount: '50.00',
    currency: 'EUR',
    return_url: returnUrl,
  })) as { readonly client_secret: string };
  const page = { authorization: `Bearer ${DEMO_KEYS.publishable}`, origin: new URL(returnUrl).origin };
  const opened = (await call('POST', '/v1/embed/bootstrap', page, { clientSecret: session.client_secret })) as {
    readonly embed_token: string;
  };
  const checkout = { 'x-embed-token': opened.embed_token, origin: origins.sandboxWidget };
  return async (method: 'GET' | 'POST', path: string, body?: object) =>
    (await call(method, path, { ...checkout, 'idempotency-key': randomUUID() }, body)) as Intent;
}

async function until<Found>(look: () => Promise<Found | null>): Promise<Found> {
  for (;;) {
    const found = await look();
    if (found !== null) return found;
    await new Promise((resolve) => setTimeout(resolve, 300));
  }
}
