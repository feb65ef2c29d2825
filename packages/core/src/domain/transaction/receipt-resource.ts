import { isoTimeOrNull } from '../instant.js';
import type { Fee, Side, Transaction } from './transaction.js';

/** The money of a transaction in the words of the wire: an intent repeats it. */
export function receiptMembers(transaction: Transaction) {
  const { confirmations } = transaction;
  return {
    refid: transaction.refid,
    status: transaction.status,
    source: sideMembers(transaction.source),
    destination: sideMembers(transaction.destination),
    exchange_rate: transaction.exchangeRate,
    fees: transaction.fees.map(feeMembers),
    fee_total: transaction.feeTotal,
    tx_hash: transaction.txHash,
    tx_url: transaction.txUrl,
    confirmations: confirmations === null ? null : { seen: confirmations.seen, required: confirmations.required },
    completed_at: isoTimeOrNull(transaction.completedAt),
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
