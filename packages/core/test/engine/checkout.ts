import type { CreatedGateSession, CreateGateSession, Scope } from '@gateramp/core';
import type { GateEvent, Intent, Session } from '@gateramp/core/domain';
import type { TestGate, TestResponse } from '@gateramp/testing';

export const WALLET = '0x00000000000000000000000000000000000000aa';

export const CARDS = {
  pays: '4242424242424242',
  declines: '4000000000000002',
  asksForACode: '4000000000003220',
} as const;

/** One opened checkout of one session, as used by the tests of the engine. */
export interface Checkout {
  readonly id: string;
  /** The same checkout, served by another process. */
  on(process: TestGate): Checkout;
  /** Begins an attempt. */
  begin(card?: string, key?: string): Promise<TestResponse>;
  /** Begins an attempt to sell, which waits for a deposit. */
  sell(): Promise<TestResponse>;
  confirm(intentId: string, body: unknown): Promise<TestResponse>;
  confirmCode(intentId: string, key?: string): Promise<TestResponse>;
  cancelIntent(intentId: string): Promise<TestResponse>;
  look(intentId: string): Promise<TestResponse>;
  /** Calls of the partner. */
  retrieve(): Promise<TestResponse>;
  cancel(): Promise<TestResponse>;
  /** The buyer's call in the checkout. */
  cancelByBuyer(): Promise<TestResponse>;
  /** The stored rows, without a read that could expire anything. */
  session(): Promise<Session>;
  intent(id: string): Promise<Intent>;
  events(): Promise<readonly GateEvent[]>;
}

export function scopeOf(t: TestGate): Scope {
  return { partnerId: t.partner.id, mode: 'test' };
}

export async function checkout(t: TestGate, body: Partial<CreateGateSession> = {}): Promise<Checkout> {
  const created = await t.createSession(body);
  return checkoutIn(t, created, { 'x-embed-token': await t.embed(created) });
}

function checkoutIn(
  t: TestGate,
  created: Pick<CreatedGateSession, 'id' | 'amount'>,
  headers: Readonly<Record<string, string>>,
): Checkout {
  const secret = { key: t.keys.secret.test };
  const keyed = (idempotencyKey: string | undefined) => (idempotencyKey === undefined ? {} : { idempotencyKey });
  return {
    id: created.id,
    on: (process) => checkoutIn(process, created, headers),
    begin: (card = CARDS.pays, key) =>
      t.request('POST', '/v1/embed/intents', { headers, ...keyed(key), body: attemptBody(created.amount, card) }),
    sell: () => t.request('POST', '/v1/embed/intents', { headers, body: saleBody(created.amount) }),
    confirm: (intentId, body) => t.request('POST', `/v1/embed/intents/${intentId}/confirm`, { headers, body }),
    confirmCode: (intentId, key) =>
      t.request('POST', `/v1/embed/intents/${intentId}/confirm`, {
        headers,
        ...keyed(key),
        body: { action: 'payment_authentication', code: '000000' },
      }),
    cancelIntent: (intentId) => t.request('POST', `/v1/embed/intents/${intentId}/cancel`, { headers }),
    look: (intentId) => t.request('GET', `/v1/embed/intents/${intentId}`, { headers }),
    retrieve: () => t.request('GET', `/v1/gate_sessions/${created.id}`, secret),
    cancel: () => t.request('POST', `/v1/gate_sessions/${created.id}/cancel`, secret),
    cancelByBuyer: () => t.request('POST', '/v1/embed/session/cancel', { headers }),
    session: async () => there(await t.store.find('session', scopeOf(t), created.id)),
    intent: async (id) => there(await t.store.find('intent', scopeOf(t), id)),
    events: () => t.store.list('session_event', scopeOf(t), created.id),
  };
}

export function attemptBody(amount: string, card: string): Readonly<Record<string, unknown>> {
  return {
    flow: 'on_ramp',
    amount,
    currency: 'EUR',
    payment_method: 'card',
    wallet_address: WALLET,
    payment_details: { card_number: card, expiry: '12/39', cvc: '123' },
  };
}

function saleBody(amount: string): Readonly<Record<string, unknown>> {
  return {
    flow: 'off_ramp',
    amount,
    currency: 'EUR',
    refund_address: WALLET,
    payout_details: { type: 'iban', iban: 'DE89370400440532013000', account_holder: 'Ada Example' },
  };
}

/** The types of a session's events, without the prefix they share. */
export async function story(shop: Checkout): Promise<readonly string[]> {
  return (await shop.events()).map((event) => event.type.replace('gate_session.', ''));
}

function there<Row>(row: Row | null): Row {
  if (row === null) throw new Error('A row is missing.');
  return row;
}
