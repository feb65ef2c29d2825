import type { Failure, NextAction, Stage } from '../intent/intent.js';
import { type Fee, NOTHING_ON_CHAIN, type ReportedOnChain, type Side } from '../transaction/transaction.js';

/** A provider's report of an operation. `cancelled`: closed at the provider; no money will move. */
export type Outcome =
  | { readonly kind: 'requires_action'; readonly nextAction: NextAction; readonly reasons?: readonly string[] }
  | { readonly kind: 'processing'; readonly stage: Stage }
  | { readonly kind: 'succeeded' }
  | { readonly kind: 'failed'; readonly failure: Failure }
  | { readonly kind: 'refunded' }
  | { readonly kind: 'charged_back' }
  | { readonly kind: 'cancelled' };

/** The provider's details of the money; null while unknown. */
export interface SettlementDetails extends ReportedOnChain {
  readonly source: Side | null;
  readonly destination: Side | null;
  readonly exchangeRate: string | null;
  readonly fees: readonly Fee[] | null;
  readonly feeTotal: string | null;
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
