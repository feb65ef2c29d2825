import { isoTime, isoTimeOrNull } from '../instant.js';
import { type JsonText, toJsonText } from '../json.js';
import type { Flow } from '../session/terms.js';
import type {
  BankTransfer,
  CryptoDeposit,
  Failure,
  FailureCode,
  Intent,
  IntentStatus,
  NextAction,
  PaymentMethod,
  Stage,
} from './intent.js';

/** The intent on the wire (`docs/spec-notes.md`, intent). */
export type GateIntent = {
  readonly id: string;
  readonly object: 'gate_intent';
  readonly session_id: string;
  readonly flow: Flow;
  readonly status: IntentStatus;
  readonly amount: string;
  readonly currency: string;
  readonly source_token: string | null;
  readonly source_network: string | null;
  readonly target_token: string | null;
  readonly target_network: string | null;
  readonly wallet_address: string | null;
  readonly payment_method: PaymentMethod | null;
  readonly quote_id: string | null;
  readonly next_action: GateNextAction | null;
  readonly failure: GateFailure | null;
  readonly attempt: number;
  readonly tx_refid: string;
  readonly created_at: string;
  readonly updated_at: string;
  readonly expires_at: string | null;
  /** Those of its transaction where an intent is read; null where it has just been changed. */
  readonly stages: readonly GateStage[] | null;
};

/** A stage as the wire shows it. */
export type GateStage = {
  readonly type: Stage;
  readonly status: 'pending' | 'processing' | 'completed' | 'failed';
  readonly failure_code: string | null;
  readonly updated_at: string;
};

/** A failure as the wire shows it. */
export type GateFailure = {
  readonly code: FailureCode;
  readonly stage: Stage;
  readonly message: string;
  readonly retryable: boolean;
};

/** A next action as the wire shows it. */
export type GateNextAction =
  | { readonly type: 'kyc'; readonly level: string; readonly fields: readonly string[] }
  | { readonly type: 'payment_authentication'; readonly challenge: 'otp'; readonly destination: string }
  | ({ readonly type: 'crypto_deposit' } & GateDeposit)
  | GateInstructions;

/** Where crypto is awaited. */
export type GateDeposit = {
  readonly address: string;
  readonly memo: string | null;
  readonly network: string;
  readonly asset: string;
  readonly amount: string;
  readonly expires_at: string;
};

/** The account to pay into, and the reference that identifies the payment. */
export type GateInstructions = {
  readonly type: 'bank_transfer';
  readonly iban: string;
  readonly bic: string;
  readonly account_holder: string;
  readonly reference: string;
  readonly amount: string;
  readonly currency: string;
  readonly expires_at: string;
};

/** The intent as the iframe sees it. It holds no payment, payout or identity details by type. */
export function intentResource(intent: Intent, stages: readonly GateStage[] | null = null): JsonText<GateIntent> {
  return toJsonText({
    id: intent.id,
    object: 'gate_intent',
    session_id: sessionOf(intent),
    flow: intent.flow,
    status: intent.status,
    amount: intent.amount,
    currency: intent.currency,
    source_token: intent.sourceToken,
    source_network: intent.sourceNetwork,
    target_token: intent.targetToken,
    target_network: intent.targetNetwork,
    wallet_address: intent.walletAddress,
    payment_method: intent.paymentMethod,
    quote_id: intent.quoteId,
    next_action: nextActionMembers(intent.nextAction),
    failure: failureMembers(intent.failure),
    attempt: intent.attempt,
    tx_refid: intent.txRefid,
    created_at: isoTime(intent.createdAt),
    updated_at: isoTime(intent.updatedAt),
    expires_at: isoTimeOrNull(intent.expiresAt),
    stages,
  } satisfies GateIntent);
}

function sessionOf({ sessionId }: Intent): string {
  if (sessionId === null) throw new Error('An intent without a session is shown as the pay-in or pay-out it is.');
  return sessionId;
}

/** A failure in the words of the wire; null stays null. */
export function failureMembers(failure: Failure | null): GateFailure | null {
  if (failure === null) return null;
  return { code: failure.code, stage: failure.stage, message: failure.message, retryable: failure.retryable };
}

/** A next action in the words of the wire; null stays null. */
export function nextActionMembers(action: NextAction | null): GateNextAction | null {
  if (action === null) return null;
  switch (action.type) {
    case 'kyc':
      return { type: 'kyc', level: action.level, fields: [...action.fields] };
    case 'payment_authentication':
      return { type: 'payment_authentication', challenge: action.challenge, destination: action.destination };
    case 'crypto_deposit':
      return { type: 'crypto_deposit', ...depositMembers(action) };
    case 'bank_transfer':
      return instructionMembers(action);
  }
}

/** Where crypto is awaited, in the words of the wire. */
export function depositMembers(deposit: CryptoDeposit): GateDeposit {
  return {
    address: deposit.address,
    memo: deposit.memo,
    network: deposit.network,
    asset: deposit.asset,
    amount: deposit.amount,
    expires_at: isoTime(deposit.expiresAt),
  };
}

/** A bank transfer's instructions in the words of the wire. */
export function instructionMembers(transfer: BankTransfer): GateInstructions {
  return {
    type: 'bank_transfer',
    iban: transfer.iban,
    bic: transfer.bic,
    account_holder: transfer.accountHolder,
    reference: transfer.reference,
    amount: transfer.amount,
    currency: transfer.currency,
    expires_at: isoTime(transfer.expiresAt),
  };
}
