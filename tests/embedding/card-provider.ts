import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Mode } from '@gateramp/core';
import { decimal, isRecord, MINUTE, NO_DETAILS, SECOND } from '@gateramp/core/domain';
import type { Failure, Outcome, RefundOutcome } from '@gateramp/core/domain';
import type { NotSent, ProviderAnswer, QuoteRequest, RefundingProvider } from '@gateramp/core/ports';
import { CAPABILITIES, FIXED, priceOf } from './card-market.js';
import type { FakeProcessor, Payment, Refund } from './fake-processor.js';

/** Sells USDC for EUR by card at a processor. `secrets` sign its callbacks. */
export function cardProvider(processor: FakeProcessor, secrets: Readonly<Record<Mode, string>>): RefundingProvider {
  const sign = (mode: Mode, bytes: Uint8Array | string) =>
    createHmac('sha256', secrets[mode]).update(bytes).digest('hex');
  const idOf = ({ scope, flow, currency, amount }: QuoteRequest, expiresAt: string) =>
    `${expiresAt}_${sign(scope.mode, JSON.stringify([expiresAt, scope.partnerId, flow, currency, decimal.normalise(amount)]))}`;

  return {
    contract: 2,
    name: 'cards',
    capabilities: async () => CAPABILITIES,
    async quote(request) {
      const expiresAt = request.now + 5 * MINUTE;
      const quotes = [priceOf(request.amount, idOf(request, String(expiresAt)), expiresAt)];
      return { kind: 'quotes', quotes, rateFetchedAt: request.now, expiresAt };
    },
    async checkQuote(id, request) {
      const [expiresAt = ''] = id.split('_');
      if (id !== idOf(request, expiresAt))
        return { kind: 'refused', code: 'quote_not_found', message: 'No such quote.' };
      if (request.now > Number(expiresAt))
        return { kind: 'refused', code: 'quote_expired', message: 'It has expired.' };
      return { kind: 'valid', fixed: FIXED };
    },
    async resolve({ walletAddress }) {
      if (/^0x[0-9a-fA-F]{40}$/.test(walletAddress ?? '')) return { kind: 'resolved', terms: FIXED };
      return { kind: 'refused', code: 'wallet_address_invalid', message: 'Not an address on Base.' };
    },
    async start({ mode, operationId: reference, intent: { amount, currency }, paymentDetails }) {
      const card = paymentDetails !== null && 'cardNumber' in paymentDetails ? paymentDetails.cardNumber : '';
      return processor.charge({ mode, reference, amount, currency, card }).then(answerOf, notSent);
    },
    async confirm({ mode, operationId: reference, confirmation }) {
      const code = confirmation.action === 'payment_authentication' ? confirmation.code : '';
      return processor.authenticate({ mode, reference, code }).then(answerOf, notSent);
    },
    cancel: async ({ mode, operationId: reference }) => answerOf(await processor.cancel({ mode, reference })),
    async lookup({ mode, operationId: reference }) {
      const payment = await processor.find({ mode, reference });
      return payment === null ? null : answerOf(payment);
    },
    refund: ({ mode, operationId: reference, refundId: refund, amount }) =>
      processor.refund({ mode, reference, refund, amount }).then(refundOutcome, notSent),
    async lookupRefund({ mode, operationId: reference, refundId: refund }) {
      const known = await processor.findRefund({ mode, reference, refund });
      return known === null ? null : refundOutcome(known);
    },
    async parseCallback({ rawBody, headers, mode }) {
      const [given, own] = [Buffer.from(headers['x-signature'] ?? ''), Buffer.from(sign(mode, rawBody))];
      if (given.length !== own.length || !timingSafeEqual(given, own)) return { kind: 'unauthenticated' };
      const event = parse(rawBody);
      if (event === null) return { kind: 'malformed', message: 'The body has no id or reference.' };
      const payment = await processor.find({ mode, reference: event.reference }); // callbacks arrive in any order: ask
      if (payment === null) return { kind: 'ignored' };
      return { kind: 'report', report: { eventId: event.id, operationId: event.reference, ...answerOf(payment) } };
    },
  };
}

const FAILED: Failure = {
  code: 'payment_declined',
  stage: 'authorization',
  message: 'The card was declined.',
  retryable: true,
};
const ENTER_CODE = { type: 'payment_authentication', challenge: 'otp', destination: 'your phone' } as const;
const OUTCOMES: Readonly<Record<Payment['status'], Outcome>> = {
  awaiting_code: { kind: 'requires_action', nextAction: ENTER_CODE },
  processing: { kind: 'processing', stage: 'delivery' },
  paid: { kind: 'succeeded' },
  declined: { kind: 'failed', failure: FAILED },
  cancelled: { kind: 'cancelled' },
};

function answerOf({ status, amount, currency }: Payment): ProviderAnswer {
  const details = status === 'cancelled' ? NO_DETAILS : { ...NO_DETAILS, source: { amount, currency, network: null } };
  return { outcome: OUTCOMES[status], details, checkAfterMs: status === 'processing' ? 5 * SECOND : null };
}

function refundOutcome({ status }: Refund): RefundOutcome {
  if (status === 'pending') return { kind: 'pending', checkAfterMs: 5 * SECOND };
  return status === 'succeeded'
    ? { kind: status }
    : { kind: status, failure: { code: 'refused', message: 'Refused.' } };
}

/** Only a refused connection proves that nothing was sent. Any other failure is thrown, and the engine looks the operation up. */
function notSent(error: unknown): NotSent {
  if (!(error instanceof Error && 'code' in error && error.code === 'ECONNREFUSED')) throw error;
  return { kind: 'not_sent', retryable: true, reason: 'connection refused' };
}

function parse(rawBody: Uint8Array): { readonly id: string; readonly reference: string } | null {
  try {
    const event: unknown = JSON.parse(Buffer.from(rawBody).toString());
    if (!isRecord(event) || typeof event['id'] !== 'string' || typeof event['reference'] !== 'string') return null;
    return { id: event['id'], reference: event['reference'] };
  } catch {
    return null;
  }
}
