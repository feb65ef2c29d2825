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

/** What an operation shall do, whatever its amount or card. `park`: it stays in processing until `settle`. */
export type SandboxPlan = 'succeed' | 'decline' | 'kyc_required' | 'park' | 'settlement_error';

/** The strings of a provider that moves no real money, used by test helpers in test mode only. */
export interface SandboxControl {
  /** The name of the provider whose operations it moves. */
  readonly provider: string;
  /** Details of a test buyer with which the scenario can be played in the currency, given in upper case. */
  details(scenario: Scenario, flow: Flow, currency: string): SandboxDetails;
  /** What the test buyer of the scenario answers to a required action. */
  confirmation(scenario: Scenario, action: ConfirmableAction['type']): Confirmation;
  /** May come before `start`. An operation that has ended keeps its end. */
  plan(operationId: string, plan: SandboxPlan, now: Instant): Promise<void>;
  /** Ends the wait for identity documents, or their review, at `now`. Where neither is under way it changes nothing. */
  review(operationId: string, verdict: 'accepted' | 'rejected', now: Instant): Promise<void>;
  /**
   * Ends the operation at `now`, also when it was cancelled before money moved; what has settled stays settled. `processing` ends nothing:
   * what it waits for is there, and money moves until it is settled otherwise.
   */
  settle(operationId: string, outcome: 'processing' | 'succeeded' | 'failed', now: Instant): Promise<void>;
}

/** What the sandbox looks at when it chooses how an operation goes. */
export interface SandboxDetails {
  readonly paymentMethod: PaymentMethod;
  readonly paymentDetails: PaymentDetails | null;
  readonly payoutDetails: PayoutDetails | null;
  readonly walletAddress: string | null;
  readonly refundAddress: string | null;
}
