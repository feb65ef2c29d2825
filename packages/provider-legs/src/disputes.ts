import { type BankActions, decimal, type Instant, type ReportedDispute } from '@gateramp/core/domain';
import {
  chargedBack,
  disputeWon,
  isBooked,
  isCapture,
  isDelivery,
  owedBy,
  refundMovement,
  refundReturned,
} from './ledger.js';
import { type Dispute, isChargedBack, type Operation, type State } from './operation.js';
import type { FiatCallback } from './ports/legs.js';
import type { LedgerEntry, LegsStore } from './ports/legs-store.js';
import { at, type Progress } from './progress.js';

/** A callback about a dispute. */
export type DisputeReading = Extract<FiatCallback, { disputeId: string }> & { readonly isLost?: boolean };

/** The disputes and returned refunds of an operation, in the engine's terms. */
export function bankActionsOf({ disputes, refunds }: Pick<Operation, 'disputes' | 'refunds'>): BankActions {
  const reported = disputes.map(({ id, amount, status, isLost = false }): ReportedDispute => {
    const taken = isLost ? 'lost' : 'open';
    return { id, amount, status: status === 'won' ? status : taken };
  });
  const returned = refunds.filter(({ status }) => status === 'returned').map(({ id }) => id);
  return {
    ...(reported.length === 0 ? {} : { disputes: reported }),
    ...(returned.length === 0 ? {} : { returnedRefunds: returned }),
  };
}

/**
 * Adds the change that a callback reported about a dispute to the operation. Null when the change is already known or out of date. The
 * current call of a running operation is finished before the dispute takes effect.
 */
export function withDispute(
  operation: Operation,
  { kind, disputeId: id, amount, isLost = false }: DisputeReading,
): Operation | null {
  const status = kind === 'charged_back' ? 'withdrawn' : 'won';
  const lost = isLost ? { isLost } : {};
  const known = operation.disputes.find((one) => one.id === id);
  if (known === undefined)
    return { ...operation, disputes: [...operation.disputes, { id, amount, status, settled: null, ...lost }] };
  if (known.status === 'won') return null;
  if (status === 'won') return withDisputes(operation, [{ ...known, status }]);
  return isLost && known.isLost !== true ? withDisputes(operation, [{ ...known, isLost }]) : null;
}

/**
 * Books the disputes of an operation in the commit with which it ends or gets stuck. A chargeback first settles the debt to the buyer; the
 * rest is a loss. A stuck operation without a remaining debt ends, and one that owes the buyer again gets stuck, so that an operator
 * decides.
 */
export async function bookDisputes(store: LegsStore, progress: Progress, now: Instant): Promise<Progress> {
  const { operation } = progress;
  const { price } = operation;
  const isAtRest = operation.state.kind === 'ended' || operation.state.kind === 'stuck';
  if (!isAtRest || price === null || !operation.disputes.some(isUnbooked)) return progress;
  const entries = [...(await store.entries(operation.operationId)), ...progress.entries];
  // The bank cannot take back a payment that was never captured.
  if (!entries.some((one) => isCapture(one, operation))) return progress;
  const booked = operation.disputes.filter(isUnbooked).reduce<Booked>((all, dispute) => book(all, dispute, now), {
    operation,
    entries: [],
    owed: owedBy(entries, price.source.currency),
  });
  const isDelivered = entries.some((one) => isDelivery(one, operation));
  const state = restOf(booked, { isDelivered, paid: price.source.amount });
  return {
    ...progress,
    operation: at(booked.operation, state, now),
    entries: [...progress.entries, ...booked.entries],
  };
}

/** Whether the refund with this call id is booked as made and not as returned. */
export function isRefundOut(operation: Operation, refundId: string, entries: readonly LedgerEntry[]): boolean {
  const movement = refundMovement(operation, refundId);
  return isBooked(entries, operation, movement) && !isBooked(entries, operation, `${movement}:returned`);
}

/** The progress for a refund that the bank sent back: the buyer is owed it again, and an operator has to pay it in another way. */
export function refundCameBack(operation: Operation, refundId: string, now: Instant): Progress {
  const { price } = operation;
  if (price === null) throw new Error('An operation without a price has refunded nothing.');
  const refunds = operation.refunds.map((one) => (one.id === refundId ? { ...one, status: 'returned' as const } : one));
  const amount = operation.refunds.find(({ id }) => id === refundId)?.amount ?? price.source.amount;
  const { currency } = price.source;
  return {
    operation: at({ ...operation, refunds }, { kind: 'stuck', step: 'refund', reason: 'refund_returned' }, now),
    entries: [refundReturned(operation, refundMovement(operation, refundId), { amount, currency }, now)],
    waitMs: null,
  };
}

/** The amount of a payment that the buyer has got back, by chargebacks and by refunds. */
export function amountReturned({ disputes, refunds }: Pick<Operation, 'disputes' | 'refunds'>): string {
  return [
    ...disputes.filter(({ status }) => status === 'withdrawn'),
    ...refunds.filter(({ status }) => status === 'succeeded'),
  ].reduce((sum, { amount }) => decimal.add(sum, amount), '0');
}

interface Booked {
  readonly operation: Operation;
  readonly entries: readonly LedgerEntry[];
  /** The debt to the buyer after these entries. */
  readonly owed: string;
}

function isUnbooked({ status, settled }: Dispute): boolean {
  return (status === 'withdrawn') === (settled === null);
}

function book({ operation, entries, owed }: Booked, dispute: Dispute, now: Instant): Booked {
  if (dispute.status === 'won') {
    const settled = dispute.settled ?? '0';
    return {
      operation: withDisputes(operation, [{ ...dispute, settled: null }]),
      entries: [...entries, disputeWon(operation, { ...dispute, settled }, now)],
      owed: decimal.add(owed, settled),
    };
  }
  const settled = decimal.compare(dispute.amount, owed) <= 0 ? dispute.amount : owed;
  return {
    operation: withDisputes(operation, [{ ...dispute, settled }]),
    entries: [...entries, chargedBack(operation, { ...dispute, settled }, now)],
    owed: decimal.subtract(owed, settled),
  };
}

function restOf(
  { operation, owed }: Booked,
  { isDelivered, paid }: { readonly isDelivered: boolean; readonly paid: string },
): State {
  const { state } = operation;
  const isWhole = isChargedBack(operation) && decimal.compare(amountReturned(operation), paid) >= 0;
  if (decimal.isPositive(owed))
    return state.kind === 'stuck' ? state : { kind: 'stuck', step: 'refund', reason: 'dispute_won' };
  if (state.kind === 'stuck') return { kind: 'ended', as: isDelivered && !isWhole ? 'succeeded' : 'charged_back' };
  if (state.kind !== 'ended' || !isDelivered) return state;
  // Like a partial refund, a partial chargeback leaves the purchase completed.
  return { kind: 'ended', as: isWhole ? 'charged_back' : 'succeeded' };
}

function withDisputes(operation: Operation, changed: readonly Dispute[]): Operation {
  const disputes = operation.disputes.map((one) => changed.find(({ id }) => id === one.id) ?? one);
  return { ...operation, disputes };
}
