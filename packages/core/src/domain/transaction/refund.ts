import { err, ok, type Result } from 'neverthrow';
import type { Instant } from '../instant.js';
import { add, compare, type Decimal, isPositive, normalise, subtract, toFixedDown } from '../money.js';
import { refuse, type Refusal } from '../refusal.js';
import type { Refund, RefundFailure, Transaction } from './transaction.js';

/** A provider's report of a refund. `failed`: no money has moved, and none will. */
export type RefundOutcome =
  /** Poll again after this delay. */
  | { readonly kind: 'pending'; readonly checkAfterMs: number }
  | { readonly kind: 'succeeded' }
  | { readonly kind: 'failed'; readonly failure: RefundFailure };

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

/** The amount returned to the buyer; null if none. */
export function amountRefunded(transaction: Transaction): Decimal | null {
  if (transaction.status === 'refunded') return transaction.source.amount;
  const succeeded = refundsOf(transaction).filter(({ status }) => status === 'succeeded');
  return succeeded.length === 0 ? null : shown(totalOf(succeeded), transaction);
}

/** Adds a pending refund. Succeeded and pending refunds together never exceed the amount that the buyer paid. */
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

/** The amount that can still be refunded; refused if it is zero. */
function refundable(transaction: Transaction): Result<Decimal, Refusal<'refund_not_possible'>> {
  const { status, source } = transaction;
  if (status !== 'completed' || source.amount === null)
    return refuse('refund_not_possible', `Only a completed transaction can be refunded; this one is ${status}.`);
  const taken = refundsOf(transaction).filter((refund) => refund.status !== 'failed');
  const left = subtract(source.amount, totalOf(taken));
  return isPositive(left)
    ? ok(left)
    : refuse(
        'refund_not_possible',
        'The full amount of this transaction has already been refunded or is being refunded.',
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

function totalOf(refunds: readonly Refund[]): Decimal {
  return refunds.reduce((total, { amount }) => add(total, amount), '0');
}
