import { memorySandboxLedger, sandboxProvider } from '@gateramp/adapters-provider-sandbox';
import { describeLaws, providerSavingLaws, rows, type ProviderSavingSubject } from '@gateramp/conformance';
import type { SavingProvider, StartOrder } from '@gateramp/core/ports';
import { describe, expect, it } from 'vitest';

const PAYMENT = {
  flow: 'on_ramp',
  amount: '100.00',
  currency: 'EUR',
  paymentMethod: 'card',
  countryCode: 'DE',
  targetToken: 'USDC',
  targetNetwork: 'base',
  walletAddress: `0x${'0'.repeat(38)}aa`,
} as const;

/** The sandbox, with methods replaced by `change`. */
function sandbox(change: (provider: SavingProvider) => Partial<SavingProvider> = () => ({})): ProviderSavingSubject {
  return {
    create: async () => {
      const books: SavingProvider = sandboxProvider({ ledger: memorySandboxLedger() });
      const provider = { ...books, ...change(books) };
      let payments = 0;
      return {
        provider,
        now: rows.T0,
        pay: async (details) => {
          const card = { cardNumber: '4242424242424242', expiry: '12/99', cvc: '123' };
          const order: StartOrder = {
            operationId: `op-${(payments += 1)}`,
            mode: 'test',
            now: rows.T0,
            intent: { ...rows.aPurchase(rows.aSession().session, rows.T0).intent, ...PAYMENT },
            rails: null,
            kycPreVerified: false,
            returnUrl: null,
            paymentDetails:
              'savedMethod' in details
                ? { ...details, cvc: null }
                : details.saveFor === null
                  ? card
                  : { ...card, saveFor: details.saveFor },
            payoutDetails: null,
          };
          const answer = await provider.start(order);
          return 'outcome' in answer && answer.outcome.kind === 'processing';
        },
        close: async () => undefined,
      };
    },
  };
}

describeLaws(providerSavingLaws, sandbox(), { describe, it });

/** The same order, with all customers treated as one. */
function withOneCustomer(order: StartOrder): StartOrder {
  const { paymentDetails: details } = order;
  if (details === null || 'token' in details) return order;
  if ('savedMethod' in details) return { ...order, paymentDetails: { ...details, customer: 'all' } };
  return details.saveFor === undefined ? order : { ...order, paymentDetails: { ...details, saveFor: 'all' } };
}

describe('the laws of saved payment methods catch', () => {
  it.each<[string, (provider: SavingProvider) => Partial<SavingProvider>]>([
    [
      'a provider that knows a single customer',
      (provider) => ({
        start: (order) => provider.start(withOneCustomer(order)),
        listSavedMethods: (order) => provider.listSavedMethods({ ...order, customer: 'all' }),
        forgetSavedMethod: (order) => provider.forgetSavedMethod({ ...order, customer: 'all' }),
      }),
    ],
    [
      'a provider that removes a method for any customer',
      (provider) => ({
        forgetSavedMethod: async (order) =>
          (await provider.forgetSavedMethod(order)) ||
          provider.forgetSavedMethod({ ...order, customer: 'customer-ada', mode: 'test' }),
      }),
    ],
    ['a provider that removes nothing', () => ({ forgetSavedMethod: async ({ methodId }) => methodId !== 'unknown' })],
    [
      'a provider that saves without consent',
      (provider) => ({
        start: (order) => {
          const { paymentDetails: details } = order;
          if (details === null || !('cardNumber' in details)) return provider.start(order);
          return provider.start({ ...order, paymentDetails: { saveFor: 'customer-ada', ...details } });
        },
      }),
    ],
    [
      'a provider that mixes the modes',
      (provider) => ({ listSavedMethods: (order) => provider.listSavedMethods({ ...order, mode: 'test' }) }),
    ],
    [
      'a provider that shows the whole number',
      (provider) => ({
        listSavedMethods: async (order) =>
          (await provider.listSavedMethods(order)).map((one) => ({ ...one, last4: '4242424242424242' })),
      }),
    ],
  ])('%s', async (_, change) => {
    const broken = await Promise.all(
      providerSavingLaws.map((law) =>
        law.run(sandbox(change)).then(
          () => false,
          () => true,
        ),
      ),
    );
    expect(broken).toContain(true);
  });
});
