import { isoTime, isoTimeOrNull } from '../instant.js';
import type { PaymentMethod } from '../intent/intent.js';
import { failureMembers, type GateFailure, type GateStage } from '../intent/intent-resource.js';
import { jsonObject, type JsonText, knownAs, type Opaque } from '../json.js';
import type { Mode } from '../mode.js';
import type { Flow } from '../session/terms.js';
import { amountRefunded, refundsOf } from './refund.js';
import type { Fee, Refund, RefundStatus, Side, StageRecord, Transaction, TransactionStatus } from './transaction.js';

/** The transaction on the wire (spec: GET /v1/transactions/{refid}). */
export type GateTransaction = {
  readonly id: string;
  readonly object: 'transaction';
  readonly refid: string;
  /** Null over rails: there `intent_id` is the pay-in or pay-out. */
  readonly session_id: string | null;
  readonly intent_id: string;
  readonly partner_id: string;
  readonly mode: Mode;
  readonly flow: Flow;
  readonly status: TransactionStatus;
  readonly source: GateSide;
  readonly destination: GateSide;
  readonly exchange_rate: string | null;
  readonly fees: readonly GateFee[];
  readonly fee_total: string | null;
  readonly payment_method: PaymentMethod | null;
  readonly country_code: string | null;
  readonly wallet_address: string | null;
  readonly tx_hash: string | null;
  readonly user_reference: string | null;
  readonly stages: readonly GateStage[];
  readonly failure: GateFailure | null;
  readonly settled_after_close: boolean;
  /** In the currency of `source`; null while nothing has gone back. */
  readonly amount_refunded: string | null;
  /** Oldest first. */
  readonly refunds: readonly GateRefund[];
  readonly created_at: string;
  readonly updated_at: string;
  readonly completed_at: string | null;
  readonly metadata: Opaque;
};

/** A side of a transaction as the wire shows it. */
export type GateSide = {
  readonly amount: string | null;
  readonly currency: string | null;
  readonly network: string | null;
};

/** A fee as the wire shows it. */
export type GateFee = { readonly type: string; readonly amount: string; readonly currency: string };

/** A refund of a transaction as the wire shows it. */
export type GateRefund = {
  readonly object: 'refund';
  readonly id: string;
  readonly amount: string;
  readonly currency: string | null;
  readonly status: RefundStatus;
  readonly reason: string | null;
  readonly failure: { readonly code: string; readonly message: string; readonly retryable: boolean } | null;
  readonly created_at: string;
  readonly updated_at: string;
};

/** A transaction as the wire shows it. */
export function transactionResource(transaction: Transaction): JsonText<GateTransaction> {
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
    } satisfies Omit<GateTransaction, 'metadata'>,
    { metadata: knownAs<Opaque>(transaction.metadata) },
  );
}

function refundMembers(refund: Refund, currency: string | null): GateRefund {
  const { failure } = refund;
  return {
    object: 'refund',
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

/** Stages in the words of the wire, in their order. */
export function stageMembers(stages: readonly StageRecord[]): readonly GateStage[] {
  return stages.map((stage) => ({
    type: stage.type,
    status: stage.status,
    failure_code: stage.failureCode,
    updated_at: isoTime(stage.updatedAt),
  }));
}

/** Member by member: whatever else a provider's object holds never reaches the wire. */
export function sideMembers(side: Side): GateSide {
  return { amount: side.amount, currency: side.currency, network: side.network };
}

/** A fee in the words of the wire. */
export function feeMembers(fee: Fee): GateFee {
  return { type: fee.type, amount: fee.amount, currency: fee.currency };
}
