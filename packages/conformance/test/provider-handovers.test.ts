import {
  memorySandboxLedger,
  SANDBOX_CARDS,
  SANDBOX_PAYMENT_TOKENS,
  sandboxProvider,
} from '@gateramp/adapters-provider-sandbox';
import {
  describeLaws,
  providerHandoverLaws,
  rows,
  type Handover,
  type ProviderHandoverSubject,
} from '@gateramp/conformance';
import { NO_DETAILS } from '@gateramp/core/domain';
import type { PaymentDetails, Provider } from '@gateramp/core/ports';
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
  provider: 'sandbox',
} as const;

const DETAILS: Readonly<Record<Handover, PaymentDetails>> = {
  redirect: { cardNumber: SANDBOX_CARDS.needsRedirect, expiry: '12/99', cvc: '123' },
  provider_component: { provider: 'sandbox', token: SANDBOX_PAYMENT_TOKENS.sandboxPay },
};

type Calls = Pick<Provider, 'start' | 'confirm' | 'cancel' | 'lookup'>;

/** A purchase at the sandbox, with methods replaced by `change`, whose buyer answers on the pages. */
function sandbox(action: Handover, change: (provider: Calls) => Partial<Calls> = () => ({})): ProviderHandoverSubject {
  return {
    create: async () => {
      const provider = sandboxProvider({ ledger: memorySandboxLedger(), pagesUrl: 'https://api.example' });
      const pages = provider.pages({ now: () => rows.T0, framedBy: [] });
      const operation = { operationId: 'op-1', mode: 'test' as const, now: rows.T0 };
      return {
        provider: { ...provider, ...change(provider) },
        action,
        order: {
          ...operation,
          intent: { ...rows.aPurchase(rows.aSession().session, rows.T0).intent, ...PAYMENT },
          rails: null,
          kycPreVerified: false,
          paymentDetails: DETAILS[action],
          payoutDetails: null,
        },
        approve: async () => {
          const known = await provider.lookup(operation);
          const asked = known?.outcome.kind === 'requires_action' ? known.outcome.nextAction : null;
          const body = new URLSearchParams({ decision: 'approve' });
          if (asked?.type === 'provider_component') body.set('client_secret', asked.clientSecret);
          const url = asked?.type === 'redirect' ? asked.url : 'https://api.example/sandbox/component';
          await pages(new Request(url, { method: 'POST', body }));
        },
        close: async () => undefined,
      };
    },
  };
}

for (const action of ['redirect', 'provider_component'] as const)
  describe(action, () => describeLaws(providerHandoverLaws, sandbox(action), { describe, it }));

describe('the laws of handovers catch', () => {
  it.each<[string, (provider: Calls) => Partial<Calls>]>([
    [
      'a provider that treats the confirmation as approval',
      () => ({
        confirm: async () => ({
          outcome: { kind: 'processing', stage: 'payment' },
          details: NO_DETAILS,
          checkAfterMs: null,
        }),
      }),
    ],
    [
      'a provider that requests something new each time',
      (provider) => ({
        lookup: async (order) => {
          const answer = await provider.lookup(order);
          if (answer?.outcome.kind !== 'requires_action' || answer.outcome.nextAction.type !== 'redirect')
            return answer;
          const { outcome } = answer;
          const url = 'https://api.example/sandbox/authenticate/other';
          return { ...answer, outcome: { ...outcome, nextAction: { ...answer.outcome.nextAction, url } } };
        },
      }),
    ],
    [
      'a provider that forgets the cancel',
      (provider) => ({ cancel: async (order) => (await provider.lookup(order)) ?? provider.cancel(order) }),
    ],
  ])('%s', async (_, change) => {
    const broken = await Promise.all(
      providerHandoverLaws.map((law) =>
        law.run(sandbox('redirect', change)).then(
          () => false,
          () => true,
        ),
      ),
    );
    expect(broken).toContain(true);
  });
});
