import { memorySandboxLedger, sandboxProvider } from '@gateramp/adapters-provider-sandbox';
import { describeLaws, providerRefundLaws, rows, type ProviderRefundSubject } from '@gateramp/conformance';
import { MINUTE, type RefundOutcome } from '@gateramp/core/domain';
import type { RefundAnswer, RefundingProvider } from '@gateramp/core/ports';
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

/** A settled card payment of 100.00 EUR at the sandbox, with methods replaced by `change`. */
function sandbox(
  change: (provider: RefundingProvider) => Partial<RefundingProvider> = () => ({}),
): ProviderRefundSubject {
  return {
    create: async () => {
      const provider = sandboxProvider({ ledger: memorySandboxLedger() });
      const operation = { operationId: 'op-1', mode: 'test' as const, now: rows.T0 };
      await provider.start({
        ...operation,
        intent: { ...rows.aPurchase(rows.aSession().session, rows.T0).intent, ...PAYMENT },
        rails: null,
        kycPreVerified: false,
        returnUrl: null,
        paymentDetails: { cardNumber: '4242424242424242', expiry: '12/99', cvc: '123' },
        payoutDetails: null,
      });
      let now = rows.T0 + MINUTE;
      return {
        provider: { ...provider, ...change(provider) },
        operation: { ...operation, now },
        amount: '100.00',
        currency: 'EUR',
        wait: async (ms) => (now += ms),
        close: async () => undefined,
      };
    },
  };
}

describeLaws(providerRefundLaws, sandbox(), { describe, it });

describe('the laws of refunds catch', () => {
  it.each<[string, (provider: RefundingProvider) => Partial<RefundingProvider>]>([
    [
      'a provider that refunds at every call',
      (provider) => {
        let calls = 0;
        const again = new Map<string, string>();
        return {
          refund: async (order) => {
            const refundId = `${order.refundId}/${(calls += 1)}`;
            if (!again.has(order.refundId)) again.set(order.refundId, refundId);
            return provider.refund({ ...order, refundId });
          },
          lookupRefund: async (order) =>
            provider.lookupRefund({ ...order, refundId: again.get(order.refundId) ?? order.refundId }),
        };
      },
    ],
    [
      'a provider that refunds more than it captured',
      () => {
        const known = new Set<string>();
        return {
          refund: async ({ refundId }) => (known.add(refundId), { kind: 'succeeded' }),
          lookupRefund: async ({ refundId }) => (known.has(refundId) ? { kind: 'succeeded' } : null),
        };
      },
    ],
    [
      'a look-up that refunds',
      (provider) => ({ lookupRefund: async (order) => unlessNotSent(await provider.refund(withAmount(order))) }),
    ],
  ])('%s', async (_, change) => {
    const broken = await Promise.all(
      providerRefundLaws.map((law) =>
        law.run(sandbox(change)).then(
          () => false,
          () => true,
        ),
      ),
    );
    expect(broken).toContain(true);
  });
});

function unlessNotSent(answer: RefundAnswer): RefundOutcome | null {
  return answer.kind === 'not_sent' ? null : answer;
}

function withAmount(order: Parameters<RefundingProvider['lookupRefund']>[0]) {
  return { ...order, amount: '1.00', currency: 'EUR', reason: null };
}
