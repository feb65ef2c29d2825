import type { ConfirmableAction, Flow, Instant, PaymentMethod } from '@gateramp/core/domain';
import type { Confirmation, PaymentDetails, PayoutDetails } from '@gateramp/core/ports';

/** The scenarios that a test helper may simulate for an intent. */
export type Scenario =
  | 'succeed'
  | 'decline'
  | 'kyc_required'
  | 'kyc_rejected'
  | 'processing'
  | 'settlement_error'
  | 'late_settlement'
  | 'abandon'
  | BankAction;

/** Actions of the buyer's bank that a test helper may simulate for a paid session. */
export const BANK_ACTIONS = ['charged_back', 'dispute_won', 'refund_returned'] as const;

/** What the buyer's bank does with a payment that has settled, or with its last refund. */
export type BankAction = (typeof BANK_ACTIONS)[number];

/** The planned outcome of an operation, whatever its amount or card. `park`: it stays in processing until `settle`. */
export type SandboxPlan = 'succeed' | 'decline' | 'kyc_required' | 'park' | 'settlement_error';

/** Controls a provider that moves no real money. Used by test helpers in test mode only. */
export interface SandboxControl {
  /** The name of the controlled provider. */
  readonly provider: string;
  /** A test buyer's details for the scenario, in the given currency (upper case). */
  details(scenario: Scenario, flow: Flow, currency: string): SandboxDetails;
  /** The test buyer's response to a required action. */
  confirmation(scenario: Scenario, action: ConfirmableAction['type']): Confirmation;
  /** May be called before `start`. An ended operation keeps its result. */
  plan(operationId: string, plan: SandboxPlan, now: Instant): Promise<void>;
  /** Ends the wait for identity documents, or their review, at `now`. Has no effect if neither is pending. */
  review(operationId: string, verdict: 'accepted' | 'rejected', now: Instant): Promise<void>;
  /**
   * Ends the operation at `now`, even if it was cancelled before money moved; a settled operation stays settled. `processing` does not end
   * it: the awaited money has arrived, and moves until a later `settle`.
   */
  settle(operationId: string, outcome: 'processing' | 'succeeded' | 'failed', now: Instant): Promise<void>;
  /** The operation as text, for a checkpoint of a sandbox; null if it is unknown. Without `save` and `restore` there are no checkpoints. */
  save?(operationId: string): Promise<string | null>;
  /**
   * Adds a saved operation under another id, with all its instants later by `laterMs`. The original operation is unchanged.
   * Repeating it changes nothing.
   */
  restore?(saved: string, as: RestoredOperation): Promise<void>;
  /** Serializes the saved payment methods of a customer for a checkpoint. Null if there are none. */
  saveCustomer?(customer: string): Promise<string | null>;
  /** Adds saved payment methods, with their ids, to a customer that has none. Repeating it changes nothing. */
  restoreCustomer?(saved: string, customer: string): Promise<void>;
  /**
   * Simulates an action of the buyer's bank on a settled payment: a chargeback of `amount`, or of all that is left if that is null; the end
   * of the last dispute in the seller's favour; the return of the last refund. Answers why it is not possible, and then changes nothing;
   * null if it is done. Absent, no such action can be simulated.
   */
  bank?(operationId: string, action: BankAction, amount: string | null, now: Instant): Promise<string | null>;
}

/** How a saved operation is restored. */
export interface RestoredOperation {
  readonly operationId: string;
  readonly laterMs: number;
  /** The buyer as a customer of the provider, under whom a payment method is saved if the buyer agreed. Null if no buyer is named. */
  readonly customer: string | null;
}

/** The details from which the sandbox chooses an operation's outcome. */
export interface SandboxDetails {
  readonly paymentMethod: PaymentMethod;
  readonly paymentDetails: PaymentDetails | null;
  readonly payoutDetails: PayoutDetails | null;
  readonly walletAddress: string | null;
  readonly refundAddress: string | null;
}
