import { add, equals, isDecimal } from '../money/decimal.js';
import { isoTime, type Instant } from '../instant.js';
import type { PaymentMethod } from '../intent/intent.js';
import type { Fee, Side } from '../transaction/transaction.js';
import { feeMembers, sideMembers, type GateFee, type GateSide } from '../transaction/transaction-resource.js';

/** What one payment method would give. Laws: sourceTotal = sourceSubtotal + feeTotal; feeTotal = Σ fees. */
export interface Quote {
  readonly id: string;
  readonly paymentMethod: PaymentMethod;
  readonly available: boolean;
  readonly unavailableReason: string | null;
  readonly source: Side;
  readonly destination: Side;
  readonly exchangeRate: string;
  readonly sourceSubtotal: string;
  readonly sourceTotal: string;
  readonly fees: readonly Fee[];
  readonly feeTotal: string;
  readonly limits: { readonly minAmount: string; readonly maxAmount: string; readonly currency: string };
  readonly estimatedSettlementSeconds: number;
  readonly expiresAt: Instant;
}

/** The exact sum of the fees' amounts, as decimal text. */
export function feeTotal(fees: readonly Fee[]): string {
  return fees.reduce((sum, fee) => add(sum, fee.amount), '0');
}

/** Whether its totals are consistent, whichever provider computed them: a quote that does not add up is never shown. */
export function addsUp(quote: Quote): boolean {
  const amounts = [quote.sourceSubtotal, quote.sourceTotal, quote.feeTotal, ...quote.fees.map(({ amount }) => amount)];
  return (
    amounts.every(isDecimal) &&
    equals(quote.feeTotal, feeTotal(quote.fees)) &&
    equals(quote.sourceTotal, add(quote.sourceSubtotal, quote.feeTotal))
  );
}

/** The quote on the wire. */
export type GateQuote = {
  readonly object: 'quote';
  readonly id: string;
  readonly payment_method: PaymentMethod;
  readonly available: boolean;
  readonly unavailable_reason: string | null;
  readonly source: GateSide;
  readonly destination: GateSide;
  readonly exchange_rate: string;
  readonly source_subtotal: string;
  readonly source_total: string;
  readonly fees: readonly GateFee[];
  readonly fee_total: string;
  readonly limits: { readonly min_amount: string; readonly max_amount: string; readonly currency: string };
  readonly estimated_settlement_seconds: number;
  readonly expires_at: string;
};

/** A quote in the words of the wire. */
export function quoteMembers(quote: Quote): GateQuote {
  return {
    object: 'quote',
    id: quote.id,
    payment_method: quote.paymentMethod,
    available: quote.available,
    unavailable_reason: quote.unavailableReason,
    source: sideMembers(quote.source),
    destination: sideMembers(quote.destination),
    exchange_rate: quote.exchangeRate,
    source_subtotal: quote.sourceSubtotal,
    source_total: quote.sourceTotal,
    fees: quote.fees.map(feeMembers),
    fee_total: quote.feeTotal,
    limits: {
      min_amount: quote.limits.minAmount,
      max_amount: quote.limits.maxAmount,
      currency: quote.limits.currency,
    },
    estimated_settlement_seconds: quote.estimatedSettlementSeconds,
    expires_at: isoTime(quote.expiresAt),
  };
}
