import { decimal, type Failure, type Instant } from '@gateramp/core/domain';
import { honoured, priceTerms } from './deposit-price.js';
import { isRequested, returnsOf, type ReturnedPart } from './deposit-return.js';
import { BLOCKED, NOT_ENOUGH, NOT_RECEIVED } from './failures.js';
import { deposited, depositKey, returned, RETURNED_IN_PART } from './ledger.js';
import { calling, callIdOf, type DepositReturn, type Operation } from './operation.js';
import { onChainOf } from './on-chain.js';
import type { Deposit, LegCall } from './ports/legs.js';
import { ask, at, LOOK_SOON, next, stuck, undo, wait, type CallContext, type Legs, type Progress } from './progress.js';

/** How long a buyer has for a deposit. */
export const DEPOSIT_WITHIN_MS = 30 * 60_000;

/** Starts the return of late deposits to an ended operation. Null without new deposits. */
export async function returnLateDeposits(legs: Legs, operation: Operation, now: Instant): Promise<Progress | null> {
  const { price } = operation;
  if (price === null || price.source.network === null || operation.state.kind !== 'ended') return null;
  const call: LegCall = { callId: callIdOf(operation, 'return'), mode: operation.mode, now };
  const context: CallContext = { legs, operation, price, call, details: null, now };
  const late = confirmedOf(await depositsOf(context)).filter((deposit) => isNew(operation, deposit));
  if (late.length === 0) return null;
  const returns = [...operation.returns, ...(await returnsOf(context, late.map(whole)))];
  return {
    operation: { ...credit(at(operation, calling('return'), now), late), returns, endsAs: operation.state.as },
    entries: late.map((deposit) => deposited(operation, deposit, now)),
    waitMs: null,
  };
}

/** Evaluates the deposits: enough, too little at the deadline, waiting for confirmations, or none yet. */
export async function depositProgress(context: CallContext): Promise<Progress> {
  const { operation, price, now } = context;
  const deposits = await depositsOf(context);
  const news = confirmedOf(deposits).filter((deposit) => isNew(operation, deposit));
  const inTime = news.filter((deposit) => isRequested(price, deposit) && deposit.at <= depositDeadline(operation));
  const total = inTime.reduce((sum, { amount }) => decimal.add(sum, amount), '0');
  const isEnough = decimal.compare(total, price.source.amount) >= 0;
  if (isEnough) {
    const decision = await honoured(context, inTime);
    if (decision === 'honoured')
      return depositAccepted(context, news, inTime, decimal.subtract(total, price.source.amount));
    return decision === 'moved' ? depositRefused(context, news, NOT_ENOUGH.priceMoved) : decision;
  }
  const underWay = deposits.find(({ seen, required }) => seen < required);
  if (underWay !== undefined) {
    const onChain = onChainOf(context, underWay.network, underWay);
    return wait({ ...context, operation: { ...operation, onChain } }, LOOK_SOON);
  }
  if (now <= depositDeadline(operation)) return askForDeposit(context);
  if (news.length === 0) return undo(context, NOT_RECEIVED);
  const failure = notEnough(
    news.some((deposit) => isRequested(price, deposit)),
    inTime.length > 0,
  );
  return depositRefused(context, news, failure);
}

/** Fails the operation, and returns its deposits. */
async function depositRefused(context: CallContext, news: readonly Deposit[], failure: Failure): Promise<Progress> {
  const { operation, now } = context;
  const returns = await returnsOf(context, news.map(whole));
  const undone = undo({ ...context, operation: { ...credit(operation, news), returns } }, failure);
  return { ...undone, entries: news.map((deposit) => deposited(operation, deposit, now)) };
}

function notEnough(isOfAsset: boolean, isInTime: boolean): Failure {
  if (!isOfAsset) return NOT_ENOUGH.wrongAsset;
  return isInTime ? NOT_ENOUGH.short : NOT_ENOUGH.late;
}

/** Accepts deposits that are enough and in time. A surplus, other tokens and late deposits are returned at the end. */
async function depositAccepted(
  context: CallContext,
  news: readonly Deposit[],
  inTime: readonly Deposit[],
  surplus: string,
): Promise<Progress> {
  const { operation, now } = context;
  const last = inTime.at(-1);
  const accepted = new Set(inTime);
  const returns = await returnsOf(context, [
    ...(last !== undefined && decimal.isPositive(surplus) ? [{ deposit: last, amount: surplus }] : []),
    ...news.filter((deposit) => !accepted.has(deposit)).map(whole),
  ]);
  const onChain = last === undefined ? operation.onChain : onChainOf(context, last.network, last);
  const following = { ...context, operation: { ...credit(operation, news), onChain, returns } };
  return next(
    following,
    'deposit',
    news.map((deposit) => deposited(operation, deposit, now)),
  );
}

async function askForDeposit(context: CallContext): Promise<Progress> {
  const { legs, operation, price } = context;
  const order = onNetwork(context);
  const { address, memo } = await legs.chain.depositAddress(order);
  const { amount, currency: asset } = price.source;
  const expiresAt = depositDeadline(operation);
  const terms = { ...priceTerms(context), expiresAt };
  const action = { type: 'crypto_deposit', address, memo, network: order.network, asset, amount, ...terms } as const;
  return ask(context, 'deposit', action);
}

/** The call for the deposits of an operation. All steps use the same call id for it. */
export function onNetwork({ operation, price, call }: CallContext): LegCall & { readonly network: string } {
  return { ...call, callId: callIdOf(operation, 'deposit'), network: price.source.network ?? '' };
}

/** The deposits of the operation, without zero-value transfers, which anyone can make. */
async function depositsOf(context: CallContext): Promise<readonly Deposit[]> {
  const deposits = await context.legs.chain.deposits(onNetwork(context));
  return deposits.filter(({ amount }) => decimal.isPositive(amount));
}

const whole = (deposit: Deposit): ReturnedPart => ({ deposit, amount: deposit.amount });

function depositDeadline({ createdAt }: Operation): Instant {
  return createdAt + DEPOSIT_WITHIN_MS;
}

/** The deposits with enough confirmations. */
export function confirmedOf(deposits: readonly Deposit[]): readonly Deposit[] {
  return deposits.filter(({ seen, required }) => seen >= required);
}

/** Whether the operation has not booked the deposit. */
export function isNew(operation: Operation, deposit: Deposit): boolean {
  return !operation.credited.includes(depositKey(deposit));
}

/** Screens the refund address and sends the next due return. Null when none is left. */
export async function returnNext(context: CallContext): Promise<Progress | null> {
  const { legs, operation, call } = context;
  const index = operation.returns.findIndex(({ status, isBooked }) => status === 'due' || !isBooked);
  const due = operation.returns[index];
  if (due === undefined) return null;
  if (due.status === 'kept') return returnBooked(context, index, due);
  const { asset, network, amount, to = operation.refundAddress ?? '' } = due;
  const callId = `${operation.operationId}-return_${index}`;
  if (!due.isCleared) return screenReturn(context, index, due);
  const result = await legs.chain.send({ ...call, callId, asset, network, amount, to, since: operation.createdAt });
  if (result.kind === 'refused') return stuck(context, result.failure.code);
  // The buyer of a failed payment now waits for the return, so it is shown. The return of a surplus does not hide the delivery.
  const following =
    operation.failure === null
      ? context
      : { ...context, operation: { ...operation, onChain: onChainOf(context, network, result) } };
  if (result.kind === 'sending' && result.problem !== undefined) return stuck(following, RETURNED_IN_PART);
  if (result.kind === 'sending') return wait(following, { kind: 'pending', checkAfterMs: result.checkAfterMs });
  return returnBooked(following, index, { ...due, status: 'returned' });
}

/**
 * Screens the refund address again: the screening before the deposit may be weeks old. Tokens for an address that has been blocked since
 * then wait for an operator.
 */
async function screenReturn(context: CallContext, index: number, due: DepositReturn): Promise<Progress> {
  const { legs, operation, call } = context;
  const { asset, network, amount, to: address = operation.refundAddress ?? '' } = due;
  const callId = `${operation.operationId}-screen_return_${index}`;
  const order = { ...call, callId, moment: 'before_send', address, asset, network, amount } as const;
  const result = legs.screening === null ? CLEAR : await legs.screening.screen(order);
  if (result.kind === 'pending') return wait(context, result);
  if (result.kind === 'blocked') return stuck(context, BLOCKED.code);
  const returns = operation.returns.with(index, { ...due, isCleared: true });
  return { operation: { ...operation, returns }, entries: [], waitMs: null };
}

const CLEAR = { kind: 'clear' } as const;

function returnBooked({ operation, now }: CallContext, index: number, done: DepositReturn): Progress {
  const returns = operation.returns.with(index, { ...done, isBooked: true });
  return { operation: { ...operation, returns }, entries: [returned(operation, done, now)], waitMs: null };
}

/** The operation with these deposits booked. */
export function credit(operation: Operation, deposits: readonly Deposit[]): Operation {
  return { ...operation, credited: [...operation.credited, ...deposits.map(depositKey)] };
}
