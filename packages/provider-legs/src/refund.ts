import { decimal, type Instant, type RefundFailure, type RefundOutcome } from '@gateramp/core/domain';
import type { RefundLookup, RefundOrder } from '@gateramp/core/ports';
import { amountReturned } from './disputes.js';
import { attempt, commit, dueAfter, LEASE_MS, loadOperation, WRITES_MAX, type Drive, type Loaded } from './drive.js';
import { refunded } from './ledger.js';
import { callIdOf, type Operation, type PartnerRefund } from './operation.js';
import type { LegsStore } from './ports/legs-store.js';

const CHECK_MS = 5_000;

/** Starts a refund of a delivered purchase, or returns the state of the one with this id. The refund is a loss of the house. */
export async function refundOperation(context: Drive, order: RefundOrder): Promise<RefundOutcome> {
  for (let write = 0; write < WRITES_MAX; write += 1) {
    const at = await loadOperation(context.store, order.mode, order.operationId);
    if (at === null) return refused(failureOf('error', 'This payment is not known here.'));
    const known = refundOf(at.operation, order.refundId);
    if (known !== null && known.status !== 'pending') return outcomeOf(known);
    const begun = known === null ? await begin(context, at, order) : at;
    if (begun === null) continue;
    if ('kind' in begun) return begun;
    const done = await callFiat(context, begun, order.refundId, order.now);
    return outcomeOf(refundOf(done.operation, order.refundId) ?? { status: 'pending', failure: null });
  }
  throw new Error('Other changes of this operation came first; try again.');
}

/** The state of the refund with this id; null when it was never started. Changes nothing. */
export async function lookupRefund(
  store: LegsStore,
  { mode, operationId, refundId }: RefundLookup,
): Promise<RefundOutcome | null> {
  const at = await loadOperation(store, mode, operationId);
  const refund = at === null ? null : refundOf(at.operation, refundId);
  return refund === null ? null : outcomeOf(refund);
}

/** Continues the next pending refund of a claimed operation. */
export async function workOnRefund(context: Drive, claimed: Loaded, now: Instant): Promise<void> {
  const pending = claimed.operation.refunds.find(({ status }) => status === 'pending');
  if (pending !== undefined) await callFiat(context, claimed, pending.id, now);
}

/** Null if another change came first. A refused refund of a payment that has ended is recorded too, so that it keeps its result. */
async function begin({ store }: Drive, at: Loaded, order: RefundOrder): Promise<Loaded | RefundOutcome | null> {
  const { operation } = at;
  const refusal = whyNot(operation, order);
  if (refusal !== null && operation.state.kind !== 'ended') return refused(refusal);
  const status = refusal === null ? 'pending' : 'failed';
  const refund: PartnerRefund = { id: order.refundId, amount: order.amount, status, failure: refusal };
  const next = { ...operation, refunds: [...operation.refunds, refund], updatedAt: order.now };
  const dueAt = refusal === null ? order.now + LEASE_MS : at.dueAt;
  const begun = await commit(store, at, { operation: next, dueAt });
  return begun === null || refusal === null ? begun : refused(refusal);
}

function whyNot(operation: Operation, { amount, currency }: RefundOrder): RefundFailure | null {
  const { state, flow, price, refunds } = operation;
  if (state.kind !== 'ended' || state.as !== 'succeeded' || flow !== 'on_ramp' || price === null)
    return failureOf('error', 'Only a completed purchase can be refunded.');
  if (currency !== price.source.currency)
    return failureOf('error', `This purchase was paid in ${price.source.currency}.`);
  const total = refunds
    .filter(({ status }) => status === 'pending' || status === 'returned')
    .reduce((sum, one) => decimal.add(sum, one.amount), decimal.add(amount, amountReturned(operation)));
  if (decimal.compare(total, price.source.amount) > 0)
    return failureOf('error', 'Refunds cannot exceed what was paid.');
  return null;
}

async function callFiat(context: Drive, at: Loaded, refundId: string, now: Instant): Promise<Loaded> {
  const { legs, store } = context;
  const operation: Operation = { ...at.operation, tries: 0 };
  const { price, mode } = operation;
  const refund = refundOf(operation, refundId);
  if (refund === null || price === null) throw new Error('The refund is not part of this operation.');
  const { currency } = price.source;
  const { amount } = refund;
  const authorizationId = callIdOf(operation, 'authorize');
  const order = { callId: refundId, mode, now, authorizationId, amount, currency };
  const result = await attempt(context, at, 'refund', now, () => legs.fiat.refund(order));
  if (result.kind === 'pending')
    return (await commit(store, at, { operation, dueAt: now + result.checkAfterMs })) ?? at;
  const status = result.kind === 'refunded' ? 'succeeded' : 'failed';
  const ended: PartnerRefund = { ...refund, status, failure: result.kind === 'failed' ? result.failure : null };
  const refunds = operation.refunds.map((one) => (one.id === refundId ? ended : one));
  const entries = status === 'succeeded' ? [refunded(operation, refundId, amount, now)] : [];
  const next = { ...operation, refunds, updatedAt: now };
  return (await commit(store, at, { operation: next, entries, dueAt: dueAfter(next, null, now) })) ?? at;
}

function refundOf({ refunds }: Operation, id: string): PartnerRefund | null {
  return refunds.find((refund) => refund.id === id) ?? null;
}

function outcomeOf({ status, failure }: Pick<PartnerRefund, 'status' | 'failure'>): RefundOutcome {
  if (status === 'pending') return { kind: 'pending', checkAfterMs: CHECK_MS };
  // A refund that the bank sent back is still owed to the buyer, and is paid in another way.
  if (status === 'succeeded' || status === 'returned') return { kind: 'succeeded' };
  return { kind: 'failed', failure: failure ?? failureOf('error', 'The refund was refused.') };
}

function refused(failure: RefundFailure): RefundOutcome {
  return { kind: 'failed', failure };
}

const failureOf = (code: string, message: string): RefundFailure => ({ code, message, retryable: false });
