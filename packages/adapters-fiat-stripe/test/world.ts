import type { FiatLegOnTrial } from '@gateramp/conformance';
import type { NextAction } from '@gateramp/core/domain';
import type { Confirmation, PaymentDetails } from '@gateramp/core/ports';
import { memoryLegsStore, type AuthorizeOrder, type LegsStore } from '@gateramp/provider-legs';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { stripeFiat, type StripeFiatOptions, type StripeMethod } from '../src/index.js';
import { TEST_METHODS } from './fake-stripe/books.js';
import { FakeStripe, PUBLIC_KEY, WEBHOOK_SECRET } from './fake-stripe/fake-stripe.js';

export const START = Date.UTC(2027, 0, 1);

const LIMITS = { minAmount: '1.00', maxAmount: '10000.00', feeBps: 100, feeFixed: '0.00' } as const;
export const CARDS_IN_EUR: StripeMethod = { ...LIMITS, type: 'card', currency: 'EUR' };
export const TRANSFERS: StripeMethod = { ...LIMITS, type: 'eu_bank_transfer_de', currency: 'EUR' };
export const DEBITS: StripeMethod = { ...LIMITS, type: 'sepa_debit', currency: 'EUR' };

/** Payment details with a payment method that the buyer's browser has created. */
export const paidBy = (method: keyof typeof TEST_METHODS): PaymentDetails => ({
  provider: 'legs',
  token: TEST_METHODS[method],
});
/** Payment details that request the component. */
export const IN_COMPONENT: PaymentDetails = { provider: 'legs', token: 'component' };

/** A fake account for the tests of a file, cleared between tests. A test fails for anything that differs from Stripe's documents. */
export function useFakeStripe(): FakeStripe {
  const fake = new FakeStripe();
  beforeAll(() => fake.listen());
  afterEach(() => {
    fake.clear();
    expect(fake.violations.splice(0)).toEqual([]);
  });
  afterAll(() => fake.stop());
  return fake;
}

/** The banks of an account's buyers. */
export function bankOf(fake: FakeStripe): NonNullable<FiatLegOnTrial['bank']> {
  const dispute = (authorizationId: string, amount: string, status: 'needs_response' | 'won') => {
    const [intent] = fake.intentsOf(authorizationId);
    const given = { amount: Number(amount) * 100, dispute: `du_${authorizationId}` };
    return fake.callback(fake.books.dispute(intent?.id ?? '', status, given));
  };
  return {
    dispute: async (authorizationId, amount) => dispute(authorizationId, amount, 'needs_response'),
    win: async (authorizationId, amount) => dispute(authorizationId, amount, 'won'),
    returnRefund: async (refundId) => fake.callback(fake.books.returnRefund(refundId)),
  };
}

/** A person in the account's dashboard. */
export function dashboardOf(fake: FakeStripe): NonNullable<FiatLegOnTrial['dashboard']> {
  const intentOfCall = (callId: string) => fake.intentsOf(callId)[0]?.id ?? '';
  const refundEvent = (type: string) => {
    const event = fake.books.events.findLast((one) => one.type === type);
    if (event === undefined) throw new Error(`There is no ${type}.`);
    return fake.callback(event);
  };
  return {
    refund: async (authorizationId, amount) => {
      fake.books.refundByHand(intentOfCall(authorizationId), Number(amount) * 100);
      return refundEvent('refund.created');
    },
    failRefund: async (authorizationId) => {
      const refund = [...fake.books.refunds.values()].findLast(
        (one) => one.payment_intent === intentOfCall(authorizationId),
      );
      return fake.callback(fake.books.endRefund(refund?.id ?? '', 'failed'));
    },
    capture: async (authorizationId, amount) => {
      fake.books.capture(intentOfCall(authorizationId), Number(amount) * 100);
    },
  };
}

/** A leg with a fake account. `again` creates another process on the same store. */
export function world(fake: FakeStripe, given: Partial<StripeFiatOptions> = {}) {
  const store: LegsStore = given.store ?? memoryLegsStore();
  const alarms: Readonly<Record<string, string>>[] = [];
  const again = (changed: Partial<StripeFiatOptions> = {}) =>
    stripeFiat({
      stripe: fake.client(),
      publicKey: PUBLIC_KEY,
      webhookSecret: WEBHOOK_SECRET,
      store,
      methods: [CARDS_IN_EUR, TRANSFERS],
      alarm: (_, fields) => alarms.push(fields),
      ...given,
      ...changed,
    });
  return { fake, store, alarms, leg: again(), again };
}

export function order(given: Partial<AuthorizeOrder> = {}): AuthorizeOrder {
  return {
    callId: 'op1-authorize',
    mode: 'test',
    now: START,
    amount: '20.00',
    currency: 'EUR',
    method: 'card',
    paymentDetails: paidBy('succeeds'),
    returnUrl: 'https://checkout.example/return',
    reference: 'op1',
    ...given,
  };
}

export const on = (callId: string, authorizationId = 'op1-authorize') =>
  ({ callId, authorizationId, mode: 'test', now: START }) as const;

/** Completes the buyer's action on the issuer's page or in the component. */
export async function act(fake: FakeStripe, action: NextAction): Promise<Confirmation> {
  if (action.type === 'redirect') {
    fake.books.authenticate(action.url.split('/').at(-1) ?? '', true);
    return { action: 'redirect' };
  }
  if (action.type !== 'provider_component') throw new Error(`A buyer cannot do ${action.type} here.`);
  fake.books.confirm(intentOf(action.clientSecret), TEST_METHODS.succeeds, null);
  return { action: 'provider_component' };
}

/** The id of the PaymentIntent that a client secret belongs to. */
export function intentOf(clientSecret: string): string {
  return clientSecret.split('_secret_')[0] ?? '';
}
