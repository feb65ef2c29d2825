import { decimal, type Instant } from '@gateramp/core/domain';
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
import type { DisputedAmount } from './ports/legs.js';
import type { LedgerEntry, LegsStore } from './ports/legs-store.js';
import { at, type Progress } from './progress.js';

/**
 * The operation with what a callback said of a dispute; null when that is known, or out of date. Where it is under way, its present call is
 * finished first.
 */
export function withDispute(
  operation: Operation,
  { kind, disputeId: id, amount }: DisputedAmount & { readonly kind: 'charged_back' | 'dispute_won' },
): Operation | null {
  const status = kind === 'charged_back' ? 'withdrawn' : 'won';
  const known = operation.disputes.find((one) => one.id === id);
  if (known === undefined)
    return { ...operation, disputes: [...operation.disputes, { id, amount, status, settled: null }] };
  if (known.status === 'won' || status === 'withdrawn') return null;
  return withDisputes(operation, [{ ...known, status }]);
}

/**
 * Books the disputes of an operation that has come to rest, in the commit that brings it there. What the bank has taken first settles what
 * the buyer is owed; the rest is a loss. An operation that waited for an operator and owes nothing any more has ended, and one that owes
 * again waits for one.
 */
export async function bookDisputes(store: LegsStore, progress: Progress, now: Instant): Promise<Progress> {
  const { operation } = progress;
  const { price } = operation;
  const isAtRest = operation.state.kind === 'ended' || operation.state.kind === 'stuck';
  if (!isAtRest || price === null || !operation.disputes.some(isUnbooked)) return progress;
  const entries = [...(await store.entries(operation.operationId)), ...progress.entries];
  // The bank cannot have taken back what was never taken.
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

/** Whether the refund with this call id was booked as made, and has not come back yet. */
export function isRefundOut(operation: Operation, refundId: string, entries: readonly LedgerEntry[]): boolean {
  const movement = refundMovement(operation, refundId);
  return isBooked(entries, operation, movement) && !isBooked(entries, operation, `${movement}:returned`);
}

/** A refund that was made came back: the buyer is owed it again, and an operator finds another way to pay it. */
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

/** What the buyer got back of a payment: by their bank, and by refunds. */
export function amountReturned({ disputes, refunds }: Pick<Operation, 'disputes' | 'refunds'>): string {
  return [
    ...disputes.filter(({ status }) => status === 'withdrawn'),
    ...refunds.filter(({ status }) => status === 'succeeded'),
  ].reduce((sum, { amount }) => decimal.add(sum, amount), '0');
}

interface Booked {
  readonly operation: Operation;
  readonly entries: readonly LedgerEntry[];
  /** What the buyer is owed after these entries. */
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
  // A part that the bank took leaves the purchase completed, as a part that was refunded does.
  return { kind: 'ended', as: isWhole ? 'charged_back' : 'succeeded' };
}

function withDisputes(operation: Operation, changed: readonly Dispute[]): Operation {
  const disputes = operation.disputes.map((one) => changed.find(({ id }) => id === one.id) ?? one);
  return { ...operation, disputes };
}
