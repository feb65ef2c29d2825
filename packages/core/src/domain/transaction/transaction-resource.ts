import { isoTime, isoTimeOrNull } from '../instant.js';
import { failureMembers, stageMembers } from '../intent/intent-resource.js';
import { jsonObject, knownAs, type Opaque, type Rendered } from '../json.js';
import { amountRefunded, refundsOf } from './refund.js';
import type { Fee, Refund, Side, Transaction } from './transaction.js';

/** The transaction on the wire (spec: GET /v1/transactions/{refid}). */
export type GateTransaction = Rendered<typeof transactionResource>;

/** A transaction as the wire shows it. Over rails it has no session: there its intent is the pay-in or pay-out. */
export function transactionResource(transaction: Transaction) {
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
      stages: stageMembers(transaction.stages),
      failure: failureMembers(transaction.failure),
      settled_after_close: transaction.settledAfterClose,
      amount_refunded: amountRefunded(transaction),
      refunds: refundsOf(transaction).map((refund) => refundMembers(refund, transaction.source.currency)),
      created_at: isoTime(transaction.createdAt),
      updated_at: isoTime(transaction.updatedAt),
      completed_at: isoTimeOrNull(transaction.completedAt),
    },
    { metadata: knownAs<Opaque>(transaction.metadata) },
  );
}

function refundMembers(refund: Refund, currency: string | null) {
  const { failure } = refund;
  return {
    object: 'refund' as const,
    id: refund.id,
    amount: refund.amount,
    currency,
    status: refund.status,
    reason: refund.reason,
    failure:
      failure === null ? null : { code: failure.code, message: failure.message, retryable: failure.retryable ?? false },
    created_at: isoTime(refund.createdAt),
    updated_at: isoTime(refund.updatedAt),
  };
}

/** Member by member: whatever else a provider's object holds never reaches the wire. */
export function sideMembers(side: Side) {
  return { amount: side.amount, currency: side.currency, network: side.network };
}

/** A fee in the words of the wire. */
export function feeMembers(fee: Fee) {
  return { type: fee.type, amount: fee.amount, currency: fee.currency };
}
