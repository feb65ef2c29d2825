import { isoTime, isoTimeOrNull } from '../instant.js';
import { toJsonText, type JsonText, type JsonValue } from '../json/json-text.js';
import type { Failure, Intent, NextAction } from './intent.js';

/** The intent as the iframe sees it. It holds no payment, payout or identity details by type. */
export function intentResource(intent: Intent): JsonText {
  return toJsonText({
    id: intent.id,
    object: 'gate_intent',
    session_id: intent.sessionId,
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
  });
}

export function failureMembers(failure: Failure | null): JsonValue {
  if (failure === null) return null;
  return { code: failure.code, stage: failure.stage, message: failure.message, retryable: failure.retryable };
}

export function nextActionMembers(action: NextAction | null): JsonValue {
  if (action === null) return null;
  switch (action.type) {
    case 'kyc':
      return { type: 'kyc', level: action.level, fields: [...action.fields] };
    case 'payment_authentication':
      return { type: 'payment_authentication', challenge: action.challenge, destination: action.destination };
    case 'crypto_deposit':
      return {
        type: 'crypto_deposit',
        address: action.address,
        memo: action.memo,
        network: action.network,
        asset: action.asset,
        amount: action.amount,
        expires_at: isoTime(action.expiresAt),
      };
  }
}
