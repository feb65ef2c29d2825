import { isoTime, isoTimeOrNull, type Instant } from '../instant.js';
import { toJsonText } from '../json.js';
import { receiptMembers } from '../transaction/receipt-resource.js';
import type { StageRecord, Transaction } from '../transaction/transaction.js';
import type { DocumentSide } from './identity-document.js';
import type { BankTransfer, CryptoDeposit, Failure, IdentityCheck, Intent, NextAction } from './intent.js';

/**
 * The intent as the embed API returns it. By construction it has no payment, payout or identity details. On reads, stages and money come
 * from its transaction; responses to changes have null there.
 */
export function intentResource(intent: Intent, transaction: Transaction | null = null) {
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
    code_resend_at: isoTimeOrNull(codeResendAt(intent)),
    stages: transaction === null ? null : stageMembers(transaction.stages),
    transaction: transaction === null ? null : receiptMembers(transaction),
  });
}

/** When another one-time code can be sent; null if the intent does not wait for one, or its provider sends only one. */
function codeResendAt({ nextAction }: Intent): Instant | null {
  return nextAction?.type === 'payment_authentication' ? (nextAction.resendAt ?? null) : null;
}

function sessionOf({ sessionId }: Intent): string {
  if (sessionId === null) throw new Error('An intent without a session is rendered as its pay-in or pay-out.');
  return sessionId;
}

/** A failure as wire members, or null. */
export function failureMembers(failure: Failure | null) {
  if (failure === null) return null;
  return { code: failure.code, stage: failure.stage, message: failure.message, retryable: failure.retryable };
}

/** Stages as wire members, in order. */
export function stageMembers(stages: readonly StageRecord[]) {
  return stages.map((stage) => ({
    type: stage.type,
    status: stage.status,
    failure_code: stage.failureCode,
    updated_at: isoTime(stage.updatedAt),
  }));
}

/** A next action as wire members, or null. */
export function nextActionMembers(action: NextAction | null) {
  if (action === null) return null;
  switch (action.type) {
    case 'kyc':
      return { type: action.type, level: action.level, fields: [...action.fields], ...documentMembers(action) };
    case 'payment_authentication':
      return {
        type: action.type,
        challenge: action.challenge,
        destination: action.destination,
      };
    case 'crypto_deposit':
      return { type: action.type, ...depositMembers(action) };
    case 'bank_transfer':
      return instructionMembers(action);
    case 'redirect':
      return { type: action.type, url: action.url, expires_at: isoTime(action.expiresAt) };
    case 'provider_component':
      return {
        type: action.type,
        provider: action.provider,
        public_key: action.publicKey,
        client_secret: action.clientSecret,
        expires_at: isoTime(action.expiresAt),
      };
  }
}

/** Members that are present only when documents are requested. */
function documentMembers({ documents }: IdentityCheck): DocumentMembers {
  if (documents === undefined) return {};
  const { sides, received, inReview } = documents;
  return { documents: [...sides], received: [...received], in_review: inReview };
}

interface DocumentMembers {
  readonly documents?: DocumentSide[];
  readonly received?: DocumentSide[];
  readonly in_review?: boolean;
}

/** Deposit instructions as wire members. */
export function depositMembers(deposit: CryptoDeposit) {
  return {
    address: deposit.address,
    memo: deposit.memo,
    network: deposit.network,
    asset: deposit.asset,
    amount: deposit.amount,
    expires_at: isoTime(deposit.expiresAt),
    ...priceMembers(deposit),
  };
}

function priceMembers({ priceHeldUntil, priceToleranceBps }: CryptoDeposit): PriceMembers {
  if (priceHeldUntil === undefined || priceToleranceBps === undefined) return {};
  return { price_held_until: isoTime(priceHeldUntil), price_tolerance_bps: priceToleranceBps };
}

interface PriceMembers {
  readonly price_held_until?: string;
  readonly price_tolerance_bps?: number;
}

/** Bank transfer instructions as wire members. */
export function instructionMembers(transfer: BankTransfer) {
  return {
    type: transfer.type,
    iban: transfer.iban,
    bic: transfer.bic,
    account_holder: transfer.accountHolder,
    reference: transfer.reference,
    amount: transfer.amount,
    currency: transfer.currency,
    expires_at: isoTime(transfer.expiresAt),
  };
}
