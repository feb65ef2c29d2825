import { rows, type ProviderSubject } from '@gateramp/conformance';
import type { StartOrder } from '@gateramp/core/ports';
import type { cardProvider } from './card-provider.js';
import { CARDS, CODE, FakeProcessor, SECRETS, signature } from './fake-processor.js';

/** The card provider on a new fake processor each time, for `providerLaws`. */
export function cardSubject(create: typeof cardProvider): ProviderSubject {
  return {
    async create() {
      const processor = new FakeProcessor();
      const fails = (failure: FakeProcessor['failure']) => async () => void (processor.failure = failure);
      return {
        provider: create(processor, SECRETS),
        now: () => processor.now,
        wait: async (ms) => void (processor.now += ms),
        order: () => startOrder(CARDS.paid),
        money: async () => processor.money(),
        declined: () => startOrder(CARDS.declined),
        actions: {
          order: () => startOrder(CARDS.withCode),
          act: async () => ({ action: 'payment_authentication', code: CODE }),
        },
        callbacks: {
          body: async (operationId, mode) => processor.event(mode, operationId),
          foreign: async () => processor.event('test', 'order-of-another-shop'),
          sign: async (rawBody, mode) => ({ 'x-signature': signature(SECRETS[mode], rawBody) }),
        },
        outages: {
          refuseConnections: fails('refused'),
          loseRequests: fails('lost_requests'),
          loseAnswers: fails('lost_answers'),
          recover: fails('none'),
        },
        another: async () => create(processor, SECRETS),
        close: async () => {},
      };
    },
  };
}

function startOrder(cardNumber: string): StartOrder {
  const { intent } = rows.aPurchase(rows.aSession().session, rows.T0);
  const { operationId, mode } = intent;
  return {
    ...{ operationId, mode, now: rows.T0, intent, rails: null, kycPreVerified: false, payoutDetails: null },
    paymentDetails: { cardNumber, expiry: '12/99', cvc: '123' },
  };
}
