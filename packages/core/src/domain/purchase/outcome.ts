import type { Failure, NextAction, Stage } from '../intent/intent.js';
import { compare } from '../money.js';
import type { BankActions } from '../transaction/refund.js';
import {
  type Fee,
  NOTHING_ON_CHAIN,
  reportedOnChain,
  type ReportedDispute,
  type ReportedOnChain,
  reportedSide,
  type Side,
  type Transaction,
} from '../transaction/transaction.js';

/**
 * A provider's report of an operation. `cancelled`: closed at the provider; no money will move. A `charged_back` with a dispute of less
 * than the payment, `dispute_won` and `refund_returned` are recorded in the transaction and leave its status.
 */
export type Outcome =
  | { readonly kind: 'requires_action'; readonly nextAction: NextAction; readonly reasons?: readonly string[] }
  | { readonly kind: 'processing'; readonly stage: Stage }
  | { readonly kind: 'succeeded' }
  | { readonly kind: 'failed'; readonly failure: Failure }
  | { readonly kind: 'refunded' }
  /** Without a dispute, the full payment. */
  | { readonly kind: 'charged_back'; readonly dispute?: ReportedDispute }
  | { readonly kind: 'dispute_won'; readonly dispute: Pick<ReportedDispute, 'id' | 'amount'> }
  /** The buyer's bank sent a refund back that had succeeded. */
  | { readonly kind: 'refund_returned'; readonly refundId: string }
  | { readonly kind: 'cancelled' };

/** The provider's details of the money; null while unknown. */
export interface SettlementDetails extends ReportedOnChain, BankActions {
  readonly source: Side | null;
  readonly destination: Side | null;
  readonly exchangeRate: string | null;
  readonly fees: readonly Fee[] | null;
  readonly feeTotal: string | null;
}

/** Where an update comes from. */
export interface UpdateSource {
  /** It is the provider's answer to data that the buyer submitted. */
  readonly isConfirmed?: boolean;
  /** The provider was asked after the last change of the intent, so the update is not out of date. */
  readonly isCurrent?: boolean;
}

/** No details are known yet. */
export const NO_DETAILS: SettlementDetails = {
  source: null,
  destination: null,
  exchangeRate: null,
  fees: null,
  feeTotal: null,
  ...NOTHING_ON_CHAIN,
};

/** Adds the provider's details to the transaction; values that match the partner's keep the partner's formatting. */
export function withDetails(transaction: Transaction, details: SettlementDetails): Transaction {
  return {
    ...transaction,
    source: details.source === null ? transaction.source : reportedSide(transaction.source, details.source),
    destination:
      details.destination === null
        ? transaction.destination
        : reportedSide(transaction.destination, details.destination),
    exchangeRate: details.exchangeRate ?? transaction.exchangeRate,
    fees: details.fees ?? transaction.fees,
    feeTotal: details.feeTotal ?? transaction.feeTotal,
    ...reportedOnChain(transaction, details),
  };
}

/** Everything an update says about actions of the buyer's bank and refunds made outside, whether by its outcome or among the details. */
export function bankActionsOf(outcome: Outcome, reported: BankActions): BankActions {
  const { disputes = [], returnedRefunds = [] } = reported;
  switch (outcome.kind) {
    case 'charged_back':
      return outcome.dispute === undefined ? reported : { ...reported, disputes: [...disputes, outcome.dispute] };
    case 'dispute_won':
      return { ...reported, disputes: [...disputes, { ...outcome.dispute, status: 'won' }] };
    case 'refund_returned':
      return { ...reported, returnedRefunds: [...returnedRefunds, outcome.refundId] };
    default:
      return reported;
  }
}

/**
 * Whether a chargeback took less than the payment, which leaves the status, as a partial refund does. Each is compared with the payment
 * alone, so the order of reports does not matter; a provider that adds up several reports `charged_back` without a dispute.
 */
export function isPartial(outcome: Outcome, { source }: Transaction): boolean {
  if (outcome.kind !== 'charged_back' || outcome.dispute === undefined || source.amount === null) return false;
  return compare(outcome.dispute.amount, source.amount) < 0;
}
