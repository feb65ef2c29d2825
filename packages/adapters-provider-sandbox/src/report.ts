import type { Failure, Instant, Outcome } from '@gateramp/core/domain';
import { answerOf } from './answer.js';
import { isFull, withDispute, withReturnedRefund } from './disputes.js';
import { succeededAt } from './ending.js';
import { inOrder, isExpected, reviewed, withEnding, withoutMoney, type SandboxOperation } from './operation.js';

export type ReportedOutcome = Extract<
  Outcome,
  { kind: 'processing' | 'succeeded' | 'failed' | 'refunded' | 'charged_back' | 'dispute_won' | 'refund_returned' }
>;

/**
 * Applies a provider update by rank, so that a late update cannot undo a settlement, and money that arrives after a cancel is still
 * recorded. An update of a lower or equal rank changes nothing.
 */
export function report(known: SandboxOperation, update: ReportedOutcome, at: Instant): SandboxOperation {
  const now = inOrder(known, at);
  const before = reviewed(known, now);
  const present = answerOf(before, now)?.outcome.kind ?? null;
  const operation = present === null || RANKS[present] < RANKS.succeeded ? before : withBankAction(before, update, now);
  if (present === null || RANKS[update.kind] <= RANKS[present] || isPartial(operation, update)) return operation;
  const { state, plan } = operation;
  const since = state.step === 'moving' ? Math.min(state.since, now) : now;
  switch (update.kind) {
    case 'dispute_won':
    case 'refund_returned':
      return operation;
    case 'processing':
      return withEnding(operation, since, null, now);
    case 'succeeded':
      return withEnding(operation, since, succeededAt(plan, now), now);
    case 'failed':
      return fail(operation, update.failure, since, now);
    case 'refunded':
    case 'charged_back': {
      const settledAt =
        state.step === 'moving' && state.ending !== null && state.ending.failure === null ? state.ending.at : now;
      const ending = { at: Math.min(settledAt, now), failure: null, returned: { kind: update.kind, at: now } };
      return withEnding(operation, since, ending, now);
    }
  }
}

/** Records what the buyer's bank does with a payment that has settled. */
function withBankAction(operation: SandboxOperation, update: ReportedOutcome, now: Instant): SandboxOperation {
  switch (update.kind) {
    case 'charged_back': {
      const { dispute } = update;
      if (dispute === undefined) return operation;
      return withDispute(operation, { ...dispute, isWon: false, isRest: isFull(operation, dispute.amount) }, now);
    }
    case 'dispute_won':
      return withDispute(operation, { ...update.dispute, isWon: true, isRest: false }, now);
    case 'refund_returned':
      return withReturnedRefund(operation, update.refundId, now);
    default:
      return operation;
  }
}

function isPartial(operation: SandboxOperation, update: ReportedOutcome): boolean {
  return update.kind === 'charged_back' && update.dispute !== undefined && !isFull(operation, update.dispute.amount);
}

function fail(operation: SandboxOperation, failure: Failure, since: Instant, now: Instant): SandboxOperation {
  const { state } = operation;
  return state.step === 'moving' && !isExpected(state, now)
    ? withEnding(operation, since, { at: now, failure, returned: null }, now)
    : withoutMoney(operation, { step: 'failed', failure }, now);
}

const RANKS: Readonly<Record<Outcome['kind'], number>> = {
  // These leave the status.
  dispute_won: 0,
  refund_returned: 0,
  requires_action: 0,
  processing: 1,
  failed: 2,
  cancelled: 2,
  succeeded: 3,
  refunded: 4,
  charged_back: 5,
};
