import type { Mode } from '@gateramp/core';
import type { TestGate, TestResponse } from '@gateramp/testing';
import { attemptBody, CARDS } from '../checkout.js';

/** A buyer: the same person, shop and mode. */
export interface Buyer {
  readonly shop: Shop;
  readonly mode: Mode;
  readonly reference: string | null;
}

/** A partner with its keys. */
export interface Shop extends Readonly<Record<Mode, { readonly secret: string; readonly publishable: string }>> {
  readonly id: string;
}

export async function openShop(t: TestGate, name: string): Promise<Shop> {
  const { id } = await t.gate.admin.createPartner({
    name,
    allowedOrigins: ['https://shop.example'],
    liveEnabled: true,
    savedPaymentMethods: true,
  });
  const keysOf = async (mode: Mode) => ({
    secret: (await t.gate.admin.issueKey(id, { mode, type: 'secret' })).text,
    publishable: (await t.gate.admin.issueKey(id, { mode, type: 'publishable' })).text,
  });
  return { id, test: await keysOf('test'), live: await keysOf('live') };
}

/** A checkout of a new session. */
export interface SavingCheckout {
  readonly bootstrap: TestResponse['json'];
  /** Begins an attempt that is paid with `details`. */
  pay(details: Members, others?: Members, idempotencyKey?: string): Promise<TestResponse>;
  saved(): Promise<TestResponse>;
  remove(id: string, idempotencyKey?: string): Promise<TestResponse>;
  /** The partner cancels the session. */
  cancel(): Promise<TestResponse>;
  /** Another call of the checkout. */
  send(method: string, path: string, body?: Members): Promise<TestResponse>;
}

type Members = Readonly<Record<string, unknown>>;

export const CARD = { card_number: CARDS.pays, expiry: '12/39', cvc: '123' } as const;

export async function checkoutOf(t: TestGate, { shop, mode, reference }: Buyer): Promise<SavingCheckout> {
  const created = await t.request('POST', '/v1/gate_sessions', {
    mode,
    key: shop[mode].secret,
    idempotencyKey: crypto.randomUUID(),
    body: {
      amount: '100.00',
      currency: 'EUR',
      return_url: 'https://shop.example/done',
      user_reference: reference,
    },
  });
  const opened = await t.request('POST', '/v1/embed/bootstrap', {
    mode,
    key: shop[mode].publishable,
    headers: { origin: 'https://shop.example' },
    body: { clientSecret: created.json['client_secret'] },
  });
  const headers = { 'x-embed-token': String(opened.json['embed_token']) };
  const send = (method: string, path: string, body?: Members, idempotencyKey?: string) =>
    t.request(method, path, {
      mode,
      headers,
      ...(body === undefined ? {} : { body }),
      ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
    });
  return {
    bootstrap: opened.json,
    pay: (details, others = {}, key) => {
      const body = { ...attemptBody('100.00', CARDS.pays), ...others, payment_details: details };
      return send('POST', '/v1/embed/intents', body, key);
    },
    saved: () => send('GET', '/v1/embed/payment_methods'),
    remove: (id, key) => send('POST', `/v1/embed/payment_methods/${id}/remove`, undefined, key),
    cancel: () =>
      t.request('POST', `/v1/gate_sessions/${String(created.json['id'])}/cancel`, { mode, key: shop[mode].secret }),
    send,
  };
}

/** The ids on a list. */
export function idsOf({ json }: TestResponse): readonly string[] {
  const rows = json['data'];
  if (!Array.isArray(rows)) throw new Error(`Not a list: ${JSON.stringify(json)}`);
  return rows.map((row: { readonly id: string }) => row.id);
}
