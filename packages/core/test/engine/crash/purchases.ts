import { expect } from 'vitest';
import type { TestResponse } from '@gateramp/testing';
import type { Buyer } from './buyer.js';

/** Terms of a purchase; members of the wire. */
export interface Order {
  readonly session: Readonly<Record<string, unknown>>;
  /** The body of the n-th attempt. */
  readonly attempt: (n: number) => Readonly<Record<string, unknown>>;
}

const SHOP = { amount: '100.00', currency: 'EUR', return_url: 'https://shop.example/done' };

export const WALLET = '0x00000000000000000000000000000000000000aa';

export function cardOrder(
  card: (n: number) => string,
  amount = '100.00',
  extra: Readonly<Record<string, unknown>> = {},
): Order {
  return {
    session: { ...SHOP, amount, ...extra },
    attempt: (n) => ({
      flow: 'on_ramp',
      amount,
      currency: 'EUR',
      payment_method: 'card',
      wallet_address: WALLET,
      payment_details: { card_number: card(n), expiry: '12/39', cvc: '123' },
    }),
  };
}

export const SALE: Order = {
  session: { ...SHOP, flow: 'off_ramp' },
  attempt: () => ({
    flow: 'off_ramp',
    amount: '100.00',
    currency: 'EUR',
    payment_method: 'bank_transfer',
    refund_address: WALLET,
    payout_details: { type: 'iban', iban: 'DE89370400440532013000', account_holder: 'Ada Example' },
  }),
};

export const TRANSFER: Order = {
  session: SHOP,
  attempt: () => ({
    flow: 'on_ramp',
    amount: '100.00',
    currency: 'EUR',
    payment_method: 'bank_transfer',
    wallet_address: WALLET,
  }),
};

/** Creates the session and opens its checkout. */
export async function open(buyer: Buyer, order: Order): Promise<{ readonly id: string; readonly embed: Embed }> {
  const { keys } = buyer.t;
  const created = await buyer.ask('create', '/v1/gate_sessions', { key: keys.secret.test, body: order.session });
  expect(created.status, created.text).toBe(201);
  const opened = await buyer.ask('bootstrap', '/v1/embed/bootstrap', {
    key: keys.publishable.test,
    headers: { origin: 'https://shop.example' },
    body: { clientSecret: created.json['client_secret'] },
  });
  expect(opened.status, opened.text).toBe(200);
  return { id: String(created.json['id']), embed: { 'x-embed-token': String(opened.json['embed_token']) } };
}

type Embed = Readonly<Record<'x-embed-token', string>>;
type Json = TestResponse['json'];

/** Begins the n-th attempt. */
export async function begin(buyer: Buyer, embed: Embed, order: Order, n: number): Promise<Json> {
  const begun = await buyer.ask(`attempt ${n}`, '/v1/embed/intents', { headers: embed, body: order.attempt(n) });
  expect(begun.status, begun.text).toBe(201);
  return begun.json;
}

/** Retrieves the current intent. */
export async function look(buyer: Buyer, embed: Embed, intent: Json): Promise<Json> {
  const seen = await buyer.t.request('GET', `/v1/embed/intents/${String(intent['id'])}`, { headers: embed });
  expect(seen.status, seen.text).toBe(200);
  return seen.json;
}

/** Attempts until one succeeds, completing each required action. */
export async function pay(buyer: Buyer, embed: Embed, order: Order, first = 0): Promise<void> {
  for (let n = first; n < first + ATTEMPTS_MAX; n += 1) {
    const intent = await follow(buyer, embed, await begin(buyer, embed, order, n));
    if (intent['status'] === 'succeeded') return;
    expect(intent['status']).toBe('failed');
  }
  throw new Error('No attempt succeeds.');
}

/** Follows an intent to its end. */
async function follow(buyer: Buyer, embed: Embed, begun: Json): Promise<Json> {
  let intent = await look(buyer, embed, begun);
  for (let step = 0; step < STEPS_MAX; step += 1) {
    if (!isLive(intent)) return intent;
    if (asksFor(intent) !== null && asksFor(intent) !== 'bank_transfer') await confirm(buyer, embed, intent, step);
    else await buyer.workFor('1m');
    intent = await look(buyer, embed, intent);
  }
  throw new Error(`The intent stays ${String(intent['status'])}.`);
}

async function confirm(buyer: Buyer, embed: Embed, intent: Json, step: number): Promise<void> {
  const name = `confirm ${String(intent['attempt'])}.${step}`;
  const done = await buyer.ask(name, `/v1/embed/intents/${String(intent['id'])}/confirm`, {
    headers: embed,
    body: CONFIRMATIONS[asksFor(intent) ?? ''],
  });
  expect(done.status, done.text).toBe(200);
}

function asksFor(intent: Json): string | null {
  const action = intent['next_action'] as { readonly type: string } | null;
  return action?.type ?? null;
}

const CONFIRMATIONS: Readonly<Record<string, unknown>> = {
  kyc: {
    action: 'kyc',
    kyc: { first_name: 'Ada', last_name: 'Example', date_of_birth: '1990-01-01', document_number: 'X123' },
  },
  payment_authentication: { action: 'payment_authentication', code: '000000' },
  crypto_deposit: { action: 'crypto_deposit' },
};

function isLive(intent: Json): boolean {
  return ['created', 'requires_action', 'processing'].includes(String(intent['status']));
}

const ATTEMPTS_MAX = 4;
const STEPS_MAX = 8;
