import { isoTime, isoTimeOrNull } from '../instant.js';
import { failureMembers, stageMembers } from '../intent/intent-resource.js';
import { jsonObject, knownAs, type Opaque, type Rendered } from '../json.js';
import { amountRefunded, amountReturned, disputesOf, refundsOf } from './refund.js';
import { receiptMembers } from './receipt-resource.js';
import type { Dispute, Refund, Transaction } from './transaction.js';

/** The transaction on the wire (spec: Other endpoints 3). */
export type GateTransaction = Rendered<typeof transactionResource>;

/** A transaction as a wire resource. Over rails it has no session, and its intent is the pay-in or pay-out. */
export function transactionResource(transaction: Transaction) {
  const receipt = receiptMembers(transaction);
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
      source: receipt.source,
      destination: receipt.destination,
      exchange_rate: transaction.exchangeRate,
      fees: receipt.fees,
      fee_total: transaction.feeTotal,
      payment_method: transaction.paymentMethod,
      country_code: transaction.countryCode,
      wallet_address: transaction.walletAddress,
      tx_hash: receipt.tx_hash,
      tx_url: receipt.tx_url,
      confirmations: receipt.confirmations,
      user_reference: transaction.userReference,
      stages: stageMembers(transaction.stages),
      failure: failureMembers(transaction.failure),
      settled_after_close: transaction.settledAfterClose,
      amount_refunded: amountRefunded(transaction),
      amount_returned: amountReturned(transaction),
      refunds: refundsOf(transaction).map((refund) => refundMembers(refund, transaction.source.currency)),
      disputes: disputesOf(transaction).map((dispute) => disputeMembers(dispute, transaction.source.currency)),
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
    returned_at: isoTimeOrNull(refund.returnedAt ?? null),
    created_at: isoTime(refund.createdAt),
    updated_at: isoTime(refund.updatedAt),
  };
}

function disputeMembers(dispute: Dispute, currency: string | null) {
  return {
    object: 'dispute' as const,
    id: dispute.id,
    amount: dispute.amount,
    currency,
    status: dispute.status,
    created_at: isoTime(dispute.createdAt),
    updated_at: isoTime(dispute.updatedAt),
  };
}
