import { MINUTE } from '@gateramp/core/domain';
import { createTestGate, type TestGate } from '@gateramp/testing';
import { describe, expect, it } from 'vitest';
import { FAKE_CARDS, FAKE_CODE, listOperations, type Operation } from '@gateramp/provider-legs';
import { mortal, type Death } from './mortal.js';
import { deposit, REFUND_ADDRESS, START, WALLET, world, type World } from './world.js';

const TERMS = { amount: '100.00', currency: 'EUR', country_code: 'DE' };
const PURCHASE = {
  ...TERMS,
  flow: 'on_ramp',
  target_token: 'USDC',
  target_network: 'base',
  wallet_address: WALLET,
  payment_method: 'card',
};
const DEPOSIT = { ...TERMS, source_token: 'USDC', source_network: 'base', refund_address: REFUND_ADDRESS };

const cardOf = (number: string) => ({ card_number: number, expiry: '12/39', cvc: '123' });

/** What buyers order. Each process that dies does so while it starts or confirms one of these. */
const ORDERS: Readonly<Record<string, object>> = {
  'a purchase': { ...PURCHASE, payment_details: cardOf(FAKE_CARDS.succeeds) },
  'a purchase with a code': { ...PURCHASE, payment_details: cardOf(FAKE_CARDS.needsAuthentication) },
  'a purchase by bank transfer': { ...PURCHASE, payment_method: 'bank_transfer' },
  'a sale': {
    ...DEPOSIT,
    flow: 'off_ramp',
    payment_method: 'bank_transfer',
    payout_details: { type: 'iban', iban: 'DE89370400440532013000', account_holder: 'Ada Example' },
  },
  'a swap': {
    ...DEPOSIT,
    flow: 'swap',
    target_token: 'ETH',
    target_network: 'base',
    wallet_address: WALLET,
    payment_method: 'crypto',
  },
};

interface Shop {
  readonly w: World;
  readonly t: TestGate;
  readonly intentId: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Plays the order until its process dies; the next process then has some minutes. */
async function played(order: object, death: Death | null, onCall = () => {}): Promise<Shop> {
  const w = world();
  const dying = await createTestGate({ startAt: START, ports: { providers: [mortal(w, death, onCall)] } });
  const session = await dying.createSession();
  const headers = { 'x-embed-token': await dying.embed(session) };
  const begun = await dying.request('POST', '/v1/embed/intents', { headers, body: order });
  const action = (begun.json['next_action'] ?? null) as { readonly type: string } | null;
  if (action?.type === 'payment_authentication') await answerCode(dying, headers, String(begun.json['id']));
  const t = dying.restart({ providers: [w.provider] });
  await t.gate.advanceTestClock(4 * MINUTE);
  return { w, t, intentId: String(begun.json['id']), headers };
}

const answerCode = (t: TestGate, headers: Shop['headers'], id: string) =>
  t.request('POST', `/v1/embed/intents/${id}/confirm`, {
    headers,
    body: { action: 'payment_authentication', code: FAKE_CODE },
  });

async function operationOf({ w }: Shop): Promise<Operation | null> {
  const [found] = await listOperations(w.store, { mode: 'test', isStuck: false, after: null, limit: 2 });
  return found ?? null;
}

async function intentOf({ t, intentId }: Shop) {
  const scope = { partnerId: t.partner.id, mode: 'test' } as const;
  return t.store.find('intent', scope, intentId);
}

async function callsOf(order: object): Promise<number> {
  let calls = 0;
  await played(order, null, () => void (calls += 1));
  return calls;
}

describe('minutes after its process died at any call', () => {
  for (const [title, order] of Object.entries(ORDERS))
    it(`${title} has ended, or asks its buyer for something that they can do or cancel`, async () => {
      const calls = await callsOf(order);
      expect(calls).toBeGreaterThan(5);
      for (let at = 1; at <= calls; at += 1)
        for (const moment of ['before', 'after'] as const) {
          const shop = await played(order, { at, moment });
          await expectNextStep(shop, `${title}, died ${moment} call ${at}`);
        }
    });
});

async function expectNextStep(shop: Shop, hint: string): Promise<void> {
  const { t, w, headers } = shop;
  const intent = await intentOf(shop);
  // The process died before the attempt began.
  if (intent === null) return;
  expect(['requires_action', 'succeeded', 'failed', 'cancelled'], hint).toContain(intent.status);
  if (intent.status === 'failed') expect(intent.failure?.retryable, hint).toBe(true);
  const operation = await operationOf(shop);
  if (intent.status !== 'requires_action') return;
  expect(operation?.state.kind, hint).toBe('awaiting');
  const action = intent.nextAction;
  if (action?.type === 'payment_authentication') {
    const answer = await answerCode(t, headers, intent.id);
    expect(answer.status, hint).toBe(200);
  } else if (action?.type === 'crypto_deposit') {
    const at = t.clock.now('test');
    await deposit(w.chain, `${operation?.operationId ?? ''}-deposit`, { amount: action.amount, at });
  } else {
    const cancelled = await t.request('POST', `/v1/embed/intents/${intent.id}/cancel`, { headers });
    expect(cancelled.json['status'], hint).toBe('cancelled');
    return;
  }
  await t.gate.advanceTestClock(4 * MINUTE);
  expect((await intentOf(shop))?.status, hint).toBe('succeeded');
}
