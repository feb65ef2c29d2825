import { add } from '../money/decimal.js';
import { isoTime, type Instant } from '../instant.js';
import type { PaymentMethod } from '../intent/intent.js';
import type { JsonValue } from '../json/json-text.js';
import type { Fee, Side } from '../transaction/transaction.js';
import { feeMembers, sideMembers } from '../transaction/transaction-resource.js';

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

export function feeTotal(fees: readonly Fee[]): string {
  return fees.reduce((sum, fee) => add(sum, fee.amount), '0');
}

export function quoteMembers(quote: Quote): JsonValue {
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
