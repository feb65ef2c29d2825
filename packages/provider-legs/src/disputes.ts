import { type BankActions, decimal, type Instant, type ReportedDispute } from '@gateramp/core/domain';
import {
  gaveBack,
  isBooked,
  isCapture,
  isDelivery,
  owedBy,
  refundMovement,
  refundReturned,
  symbol,
  withdrawn,
} from './ledger.js';
import { callIdOf, type Ending, isTakenBack, type Operation, type State, type Withdrawal } from './operation.js';
import type { OutsideMovement } from './ports/legs.js';
import type { LedgerEntry, LegsStore } from './ports/legs-store.js';
import { at, type Progress } from './progress.js';

/** The disputes, the outside refunds and the returned refunds of an operation, in the engine's terms. */
export function bankActionsOf({ disputes, refunds }: Pick<Operation, 'disputes' | 'refunds'>): BankActions {
  const reported = disputes.filter(({ kind }) => kind === undefined).map(disputeOf);
  const byHand = disputes.filter(({ kind, isUnseen = false }) => kind === 'refund' && !isUnseen);
  const returned = [
    ...refunds.filter(({ status }) => status === 'returned'),
    ...byHand.filter(({ status }) => status === 'won'),
  ].map(({ id }) => id);
  return {
    ...(reported.length === 0 ? {} : { disputes: reported }),
    ...(byHand.length === 0 ? {} : { outsideRefunds: byHand.map(({ id, amount }) => ({ id, amount })) }),
    ...(returned.length === 0 ? {} : { returnedRefunds: returned }),
  };
}

function disputeOf({ id, amount, status, isLost = false }: Withdrawal): ReportedDispute {
  const taken = isLost ? 'lost' : 'open';
  return { id, amount, status: status === 'won' ? status : taken };
}

/**
 * Adds the movements that the processor reports. Null when all of them are known or out of date. The current call of a running operation is
 * finished before they take effect.
 */
export function withWithdrawals(operation: Operation, movements: readonly OutsideMovement[]): Operation | null {
  const after = movements.reduce((known, movement) => withMovement(known, movement) ?? known, operation);
  return after === operation ? null : after;
}

function withMovement(operation: Operation, movement: OutsideMovement): Operation | null {
  const reported = withdrawalOf(movement);
  if (isOwnRefund(operation, reported)) return null;
  const known = operation.disputes.find(({ id }) => id === reported.id);
  if (known === undefined) {
    const added = reported.kind === 'refund' && reported.status === 'won' ? { ...reported, isUnseen: true } : reported;
    return { ...operation, disputes: [...operation.disputes, added] };
  }
  if (known.status === 'won') return null;
  if (reported.status === 'won') return withDisputes(operation, [{ ...known, status: 'won' }]);
  return reported.isLost === true && known.isLost !== true
    ? withDisputes(operation, [{ ...known, isLost: true }])
    : null;
}

function withdrawalOf(movement: OutsideMovement): Withdrawal {
  const { kind, amount } = movement;
  if (kind === 'charged_back' || kind === 'dispute_won') {
    const lost = kind === 'charged_back' && movement.isLost === true ? { isLost: true } : {};
    return {
      id: movement.disputeId,
      amount,
      status: kind === 'dispute_won' ? 'won' : 'withdrawn',
      settled: null,
      ...lost,
    };
  }
  const status = kind === 'refunded_outside' ? 'withdrawn' : 'won';
  return { id: movement.refundId, kind: 'refund', amount, status, settled: null };
}

/**
 * Whether a call of the operation made the refund. An operation that is about to deliver has made none: one with its call id was made
 * before the database was restored from a backup.
 */
function isOwnRefund(operation: Operation, { id, kind }: Withdrawal): boolean {
  if (kind !== 'refund') return false;
  const { state, refunds } = operation;
  const isBeforeDelivery = state.kind === 'calling' && state.step === 'send';
  return refunds.some((one) => one.id === id) || (id === callIdOf(operation, 'refund') && !isBeforeDelivery);
}

/**
 * Books the withdrawals of an operation in the commit with which it ends or gets stuck. A withdrawal first settles the debt to the buyer;
 * the rest is a loss. A stuck operation without a remaining debt, also in tokens, ends, and one that owes the buyer again gets stuck, so
 * that an operator decides.
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
  const owesTokens = decimal.isPositive(owedBy(entries, symbol(price.destination)));
  const state = restOf(booked, { isDelivered, owesTokens, paid: price.source.amount });
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

/** Withdrawals that are in the second operation and not in the first, while the money is gone. */
export function newWithdrawals(before: Operation, after: Operation): readonly Withdrawal[] {
  return after.disputes.filter(
    ({ id, status }) => status === 'withdrawn' && !before.disputes.some((one) => one.id === id),
  );
}

interface Booked {
  readonly operation: Operation;
  readonly entries: readonly LedgerEntry[];
  /** The debt to the buyer after these entries. */
  readonly owed: string;
}

function isUnbooked({ status, settled }: Withdrawal): boolean {
  return (status === 'withdrawn') === (settled === null);
}

function book({ operation, entries, owed }: Booked, dispute: Withdrawal, now: Instant): Booked {
  if (dispute.status === 'won') {
    const settled = dispute.settled ?? '0';
    return {
      operation: withDisputes(operation, [{ ...dispute, settled: null }]),
      entries: [...entries, gaveBack(operation, { ...dispute, settled }, now)],
      owed: decimal.add(owed, settled),
    };
  }
  const settled = decimal.compare(dispute.amount, owed) <= 0 ? dispute.amount : owed;
  return {
    operation: withDisputes(operation, [{ ...dispute, settled }]),
    entries: [...entries, withdrawn(operation, { ...dispute, settled }, now)],
    owed: decimal.subtract(owed, settled),
  };
}

function restOf(
  { operation, owed }: Booked,
  {
    isDelivered,
    owesTokens,
    paid,
  }: { readonly isDelivered: boolean; readonly owesTokens: boolean; readonly paid: string },
): State {
  const { state } = operation;
  // Such as a delivery of which only a part arrived: an operator finds out where the tokens are.
  if (state.kind === 'stuck' && owesTokens) return state;
  const isWhole = isTakenBack(operation) && decimal.compare(amountReturned(operation), paid) >= 0;
  if (decimal.isPositive(owed))
    return state.kind === 'stuck' ? state : { kind: 'stuck', step: 'refund', reason: owedReason(operation) };
  if (state.kind === 'stuck') return { kind: 'ended', as: isDelivered && !isWhole ? 'succeeded' : endingOf(operation) };
  if (state.kind !== 'ended' || !isDelivered) return state;
  // Like a partial refund, a partial chargeback leaves the purchase completed.
  return { kind: 'ended', as: isWhole ? endingOf(operation) : 'succeeded' };
}

/** The ending of an operation whose payment was taken back. One that had failed already remains failed after a refund. */
function endingOf({ disputes, failure }: Operation): Ending {
  const isRefund = disputes.every(({ kind, status }) => kind === 'refund' || status === 'won');
  if (!isRefund) return 'charged_back';
  return failure === null ? 'refunded' : 'failed';
}

/** Why the buyer of an ended operation is owed money again. */
function owedReason({ disputes }: Operation): string {
  return disputes.some(({ kind, status }) => kind === 'refund' && status === 'won') ? 'refund_returned' : 'dispute_won';
}

function withDisputes(operation: Operation, changed: readonly Withdrawal[]): Operation {
  const disputes = operation.disputes.map((one) => changed.find(({ id }) => id === one.id) ?? one);
  return { ...operation, disputes };
}
