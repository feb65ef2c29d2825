import type { Instant } from '../instant.js';
import type { Intent } from '../intent/intent.js';
import type { JsonText } from '../json.js';
import { scopeOf } from '../mode.js';
import type { Policy } from '../policy.js';
import { withDetails } from '../purchase/outcome.js';
import { holdWhileMoving, newIntent, newTransaction } from '../purchase/begin-purchase.js';
import type { RailPurchase } from '../purchase/purchase.js';
import type { ExecutableQuote } from '../quote/quote.js';
import { NOTHING_ON_CHAIN, type Transaction } from '../transaction/transaction.js';
import type { Beneficiary, RailKind, RailPayment } from './rail-payment.js';

/** The fields of a new payment over rails, in addition to its quote; ids are generated beforehand. */
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

/** Begins a payment over rails and its first step, at the quoted price. */
export function beginRailPayment(
  quote: ExecutableQuote,
  input: NewRailPayment,
  now: Instant,
  policy: Policy,
): RailPurchase {
  const { source, destination, exchangeRate, fees, feeTotal } = quote;
  const intent = intentOver(quote, input, now);
  const price = { source, destination, exchangeRate, fees, feeTotal, ...NOTHING_ON_CHAIN };
  const transaction = withDetails(newTransaction(input, intent, now), price);
  const payment = paymentOver(quote, input, { intent, transaction }, now);
  return holdWhileMoving({ session: null, intent, transaction, payment }, now, policy);
}

function intentOver(quote: ExecutableQuote, input: NewRailPayment, now: Instant): Intent {
  const { ask: requested } = quote;
  const isPayIn = input.kind === 'pay_in';
  return newIntent(
    { ...scopeOf(quote), sessionId: null, attempts: 1 },
    {
      ...input,
      provider: quote.provider,
      attempt: {
        flow: requested.side,
        amount: requested.amount,
        currency: requested.currency,
        targetToken: isPayIn ? requested.asset : null,
        targetNetwork: isPayIn ? requested.network : null,
        walletAddress: input.walletAddress,
      },
      sourceToken: isPayIn ? null : requested.asset,
      sourceNetwork: isPayIn ? null : requested.network,
      paymentMethod: quote.paymentMethod,
      countryCode: requested.countryCode,
      quoteId: quote.id,
    },
    now,
  );
}

function paymentOver(
  quote: ExecutableQuote,
  input: NewRailPayment,
  { intent, transaction }: { readonly intent: Intent; readonly transaction: Transaction },
  now: Instant,
): RailPayment {
  return {
    id: input.id,
    ...scopeOf(quote),
    version: 1,
    kind: input.kind,
    status: intent.status,
    quoteId: quote.id,
    flow: intent.flow,
    source: transaction.source,
    destination: transaction.destination,
    paymentMethod: quote.paymentMethod,
    instructions: null,
    deposit: null,
    walletAddress: input.walletAddress,
    refundAddress: input.refundAddress,
    beneficiary: input.beneficiary,
    failure: null,
    txRefid: input.txRefid,
    userReference: input.userReference,
    metadata: input.metadata,
    heldSince: null,
    createdAt: now,
    updatedAt: now,
    completedAt: null,
  };
}
