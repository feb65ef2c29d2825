import { randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type FakeStripe,
  PUBLIC_KEY,
  SECRET_KEY,
  WEBHOOK_SECRET,
} from '../../packages/adapters-fiat-stripe/test/fake-stripe/fake-stripe.js';
import { DEMO_KEYS } from '../../apps/reference-server/src/demo/demo-partner.js';
import { afterAll, beforeAll } from 'vitest';
import { localChain, type LocalChain } from '../../tools/demo-chain/local-chain.js';
import { advanceClock } from '../services/advance-clock.js';
import { TEST_PARTNER, type ReferenceServer } from '../services/reference-server.js';
import { scratchFolder } from '../services/scratch-folder.js';

export interface Intent {
  readonly id: string;
  readonly status: string;
  readonly next_action: { readonly type: string; readonly address: string; readonly amount: string } | null;
  readonly transaction: {
    readonly tx_hash: string | null;
    readonly confirmations: { readonly seen: number; readonly required: number } | null;
  } | null;
}

/** The wallet address that the buyers of these tests enter. */
export const BUYER = '0x52908400098527886E0F7030069857D2E4169EE7';

/** A purchase of test USDC, without payment details. */
export const PURCHASE = {
  flow: 'on_ramp',
  amount: '50.00',
  currency: 'EUR',
  target_token: 'USDC',
  target_network: 'base',
  wallet_address: BUYER,
  payment_method: 'card',
} as const;

/** A sale of test USDC for a bank transfer. */
export const SALE = {
  flow: 'off_ramp',
  amount: '50.00',
  currency: 'EUR',
  source_token: 'USDC',
  source_network: 'base',
  payment_method: 'bank_transfer',
  refund_address: BUYER,
  payout_details: { type: 'iban', iban: 'DE89370400440532013000', account_holder: 'Test Buyer' },
};

/** Nothing listens on this address. */
export const SILENT = 'http://127.0.0.1:9';

export const TEST_CARD = { card_number: '4242424242424242', expiry: '12/30', cvc: '123' } as const;

/** A local chain for the tests of a file. */
export function useLocalChain(): LocalChain {
  // Filled before the first test runs.
  const chain = {} as LocalChain;
  beforeAll(async () => void Object.assign(chain, await localChain()));
  afterAll(() => chain.stop());
  return chain;
}

/** Waits until the intent has ended, and returns it. */
export function settledIntent(buyer: Awaited<ReturnType<typeof openCheckout>>, id: string): Promise<Intent> {
  return until(async () => {
    const intent = await buyer('GET', `/v1/embed/intents/${id}`);
    return ['requires_action', 'processing'].includes(intent.status) ? null : intent;
  });
}

/** Opens a session of the test partner like its page does. Returns the calls of the checkout. */
export async function openCheckout(server: ReferenceServer) {
  const { bootstrap, call } = await openSession(server);
  const checkout = { 'x-embed-token': bootstrap.embed_token, origin: server.origins.sandboxWidget };
  return async (method: 'GET' | 'POST', path: string, body?: object) =>
    (await call(method, path, { ...checkout, 'idempotency-key': randomUUID() }, body)) as Intent;
}

export async function openSession(server: ReferenceServer, currency = 'EUR') {
  const { returnUrl } = server;
  const call = callsTo(server);
  const keyed = { ...KEYED, 'idempotency-key': randomUUID() };
  const session = (await call('POST', '/v1/gate_sessions', keyed, {
    amount: '50.00',
    currency,
    return_url: returnUrl,
  })) as { readonly client_secret: string };
  const page = { authorization: `Bearer ${DEMO_KEYS.publishable}`, origin: new URL(returnUrl).origin };
  const bootstrap = (await call('POST', '/v1/embed/bootstrap', page, { clientSecret: session.client_secret })) as {
    readonly embed_token: string;
  };
  return { bootstrap, call };
}

export function callsTo({ origins }: ReferenceServer) {
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

/** Advances the clock of the partner's sandbox. */
export const advance = (server: ReferenceServer, seconds: number): Promise<void> =>
  advanceClock(server.origins.sandbox, TEST_PARTNER.secretKey, seconds);

export async function until<Found>(look: () => Promise<Found | null>): Promise<Found> {
  for (;;) {
    const found = await look();
    if (found !== null) return found;
    await new Promise((resolve) => setTimeout(resolve, 300));
  }
}

/** The settings of the chain, with a changed legs file. */
export function withLegs(chain: LocalChain, change: (file: string) => string): Readonly<Record<string, string>> {
  const file = join(scratchFolder('gate-legs-'), 'legs.json');
  writeFileSync(file, change(readFileSync(chain.environment['GATE_LEGS_FILE'] ?? '', 'utf8')));
  return { ...chain.environment, GATE_LEGS_FILE: file };
}

/** The settings of the chain, with cards at the fake Stripe account. */
export function withStripe(chain: LocalChain, fake: FakeStripe): Readonly<Record<string, string>> {
  const fiat = {
    type: 'stripe',
    secret_key_env: 'STRIPE_SECRET_KEY',
    webhook_secret_env: 'STRIPE_WEBHOOK_SECRET',
    public_key: PUBLIC_KEY,
    api_url: `http://127.0.0.1:${fake.port}`,
  };
  const settings = withLegs(chain, (file) => JSON.stringify({ ...(JSON.parse(file) as object), fiat }));
  return { ...settings, STRIPE_SECRET_KEY: SECRET_KEY, STRIPE_WEBHOOK_SECRET: WEBHOOK_SECRET };
}

/** The flows in the partner's capabilities. */
export async function enabledFlows(server: ReferenceServer): Promise<readonly string[]> {
  const { data } = (await callsTo(server)('GET', '/v1/capabilities/flows', KEYED)) as {
    readonly data: readonly { readonly code: string; readonly enabled: boolean }[];
  };
  return data.filter(({ enabled }) => enabled).map(({ code }) => code);
}

/** Requests the price of a purchase. Throws for a response other than 2xx. */
export function previewPrice(server: ReferenceServer): Promise<unknown> {
  const preview = { currency: 'EUR', asset: 'USDC', amount: '50.00', side: 'on_ramp', country_code: 'DE' };
  return callsTo(server)('POST', '/v1/quotes/preview', KEYED, preview);
}

export const KEYED = { authorization: `Bearer ${TEST_PARTNER.secretKey}` };
