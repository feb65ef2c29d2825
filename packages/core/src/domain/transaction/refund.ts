import { err, ok, type Result } from 'neverthrow';
import type { Instant } from '../instant.js';
import { add, compare, type Decimal, isPositive, normalise, subtract, toFixedDown } from '../money.js';
import { refuse, type Refusal } from '../refusal.js';
import {
  type Dispute,
  DISPUTE_STATUSES,
  type Refund,
  type RefundFailure,
  type ReportedDispute,
  type ReportedRefund,
  type Transaction,
} from './transaction.js';

/** A provider's report of a refund. `failed`: no money has moved, and none will. */
export type RefundOutcome =
  /** Poll again after this delay. */
  | { readonly kind: 'pending'; readonly checkAfterMs: number }
  | { readonly kind: 'succeeded' }
  | { readonly kind: 'failed'; readonly failure: RefundFailure };

/** What happened to a payment at the buyer's bank or the processor, as far as the provider knows. The order of reports does not matter. */
export interface BankActions {
  readonly disputes?: readonly ReportedDispute[];
  /** Refunds that succeeded and were not requested here, such as refunds by hand at a payment processor. */
  readonly outsideRefunds?: readonly ReportedRefund[];
  /** Ids of refunds that succeeded and came back. */
  readonly returnedRefunds?: readonly string[];
}

/** A partner's refund request; a null amount refunds the remainder. */
export interface RefundRequest {
  readonly amount: Decimal | null;
  readonly reason: string | null;
}

/** The fields of a new refund; ids are generated beforehand. */
export interface NewRefund extends RefundRequest {
  readonly id: string;
  readonly taskId: string;
  /** Maximum number of fractional digits in the source currency; null if the provider does not state it. */
  readonly decimals: number | null;
  /** Maximum number of refunds per transaction, including failed ones. */
  readonly refundsMax: number;
}

/** A transaction with its new pending refund. */
interface BegunRefund {
  readonly transaction: Transaction;
  readonly refund: Refund;
}

/** Refunds of a transaction, oldest first. Rows of older versions may have none. */
export function refundsOf({ refunds }: Pick<Transaction, 'refunds'>): readonly Refund[] {
  return refunds ?? [];
}

/** Disputes of a transaction, oldest first. Rows of older versions may have none. */
export function disputesOf({ disputes }: Pick<Transaction, 'disputes'>): readonly Dispute[] {
  return disputes ?? [];
}

/** The amount refunded, with refunds that the bank sent back; null if none. */
export function amountRefunded(transaction: Transaction): Decimal | null {
  if (transaction.status === 'refunded') return transaction.source.amount;
  const succeeded = refundsOf(transaction).filter(({ status }) => status === 'succeeded');
  return succeeded.length === 0 ? null : shown(totalOf(succeeded), transaction);
}

/** The amount of refunds that the bank sent back; null if none. The buyer has the refunded amount less this one. */
export function amountReturned(transaction: Transaction): Decimal | null {
  const returned = refundsOf(transaction).filter(({ returnedAt }) => (returnedAt ?? null) !== null);
  return returned.length === 0 ? null : shown(totalOf(returned), transaction);
}

/** Adds a pending refund. Succeeded and pending refunds never exceed what the buyer paid and the bank has not taken back. */
export function beginRefund(
  transaction: Transaction,
  input: NewRefund,
  now: Instant,
): Result<BegunRefund, Refusal<'validation_failed' | 'refund_not_possible' | 'refund_exceeds_amount'>> {
  if (input.amount !== null && input.decimals !== null && decimalsOf(normalise(input.amount)) > input.decimals)
    return tooFine(input.decimals);
  const left = refundable(transaction);
  if (left.isErr()) return err(left.error);
  if (refundsOf(transaction).length >= input.refundsMax)
    return refuse('refund_not_possible', `This transaction already has ${input.refundsMax} refunds.`);
  const amount = shown(input.amount ?? left.value, transaction);
  if (compare(amount, left.value) > 0) {
    const { currency } = transaction.source;
    return refuse(
      'refund_exceeds_amount',
      `At most ${shown(left.value, transaction)} ${currency ?? ''} of this transaction can still be refunded; send a smaller amount.`,
    );
  }
  const { id, taskId, reason } = input;
  const refund: Refund = {
    id,
    amount,
    status: 'pending',
    reason,
    failure: null,
    taskId,
    createdAt: now,
    updatedAt: now,
  };
  return ok({
    transaction: { ...transaction, refunds: [...refundsOf(transaction), refund], updatedAt: now },
    refund,
  });
}

function tooFine(decimals: number) {
  const message = `amount must have at most ${decimals} decimal places in this currency`;
  return refuse('validation_failed', message, [{ field: 'amount', code: 'invalid_format', message }]);
}

/**
 * The amount that can still be refunded; refused if it is zero. A refund that came back keeps its amount reserved: the provider's operator
 * owes it to the buyer and pays it by another way, so a second refund would pay it twice.
 */
function refundable(transaction: Transaction): Result<Decimal, Refusal<'refund_not_possible'>> {
  const { status, source } = transaction;
  if (status !== 'completed' || source.amount === null)
    return refuse('refund_not_possible', `Only a completed transaction can be refunded; this one is ${status}.`);
  const refunded = refundsOf(transaction).filter((refund) => refund.status !== 'failed');
  const disputed = disputesOf(transaction).filter((dispute) => dispute.status !== 'won');
  const left = subtract(subtract(source.amount, totalOf(refunded)), totalOf(disputed));
  return isPositive(left)
    ? ok(left)
    : refuse(
        'refund_not_possible',
        'The full amount of this transaction has already been refunded, is being refunded, or was charged back.',
      );
}

/**
 * Applies the provider's report of a refund; returns the same object when nothing changes, as an ended refund is final. Once the full
 * amount is returned the status becomes `refunded`; a `charged_back` transaction keeps its status.
 */
export function settleRefund(
  transaction: Transaction,
  refundId: string,
  outcome: RefundOutcome,
  now: Instant,
): Transaction {
  const refunds = refundsOf(transaction);
  const refund = refunds.find(({ id }) => id === refundId);
  if (refund?.status !== 'pending' || outcome.kind === 'pending') return transaction;
  const failure = outcome.kind === 'failed' ? outcome.failure : null;
  const ended: Refund = { ...refund, status: outcome.kind, failure, updatedAt: now };
  const next: Transaction = {
    ...transaction,
    refunds: refunds.map((known) => (known === refund ? ended : known)),
    updatedAt: now,
  };
  return isWhollyRefunded(next) ? { ...next, status: 'refunded' } : next;
}

/**
 * Records what happened to a payment at the buyer's bank or the processor; returns the same object when nothing changes. Reports may be
 * late, out of order or repeated: the status of a dispute only moves on, and a refund that came back had succeeded. A refund that failed
 * never reached the bank.
 */
export function withBankActions(
  transaction: Transaction,
  { disputes = [], outsideRefunds = [], returnedRefunds = [] }: BankActions,
  now: Instant,
): Transaction {
  const disputed = disputes.reduce((known, reported) => withDispute(known, reported, now), transaction);
  const refunded = outsideRefunds.reduce((known, reported) => withOutsideRefund(known, reported, now), disputed);
  return returnedRefunds.reduce((known, refundId) => withReturnedRefund(known, refundId, now), refunded);
}

function withOutsideRefund(transaction: Transaction, { id, amount }: ReportedRefund, now: Instant): Transaction {
  const refunds = refundsOf(transaction);
  if (refunds.some((one) => one.id === id)) return transaction;
  const refund: Refund = {
    id,
    amount: shown(amount, transaction),
    status: 'succeeded',
    reason: null,
    failure: null,
    taskId: null,
    createdAt: now,
    updatedAt: now,
  };
  const next: Transaction = { ...transaction, refunds: [...refunds, refund], updatedAt: now };
  return isWhollyRefunded(next) ? { ...next, status: 'refunded' } : next;
}

function withDispute(transaction: Transaction, { id, amount, status }: ReportedDispute, now: Instant): Transaction {
  const disputes = disputesOf(transaction);
  const known = disputes.find((one) => one.id === id);
  if (known === undefined) {
    const added: Dispute = { id, amount: shown(amount, transaction), status, createdAt: now, updatedAt: now };
    return { ...transaction, disputes: [...disputes, added], updatedAt: now };
  }
  if (DISPUTE_STATUSES.indexOf(status) <= DISPUTE_STATUSES.indexOf(known.status)) return transaction;
  const changed: Dispute = { ...known, status, updatedAt: now };
  return { ...transaction, disputes: disputes.map((one) => (one === known ? changed : one)), updatedAt: now };
}

function withReturnedRefund(transaction: Transaction, refundId: string, now: Instant): Transaction {
  const settled = settleRefund(transaction, refundId, { kind: 'succeeded' }, now);
  const refunds = refundsOf(settled);
  const refund = refunds.find(({ id }) => id === refundId);
  if (refund?.status !== 'succeeded' || (refund.returnedAt ?? null) !== null) return settled;
  const returned: Refund = { ...refund, returnedAt: now, updatedAt: now };
  return { ...settled, refunds: refunds.map((one) => (one === refund ? returned : one)), updatedAt: now };
}

function isWhollyRefunded(transaction: Transaction): boolean {
  const { status, source } = transaction;
  const returned = amountRefunded(transaction);
  return status === 'completed' && returned !== null && source.amount !== null && compare(returned, source.amount) >= 0;
}

/** Formats the amount with at least as many decimals as the paid amount, so that `5` of `101.50` is `5.00`. */
function shown(amount: Decimal, { source }: Transaction): Decimal {
  return toFixedDown(amount, Math.max(decimalsOf(normalise(amount)), decimalsOf(source.amount ?? '0')));
}

function decimalsOf(amount: Decimal): number {
  return amount.split('.')[1]?.length ?? 0;
}

function totalOf(amounts: readonly { readonly amount: Decimal }[]): Decimal {
  return amounts.reduce((total, { amount }) => add(total, amount), '0');
}
