import {
  DOCUMENT_AMOUNTS,
  memorySandboxLedger,
  REJECTED_DOCUMENT_MARK,
  REVIEW_MS,
  SANDBOX_CARDS,
  sandboxProvider,
} from '@gateramp/adapters-provider-sandbox';
import {
  describeLaws,
  providerDocumentLaws,
  rows,
  type ProviderDocumentOnTrial,
  type ProviderDocumentSubject,
} from '@gateramp/conformance';
import { NO_DETAILS } from '@gateramp/core/domain';
import { describe, expect, it } from 'vitest';

type Calls = ProviderDocumentOnTrial['provider'];

/** A purchase at the sandbox for the amount, with methods replaced by `change`. */
function sandbox(amount: string, change: (provider: Calls) => Partial<Calls> = () => ({})): ProviderDocumentSubject {
  return {
    create: async () => {
      const provider = sandboxProvider({ ledger: memorySandboxLedger() });
      const { receiveDocument } = provider;
      if (receiveDocument === undefined) throw new Error('The sandbox takes documents.');
      const calls: Calls = { ...provider, receiveDocument };
      const purchase = rows.aPurchase(rows.aSession().session, rows.T0).intent;
      const clock = { now: rows.T0 };
      return {
        provider: { ...calls, ...change(calls) },
        order: {
          operationId: 'op-1',
          mode: 'test',
          get now() {
            return clock.now;
          },
          intent: {
            ...purchase,
            flow: 'on_ramp',
            amount,
            currency: 'EUR',
            paymentMethod: 'card',
            countryCode: 'DE',
            targetToken: 'USDC',
            targetNetwork: 'base',
            walletAddress: `0x${'0'.repeat(38)}aa`,
            provider: 'sandbox',
          },
          rails: null,
          kycPreVerified: false,
          paymentDetails: { cardNumber: SANDBOX_CARDS.succeeds, expiry: '12/99', cvc: '123' },
          payoutDetails: null,
        },
        pictures: {
          accepted: Buffer.from('%PDF-1.7'),
          rejected: Buffer.from(`%PDF-1.7 ${REJECTED_DOCUMENT_MARK}`),
        },
        mediaType: 'application/pdf',
        endReview: async () => {
          clock.now = rows.T0 + REVIEW_MS;
        },
        close: async () => undefined,
      };
    },
  };
}

for (const amount of [DOCUMENT_AMOUNTS.from, DOCUMENT_AMOUNTS.reviewedFrom, DOCUMENT_AMOUNTS.to])
  describe(`an amount of ${amount}`, () => describeLaws(providerDocumentLaws, sandbox(amount), { describe, it }));

describe('the laws of documents catch', () => {
  it.each<[string, (provider: Calls) => Partial<Calls>]>([
    ['a provider that loses a picture', () => ({ receiveDocument: async () => ({ kind: 'received' }) })],
    [
      'a provider that keeps the first picture of a side',
      (provider) => {
        const seen = new Set<string>();
        return {
          receiveDocument: async (order) => {
            if (seen.has(order.side)) return { kind: 'received' };
            seen.add(order.side);
            return provider.receiveDocument(order);
          },
        };
      },
    ],
    [
      'a provider that continues without a review',
      () => ({
        confirm: async () => ({
          outcome: { kind: 'processing', stage: 'payment' },
          details: NO_DETAILS,
          checkAfterMs: null,
        }),
      }),
    ],
    [
      'a provider that forgets the cancel',
      (provider) => ({
        cancel: async () => ({ outcome: { kind: 'cancelled' }, details: NO_DETAILS, checkAfterMs: null }),
        lookup: (order) => provider.lookup(order),
      }),
    ],
  ])('%s', async (_, change) => {
    const broken = await Promise.all(
      providerDocumentLaws.map((law) =>
        law.run(sandbox(DOCUMENT_AMOUNTS.reviewedFrom, change)).then(
          () => false,
          () => true,
        ),
      ),
    );
    expect(broken).toContain(true);
  });
});
