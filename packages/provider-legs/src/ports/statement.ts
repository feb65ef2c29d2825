import type { Instant } from '@gateramp/core/domain';

/** Which lines of a statement to read. */
export interface StatementQuery {
  /** The id of the last known line; null for the first call. */
  readonly after: string | null;
  /** The first call may leave out lines before this time; null otherwise. */
  readonly since: Instant | null;
  readonly limit: number;
}

/** One change of the balance at the processor. Amounts are decimal text. */
export interface StatementLine {
  readonly id: string;
  readonly at: Instant;
  /** The currency of the balance. */
  readonly currency: string;
  /** The change of the balance before the fee; negative for money that left. */
  readonly amount: string;
  /** Deducted from the balance in addition. */
  readonly fee: string;
  /**
   * `operation`: a payment, refund or dispute of a payment of this leg, which its operation books, so that only the fee is new; `fee`: a
   * fee of the processor for the account; `payout`: between the account and the bank of the house; `outside`: anything else.
   */
  readonly kind: 'operation' | 'fee' | 'payout' | 'outside';
  /** The amount in the currency of the payment, if it is another one; null otherwise. */
  readonly original: { readonly amount: string; readonly currency: string } | null;
  /** The payment of this leg that was refunded, disputed or given back by the line; null for any other line. */
  readonly authorizationId: string | null;
}
