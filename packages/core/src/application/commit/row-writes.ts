import type { Purchase } from '../../domain/purchase/purchase.js';
import { placeMoves } from '../../domain/quota/quota.js';
import type { Change, RowWrite } from '../../ports/change.js';
import { documentWrite } from '../documents/document-kind.js';
import { RAIL_KINDS } from '../rails/rail-kinds.js';

/** The next row of one that was read; the commit refuses it if the row has moved on since. */
export function updated<Row extends { readonly version: number }>(before: Row, next: Row): RowWrite<Row> {
  return { row: { ...next, version: before.version + 1 }, expectedVersion: before.version };
}

export function inserted<Row extends { readonly version: number }>(row: Row): RowWrite<Row> {
  return { row: { ...row, version: 1 }, expectedVersion: null };
}

/** The rows of a purchase that a step has changed, and the quota's places with them; unchanged ones are the same object. */
export function purchaseWrites(
  before: Purchase,
  next: Purchase,
): Pick<Change, 'sessions' | 'intents' | 'transactions' | 'documents' | 'counters'> {
  return {
    sessions:
      before.session === null || next.session === null || before.session === next.session
        ? []
        : [updated(before.session, next.session)],
    intents: before.intent === next.intent ? [] : [updated(before.intent, next.intent)],
    transactions: before.transaction === next.transaction ? [] : [updated(before.transaction, next.transaction)],
    documents:
      before.session !== null || next.session !== null || before.payment === next.payment
        ? []
        : [documentWrite(RAIL_KINDS[next.payment.kind], next.payment, before.payment)],
    counters: placeMoves(before, next).map((move) => ({ ...move, atLeast: null })),
  };
}
