import { isoTime, isoTimeOrNull } from '../instant.js';
import { failureMembers } from '../intent/intent-resource.js';
import { jsonObject, type JsonText, type JsonValue } from '../json/json-text.js';
import type { Fee, Side, Transaction } from './transaction.js';

/** The transaction as partners see it (spec: GET /v1/transactions/{refid}). */
export function transactionResource(transaction: Transaction): JsonText {
  return jsonObject(
    {
      id: transaction.refid,
      object: 'transaction',
      refid: transaction.refid,
      session_id: transaction.sessionId,
      intent_id: transaction.intentId,
      partner_id: transaction.partnerId,
      mode: transaction.mode,
      flow: transaction.flow,
      status: transaction.status,
      source: sideMembers(transaction.source),
      destination: sideMembers(transaction.destination),
      exchange_rate: transaction.exchangeRate,
      fees: transaction.fees.map(feeMembers),
      fee_total: transaction.feeTotal,
      payment_method: transaction.paymentMethod,
      country_code: transaction.countryCode,
      wallet_address: transaction.walletAddress,
      tx_hash: transaction.txHash,
      user_reference: transaction.userReference,
      stages: transaction.stages.map((stage) => ({
        type: stage.type,
        status: stage.status,
        failure_code: stage.failureCode,
        updated_at: isoTime(stage.updatedAt),
      })),
      failure: failureMembers(transaction.failure),
      settled_after_close: transaction.settledAfterClose,
      created_at: isoTime(transaction.createdAt),
      updated_at: isoTime(transaction.updatedAt),
      completed_at: isoTimeOrNull(transaction.completedAt),
    },
    { metadata: transaction.metadata },
  );
}

/** Member by member: whatever else a provider's object holds never reaches the wire. */
export function sideMembers(side: Side): JsonValue {
  return { amount: side.amount, currency: side.currency, network: side.network };
}

export function feeMembers(fee: Fee): JsonValue {
  return { type: fee.type, amount: fee.amount, currency: fee.currency };
}
