import { type Instant, isoTime, isoTimeOrNull } from '../instant.js';
import { type Rendered, toJsonText } from '../json.js';
import type { Mode } from '../mode.js';
import type { Session } from '../session/session-state.js';
import type { Flow } from '../session/terms.js';
import type { DocumentSide } from './identity-document.js';

/** In the order an intent goes through them; the last three are ends. */
export const INTENT_STATUSES = [
  'created',
  'requires_action',
  'processing',
  'succeeded',
  'failed',
  'cancelled',
] as const;

/** One of `INTENT_STATUSES`. */
export type IntentStatus = (typeof INTENT_STATUSES)[number];

/** The ways to pay that the wire knows. */
export const PAYMENT_METHODS = ['card', 'bank_transfer', 'crypto'] as const;

/** One of `PAYMENT_METHODS`. */
export type PaymentMethod = (typeof PAYMENT_METHODS)[number];

/** Why an intent may have failed, as the wire says it. */
export const FAILURE_CODES = [
  'payment_declined',
  'payment_authentication_failed',
  'insufficient_funds',
  'payment_expired',
  'kyc_rejected',
  'kyc_abandoned',
  'sanctions_blocked',
  'limit_exceeded',
  'quote_expired',
  'deposit_not_received',
  'deposit_short',
  'deposit_late',
  'deposit_wrong_asset',
  'payout_rejected',
  'wallet_address_invalid',
  'settlement_error',
  'error',
] as const;

/** One of `FAILURE_CODES`. */
export type FailureCode = (typeof FAILURE_CODES)[number];

/**
 * The stages of all flows, in their order. `stagesOf` says which of them one flow has; the others are shown from the moment a provider
 * reports them. `return`: what was paid or deposited goes back. `deposit_over`: what was deposited above the amount goes back.
 */
export const STAGES = [
  'kyc',
  'screening',
  'authorization',
  'capture',
  'payment',
  'deposit',
  'conversion',
  'send',
  'delivery',
  'payout',
  'deposit_over',
  'return',
] as const;

/** One of `STAGES`. */
export type Stage = (typeof STAGES)[number];

/** Why and where an intent failed. */
export interface Failure {
  readonly code: FailureCode;
  readonly stage: Stage;
  readonly message: string;
  /** Whether the buyer may try again in the same session with a chance of success. */
  readonly retryable: boolean;
}

/** What an attempt waits for. A `bank_transfer`, or a deposit over rails, is not confirmed: the provider reports the money. */
export type NextAction = ConfirmableAction | BankTransfer;

/** What the buyer has to do next before the provider goes on. */
export type ConfirmableAction =
  | IdentityCheck
  | { readonly type: 'payment_authentication'; readonly challenge: 'otp'; readonly destination: string }
  | CryptoDeposit
  | Redirect
  | ProviderComponent;

/** Who the buyer is: fields to fill in or, where there are `documents`, pictures of a document to upload. */
export interface IdentityCheck {
  readonly type: 'kyc';
  readonly level: string;
  readonly fields: readonly string[];
  /** Absent where no document is asked for. */
  readonly documents?: RequestedDocuments;
}

/** Which sides the provider wants, and which have arrived. The pictures themselves are with the provider alone. */
export interface RequestedDocuments {
  readonly sides: readonly DocumentSide[];
  /** Those that have arrived. The engine keeps them; a provider leaves this empty. */
  readonly received: readonly DocumentSide[];
  /** The buyer has sent them for review: nothing is asked for until the provider reports its result. */
  readonly inReview: boolean;
}

/** Whether an action waits for the provider to review documents, rather than for the buyer. */
export function isInReview(action: NextAction | null): boolean {
  return action?.type === 'kyc' && action.documents?.inReview === true;
}

/** A page of the issuer's or the provider's, which the buyer visits and returns from. */
export interface Redirect {
  readonly type: 'redirect';
  /** https; on loopback http too. */
  readonly url: string;
  readonly expiresAt: Instant;
}

/** The provider's own component, which the buyer uses in a frame: what is entered there reaches the provider alone. */
export interface ProviderComponent {
  readonly type: 'provider_component';
  readonly provider: string;
  readonly publicKey: string;
  /** Opens the component for this attempt alone. In stored rows it is sealed. */
  readonly clientSecret: string;
  readonly expiresAt: Instant;
}

/** Actions whose confirmation carries no data: the provider is asked for the state of the attempt. Saying it twice does no harm. */
export function isConfirmedWithoutData(
  action: NextAction | null,
): action is CryptoDeposit | Redirect | ProviderComponent {
  return action?.type === 'crypto_deposit' || action?.type === 'redirect' || action?.type === 'provider_component';
}

/** Where crypto is awaited, and how much. */
export interface CryptoDeposit {
  readonly type: 'crypto_deposit';
  readonly address: string;
  readonly memo: string | null;
  readonly network: string;
  readonly asset: string;
  readonly amount: string;
  readonly expiresAt: Instant;
}

/** Money that is awaited at an account of the provider's, under a reference. */
export interface BankTransfer {
  readonly type: 'bank_transfer';
  readonly iban: string;
  readonly bic: string;
  readonly accountHolder: string;
  readonly reference: string;
  readonly amount: string;
  readonly currency: string;
  readonly expiresAt: Instant;
}

/** One attempt to pay: of an end user to go through with a session, or of a partner over rails. */
export interface Intent {
  readonly id: string;
  /** Null over rails: the pay-in or pay-out of the same id has it. */
  readonly sessionId: string | null;
  readonly partnerId: string;
  readonly mode: Mode;
  readonly version: number;
  readonly flow: Flow;
  readonly status: IntentStatus;
  readonly amount: string;
  readonly currency: string;
  readonly sourceToken: string | null;
  readonly sourceNetwork: string | null;
  readonly targetToken: string | null;
  readonly targetNetwork: string | null;
  readonly walletAddress: string | null;
  readonly refundAddress: string | null;
  readonly paymentMethod: PaymentMethod | null;
  readonly countryCode: string | null;
  readonly quoteId: string | null;
  readonly provider: string;
  /** The provider is idempotent on it. */
  readonly operationId: string;
  /** The provider step under way, if any: one at a time, and expiry waits for it. */
  readonly stepTaskId: string | null;
  readonly nextAction: NextAction | null;
  readonly failure: Failure | null;
  /** First, second, … intent of its session; over rails there is one. */
  readonly attempt: number;
  readonly txRefid: string;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
  /** When a required action lapses; null when none is required. */
  readonly expiresAt: Instant | null;
}

/** Whether it may still come to something: no other intent of its session may be begun. */
export function isLive(intent: Intent): boolean {
  return intent.status === 'created' || intent.status === 'requires_action' || intent.status === 'processing';
}

/** What a lapsed action is called. */
export function lapseFailure(action: NextAction | null): Failure {
  switch (action?.type) {
    case 'kyc':
      return {
        code: 'kyc_abandoned',
        stage: 'kyc',
        message: 'Identity verification was not finished in time.',
        retryable: true,
      };
    case 'crypto_deposit':
      return {
        code: 'deposit_not_received',
        stage: 'deposit',
        message: 'The deposit did not arrive in time.',
        retryable: true,
      };
    case 'bank_transfer':
      return {
        code: 'payment_expired',
        stage: 'payment',
        message: 'The bank transfer did not arrive in time.',
        retryable: true,
      };
    case 'payment_authentication':
    case 'redirect':
    case 'provider_component':
    case undefined:
      return {
        code: 'payment_expired',
        stage: 'payment',
        message: 'The payment was not finished in time.',
        retryable: true,
      };
  }
}

/** The data of `kyc.required`. */
export type KycRequirement = Rendered<typeof kycRequirement>;

/** The data of `kyc.required`: what this intent waits for, and until when. */
export function kycRequirement(session: Session, intent: Intent, level: string, reasons: readonly string[]) {
  return toJsonText({
    object: 'kyc_requirement',
    session_id: session.id,
    partner_id: session.partnerId,
    mode: session.mode,
    intent_id: intent.id,
    level,
    reasons: [...reasons],
    user_reference: session.userReference,
    expires_at: isoTimeOrNull(intent.expiresAt) ?? isoTime(session.expiresAt),
  });
}
