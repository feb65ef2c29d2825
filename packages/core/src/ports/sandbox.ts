import type { Instant } from '../domain/instant.js';
import type { ConfirmableAction, PaymentMethod } from '../domain/intent/intent.js';
import type { Flow } from '../domain/session/terms.js';
import type { Confirmation, PaymentDetails, PayoutDetails } from './provider.js';

/** The scenarios that a test helper may simulate for an intent. */
export type Scenario =
  | 'succeed'
  | 'decline'
  | 'kyc_required'
  | 'kyc_rejected'
  | 'processing'
  | 'settlement_error'
  | 'late_settlement'
  | 'abandon';

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
}

/** The details from which the sandbox chooses an operation's outcome. */
export interface SandboxDetails {
  readonly paymentMethod: PaymentMethod;
  readonly paymentDetails: PaymentDetails | null;
  readonly payoutDetails: PayoutDetails | null;
  readonly walletAddress: string | null;
  readonly refundAddress: string | null;
}
