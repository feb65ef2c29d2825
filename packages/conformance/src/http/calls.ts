import { DOCUMENT_AMOUNTS, SANDBOX_ACH, SANDBOX_CARDS, SANDBOX_IBANS } from '@gateramp/adapters-provider-sandbox';
import type { Mode, Partner } from '@gateramp/core';
import { HOUR, MINUTE } from '@gateramp/core/domain';
import { ACCEPTED, REFUSED, TEST_KEYS } from '@gateramp/testing';
import { expectStatus, itemsOf, textOf, type Answer, type Members } from './answer.js';
import { operatorRefund } from '../operator-refund.js';
import type { HttpWorld, Sent } from './world.js';

export const SECRET = TEST_KEYS.secret.test;
export const PUBLISHABLE = TEST_KEYS.publishable.test;
export const SHOP = 'https://shop.example';
export const WALLET = '0x52908400098527886E0F7030069857D2E4169EE7';
export const CARD = { card_number: SANDBOX_CARDS.succeeds, expiry: '12/49', cvc: '123' } as const;

export const CREATE_BODY = { amount: '100.00', currency: 'EUR', return_url: `${SHOP}/done` } as const;

/** An on-ramp attempt at the session of `CREATE_BODY`. */
export const ATTEMPT = {
  flow: 'on_ramp',
  amount: '100.00',
  currency: 'EUR',
  target_token: 'USDC',
  target_network: 'base',
  payment_method: 'card',
} as const;

export const INTENT_BODY = { ...ATTEMPT, wallet_address: WALLET, payment_details: CARD } as const;

export const PAYOUT = { type: 'iban', iban: SANDBOX_IBANS.pays, account_holder: 'Ada Buyer' } as const;

export const ACH_PAYOUT = {
  type: 'ach',
  routing_number: SANDBOX_ACH.routing,
  account_number: SANDBOX_ACH.pays,
  account_holder: 'Ada Buyer',
} as const;

/** Changes `INTENT_BODY` to a sale. */
export const SELL = {
  flow: 'off_ramp',
  source_token: 'USDC',
  source_network: 'base',
  target_token: null,
  target_network: null,
  wallet_address: null,
  payment_method: 'bank_transfer',
  payment_details: null,
  payout_details: PAYOUT,
  refund_address: WALLET,
} as const;

/** The same for a session in USD. */
export const SELL_FOR_USD = { ...SELL, currency: 'USD', payout_details: ACH_PAYOUT } as const;

/** Changes `INTENT_BODY` to a swap. */
export const SWAP = {
  flow: 'swap',
  source_token: 'ETH',
  source_network: 'ethereum',
  target_token: 'USDC',
  target_network: 'base',
  wallet_address: WALLET,
  payment_method: 'crypto',
  payment_details: null,
  refund_address: WALLET,
} as const;

let used = 0;

/** A new key. */
export function freshKey(): string {
  used += 1;
  return `key-${used}`;
}

/** The body of a preview of quotes. */
export const ASK = { currency: 'EUR', asset: 'USDC', amount: '100.00', side: 'on_ramp', country_code: 'DE' } as const;

/** The body of an executable quote. */
export const QUOTE_BODY = { ...ASK, payment_method: 'bank_transfer' } as const;

export const PAY_IN_BODY = { wallet_address: WALLET } as const;

export const PAY_OUT_BODY = { refund_address: WALLET, beneficiary: PAYOUT } as const;

export type RailNoun = 'pay_in' | 'pay_out';

/** Creates a pay-in or pay-out, from a new quote of the right side unless `body` names one. */
export async function createRail(
  world: HttpWorld,
  rail: RailNoun,
  body: Members = {},
  sent: Sent = {},
): Promise<Answer> {
  const mode = sent.mode ?? 'test';
  const side = rail === 'pay_in' ? 'on_ramp' : 'off_ramp';
  const quoteId = body['quote_id'] ?? expectStatus(await createQuote(world, { side }, { mode }), 201).json['id'];
  return world.send('POST', `/v1/rails/${rail}s`, {
    key: TEST_KEYS.secret[mode],
    idempotencyKey: freshKey(),
    body: { ...(rail === 'pay_in' ? PAY_IN_BODY : PAY_OUT_BODY), ...body, quote_id: quoteId },
    ...sent,
  });
}

export function simulateRail(world: HttpWorld, id: unknown, scenario: string, sent: Sent = {}): Promise<Answer> {
  return world.send('POST', `/v1/test_helpers/rails/${String(id)}/simulate`, {
    key: SECRET,
    body: { scenario },
    ...sent,
  });
}

/** Requests a preview of quotes; `body` overrides members of `ASK`. */
export function previewQuotes(world: HttpWorld, body: Members = {}, sent: Sent = {}): Promise<Answer> {
  const key = TEST_KEYS.secret[sent.mode ?? 'test'];
  return world.send('POST', '/v1/quotes/preview', { key, body: { ...ASK, ...body }, ...sent });
}

/** Creates an executable quote; `body` overrides members of `QUOTE_BODY`. */
export function createQuote(world: HttpWorld, body: Members = {}, sent: Sent = {}): Promise<Answer> {
  const key = TEST_KEYS.secret[sent.mode ?? 'test'];
  return world.send('POST', '/v1/quotes', { key, body: { ...QUOTE_BODY, ...body }, ...sent });
}

/** Creates a session; `body` overrides members of a valid body. */
export function create(world: HttpWorld, body: Members = {}, sent: Sent = {}): Promise<Answer> {
  const key = TEST_KEYS.secret[sent.mode ?? 'test'];
  return world.send('POST', '/v1/gate_sessions', {
    key,
    idempotencyKey: freshKey(),
    body: { ...CREATE_BODY, ...body },
    ...sent,
  });
}

/** Creates a session and returns it with its client secret. */
export async function open(world: HttpWorld, body: Members = {}, sent: Sent = {}): Promise<Members> {
  return expectStatus(await create(world, body, sent), 201).json;
}

export function bootstrap(world: HttpWorld, clientSecret: string | null, sent: Sent = {}): Promise<Answer> {
  const key = TEST_KEYS.publishable[sent.mode ?? 'test'];
  const body = clientSecret === null ? {} : { clientSecret };
  return world.send('POST', '/v1/embed/bootstrap', { key, origin: SHOP, body, ...sent });
}

export async function tokenOf(world: HttpWorld, session: Members, mode: Mode = 'test'): Promise<string> {
  return textOf(
    expectStatus(await bootstrap(world, textOf(session, 'client_secret'), { mode }), 200).json,
    'embed_token',
  );
}

export async function anonymousToken(world: HttpWorld): Promise<string> {
  return textOf(expectStatus(await bootstrap(world, null), 200).json, 'embed_token');
}

/** A buyer's browser with an open session. */
export interface Buyer {
  readonly session: Members;
  readonly sessionId: string;
  readonly token: string;
}

export async function buyer(world: HttpWorld, body: Members = {}, mode: Mode = 'test'): Promise<Buyer> {
  const session = await open(world, body, { mode });
  return { session, sessionId: textOf(session, 'id'), token: await tokenOf(world, session, mode) };
}

export function attempt(world: HttpWorld, token: string, body: Members = {}, sent: Sent = {}): Promise<Answer> {
  return world.send('POST', '/v1/embed/intents', { token, body: { ...INTENT_BODY, ...body }, ...sent });
}

/** The body of an attempt with this card. */
export function card(number: string): Members {
  return { payment_details: { ...CARD, card_number: number } };
}

/** An attempt that waits for its one-time code. */
export async function waitingIntent(world: HttpWorld, token: string, mode: Mode = 'test'): Promise<Members> {
  return expectStatus(await attempt(world, token, card(SANDBOX_CARDS.needsAuthentication), { mode }), 201).json;
}

/** A picture according to its first bytes, and the headers of its upload. */
export const PICTURE = {
  headers: { 'content-type': 'image/png' },
  body: Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1, 2, 3),
} as const;

/** An attempt that waits for pictures of a document, and its buyer. */
export async function documentIntent(
  world: HttpWorld,
  { amount = DOCUMENT_AMOUNTS.from, ...body }: { readonly amount?: string; readonly payment_details?: unknown } = {},
  mode: Mode = 'test',
): Promise<Buyer & { readonly intentId: string }> {
  const found = await buyer(world, { amount }, mode);
  const intent = expectStatus(await attempt(world, found.token, { amount, ...body }, { mode }), 201).json;
  return { ...found, intentId: textOf(intent, 'id') };
}

/** Uploads one side; by default a picture. */
export function upload(
  world: HttpWorld,
  { token, intentId }: { readonly token: string; readonly intentId: string },
  side: string,
  sent: Sent = {},
): Promise<Answer> {
  return world.send('POST', `/v1/embed/intents/${intentId}/documents/${side}`, { token, ...PICTURE, ...sent });
}

/** A card that a buyer has paid with and saved, and the next checkout of that buyer. */
export async function savedMethod(
  world: HttpWorld,
  mode: Mode = 'test',
  reference = 'ada',
): Promise<Buyer & { readonly id: string }> {
  const paying = await buyer(world, { user_reference: reference }, mode);
  const details = { payment_details: { ...CARD, save: true } };
  expectStatus(await attempt(world, paying.token, details, { mode }), 201);
  const next = await buyer(world, { user_reference: reference }, mode);
  const listed = await world.send('GET', '/v1/embed/payment_methods', { mode, token: next.token });
  const [first] = itemsOf(expectStatus(listed, 200));
  if (first === undefined) throw new Error('The card was not saved.');
  return { ...next, id: textOf(first, 'id') };
}

/** The refid of a completed card payment of 100.00 EUR. */
export async function paidTransaction(world: HttpWorld, mode: Mode = 'test'): Promise<string> {
  const { token } = await buyer(world, {}, mode);
  const intent = expectStatus(await attempt(world, token, {}, { mode }), 201).json;
  await world.t.clock.advanceTo(world.t.clock.now(mode) + MINUTE);
  await world.t.gate.runDue();
  return textOf(intent, 'tx_refid');
}

/** A refund by an operator, with a new key. */
export function refund({ t }: HttpWorld, refid: string, body: Members = {}): Promise<Answer> {
  return operatorRefund(t, { refid, body, key: freshKey() });
}

export function confirm(
  world: HttpWorld,
  token: string,
  intentId: string,
  body: Members,
  sent: Sent = {},
): Promise<Answer> {
  return world.send('POST', `/v1/embed/intents/${intentId}/confirm`, { token, body, ...sent });
}

export function simulate(world: HttpWorld, sessionId: string, scenario: string, body: Members = {}): Promise<Answer> {
  return world.send('POST', `/v1/test_helpers/gate_sessions/${sessionId}/simulate`, {
    key: SECRET,
    body: { scenario, ...body },
  });
}

export function retrieve(world: HttpWorld, sessionId: string, sent: Sent = {}): Promise<Answer> {
  return world.send('GET', `/v1/gate_sessions/${sessionId}`, { key: TEST_KEYS.secret[sent.mode ?? 'test'], ...sent });
}

export function cancel(world: HttpWorld, sessionId: string, sent: Sent = {}): Promise<Answer> {
  return world.send('POST', `/v1/gate_sessions/${sessionId}/cancel`, {
    key: TEST_KEYS.secret[sent.mode ?? 'test'],
    ...sent,
  });
}

export const RIVAL_SECRET = 'sk_test_000000000000000rivalsecret';
export const RIVAL_PUBLISHABLE = 'pk_test_000000000000000rivalpublic';

/** Creates another partner with its own keys, at the same origin. */
export async function admitRival(world: HttpWorld, changes: Partial<Partner> = {}): Promise<void> {
  const { admin } = world.t.gate;
  const id = '65f0c0ffee65f0c0ffee0002';
  await admin.savePartner({ ...world.t.partner, id, name: 'Rival', ...changes });
  await admin.addKey(id, RIVAL_SECRET);
  await admin.addKey(id, RIVAL_PUBLISHABLE);
}

/** A dead-lettered delivery; its receiver works again. */
export async function deadLettered({ t }: HttpWorld, mode: Mode = 'test'): Promise<string> {
  const scope = { partnerId: t.partner.id, mode };
  t.receiver.answerWith(() => REFUSED);
  const tested = (await t.gate.webhooks.test(scope))._unsafeUnwrap();
  for (let attempts = 0; attempts < 5; attempts += 1) {
    await t.gate.runDue();
    await t.clock.advanceTo(t.clock.now(mode) + 2 * HOUR);
  }
  t.receiver.answerWith(() => ACCEPTED);
  return tested.delivery_id;
}
