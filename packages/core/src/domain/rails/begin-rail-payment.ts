import type { Instant } from '../instant.js';
import type { JsonText } from '../json/json-text.js';
import { scopeOf } from '../mode.js';
import type { Policy } from '../policy.js';
import { withDetails } from '../purchase/apply-outcome.js';
import { holdWhileMoving, newIntent, newTransaction, type RailPurchase } from '../purchase/purchase.js';
import type { ExecutableQuote } from '../quote/executable-quote.js';
import type { Beneficiary, RailKind } from './rail-payment.js';

/** What a new payment over rails is made of, beside its quote; ids were minted before. */
export interface NewRailPayment {
  readonly id: string;
  readonly operationId: string;
  readonly txRefid: string;
  readonly taskId: string;
  readonly kind: RailKind;
  readonly walletAddress: string | null;
  readonly refundAddress: string | null;
  readonly beneficiary: Beneficiary | null;
  readonly userReference: string | null;
  readonly metadata: JsonText;
}

/** A payment over rails and its first step, at the price that its quote has fixed. */
export function beginRailPayment(
  quote: ExecutableQuote,
  input: NewRailPayment,
  now: Instant,
  policy: Policy,
): RailPurchase {
  const { ask, source, destination, exchangeRate, fees, feeTotal } = quote;
  const { id, kind, walletAddress, refundAddress, txRefid, userReference, metadata } = input;
  const intent = newIntent(
    { ...scopeOf(quote), sessionId: null, attempts: 1 },
    {
      ...input,
      provider: quote.provider,
      attempt: {
        flow: ask.side,
        amount: ask.amount,
        currency: ask.currency,
        targetToken: kind === 'pay_in' ? ask.asset : null,
        targetNetwork: kind === 'pay_in' ? ask.network : null,
        walletAddress,
      },
      sourceToken: kind === 'pay_out' ? ask.asset : null,
      sourceNetwork: kind === 'pay_out' ? ask.network : null,
      paymentMethod: quote.paymentMethod,
      countryCode: ask.countryCode,
      quoteId: quote.id,
    },
    now,
  );
  const price = { source, destination, exchangeRate, fees, feeTotal, txHash: null };
  const transaction = withDetails(newTransaction(input, intent, now), price);
  const begun: RailPurchase = {
    session: null,
    intent,
    transaction,
    payment: {
      id,
      partnerId: quote.partnerId,
      mode: quote.mode,
      version: 1,
      kind,
      status: intent.status,
      quoteId: quote.id,
      flow: intent.flow,
      source: transaction.source,
      destination: transaction.destination,
      paymentMethod: quote.paymentMethod,
      instructions: null,
      deposit: null,
      walletAddress,
      refundAddress,
      beneficiary: input.beneficiary,
      failure: null,
      txRefid,
      userReference,
      metadata,
      heldSince: null,
      createdAt: now,
      updatedAt: now,
      completedAt: null,
    },
  };
  return holdWhileMoving(begun, now, policy);
}
