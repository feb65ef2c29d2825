import { type Instant, isoTime, isoTimeOrNull } from '../instant.js';
import { type Rendered, toJsonText } from '../json.js';
import type { Mode } from '../mode.js';
import type { Session } from '../session/session-state.js';
import type { Flow } from '../session/terms.js';
import type { DocumentSide } from './identity-document.js';

/** In the order of an intent's life; the last three are final. */
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

/** The payment methods of the wire. */
export const PAYMENT_METHODS = ['card', 'bank_transfer', 'crypto'] as const;

/** One of `PAYMENT_METHODS`. */
export type PaymentMethod = (typeof PAYMENT_METHODS)[number];

/** The failure codes of the wire. */
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
  'deposit_price_moved',
  'payout_rejected',
  'wallet_address_invalid',
  'settlement_error',
  'error',
] as const;

/** One of `FAILURE_CODES`. */
export type FailureCode = (typeof FAILURE_CODES)[number];

/**
 * The stages of all flows, in order. `stagesOf` returns the stages that a flow always shows; the others appear once a provider reports
 * them. `return`: the payment or deposit is being returned. `deposit_over`: the part of a deposit above the amount is being returned.
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
  /** Whether a new attempt in the same session may succeed. */
  readonly retryable: boolean;
}

/**
 * The step an attempt waits for. Bank transfers, and deposits over rails, are not confirmed by a request: the provider reports the money.
 */
export type NextAction = ConfirmableAction | BankTransfer;

/** An action the buyer must complete before the provider continues. */
export type ConfirmableAction = IdentityCheck | OneTimeCode | CryptoDeposit | Redirect | ProviderComponent;

/** A one-time code by which the issuer authenticates the buyer. */
export interface OneTimeCode {
  readonly type: 'payment_authentication';
  readonly challenge: 'otp';
  /** Where the code was sent, masked. */
  readonly destination: string;
  /** When the buyer may ask for another code. Absent if the provider sends one only. */
  readonly resendAt?: Instant;
}

/** Identity verification: fields to fill in or, if `documents` is present, document images to upload. */
export interface IdentityCheck {
  readonly type: 'kyc';
  readonly level: string;
  readonly fields: readonly string[];
  /** Absent when no documents are requested. */
  readonly documents?: RequestedDocuments;
}

/** Which sides the provider requests and which have arrived. Only the provider stores the images. */
export interface RequestedDocuments {
  readonly sides: readonly DocumentSide[];
  /** Sides that have arrived. Maintained by the engine; a provider leaves this empty. */
  readonly received: readonly DocumentSide[];
  /** The buyer has submitted the documents: nothing is requested until the provider reports its result. */
  readonly inReview: boolean;
}

/** Whether the action waits for the provider's document review instead of the buyer. */
export function isInReview(action: NextAction | null): boolean {
  return action?.type === 'kyc' && action.documents?.inReview === true;
}

/** A page of the card issuer or the provider that the buyer visits and returns from. */
export interface Redirect {
  readonly type: 'redirect';
  /** https; http is allowed on loopback. */
  readonly url: string;
  readonly expiresAt: Instant;
}

/** A component of the provider, shown in a frame: data entered in it reaches only the provider. */
export interface ProviderComponent {
  readonly type: 'provider_component';
  readonly provider: string;
  readonly publicKey: string;
  /** Opens the component for this attempt only. Encrypted in stored rows. */
  readonly clientSecret: string;
  readonly expiresAt: Instant;
}

/** Actions whose confirmation carries no data: the provider is asked for the state of the attempt, so repeating it is harmless. */
export function isConfirmedWithoutData(
  action: NextAction | null,
): action is CryptoDeposit | Redirect | ProviderComponent {
  return action?.type === 'crypto_deposit' || action?.type === 'redirect' || action?.type === 'provider_component';
}

/** Deposit instructions: where and how much crypto the buyer must send. */
export interface CryptoDeposit {
  readonly type: 'crypto_deposit';
  readonly address: string;
  readonly memo: string | null;
  readonly network: string;
  readonly asset: string;
  readonly amount: string;
  readonly expiresAt: Instant;
  /** A deposit that is in a block by then is exchanged at the price shown. Absent if the price is held until `expiresAt`. */
  readonly priceHeldUntil?: Instant;
  /** A later deposit is returned if the price has moved by more than this, in basis points. */
  readonly priceToleranceBps?: number;
}

/** Bank transfer instructions: an account of the provider, and the reference of the transfer. */
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

/** One attempt to pay: by an end user in a session, or by a partner over rails. */
export interface Intent {
  readonly id: string;
  /** Null over rails, where the pay-in or pay-out has the same id. */
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
  /** The provider's idempotency key for the operation. */
  readonly operationId: string;
  /** The pending provider step, if any. At most one runs at a time, and expiry waits for it. */
  readonly stepTaskId: string | null;
  readonly nextAction: NextAction | null;
  readonly failure: Failure | null;
  /** Sequence number within its session, starting at 1; always 1 over rails. */
  readonly attempt: number;
  readonly txRefid: string;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
  /** When the required action expires; null when no action is required. */
  readonly expiresAt: Instant | null;
}

/** Whether the intent can still succeed. Its session cannot start another one meanwhile. */
export function isLive(intent: Intent): boolean {
  return intent.status === 'created' || intent.status === 'requires_action' || intent.status === 'processing';
}

/** The failure of an intent whose action was not completed in time. */
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

/** Data of `kyc.required`. */
export type KycRequirement = Rendered<typeof kycRequirement>;

/** Renders the data of `kyc.required`: the check that the intent waits for, and its deadline. */
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
