import { isoTimeOrNull } from '../instant.js';
import type { Fee, Side, Transaction } from './transaction.js';

/** The money of a transaction as wire members; also part of an intent. */
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

/** Copied member by member, so that additional members of a provider's object never reach the wire. */
export function sideMembers(side: Side) {
  return { amount: side.amount, currency: side.currency, network: side.network };
}

/** A fee as wire members. */
export function feeMembers(fee: Fee) {
  return { type: fee.type, amount: fee.amount, currency: fee.currency };
}
