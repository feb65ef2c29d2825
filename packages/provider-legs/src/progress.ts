import type { Failure, Instant, NextAction } from '@gateramp/core/domain';
import type { PaymentDetails, PayoutDetails } from '@gateramp/core/ports';
import { acceptedReturn } from './deposit-return.js';
import { unconverted } from './ledger.js';
import {
  afterStep,
  calling,
  isPast,
  isTakenBack,
  type ForwardStep,
  type IsIdle,
  type Operation,
  type State,
  type UndoStep,
} from './operation.js';
import type { LedgerEntry } from './ports/legs-store.js';
import type { IdentityLeg, LegCall, LegPending, ScreeningLeg } from './ports/legs.js';
import type { Price } from './price.js';
import type { DepositPrice, MarketLegs } from './route.js';

/** All legs of a provider. Operations skip the steps of an absent screening or identity leg. */
export interface Legs extends MarketLegs {
  readonly screening: ScreeningLeg | null;
  readonly identity: IdentityLeg | null;
  /** 10 minutes and 50 basis points by default. */
  readonly depositPrice?: DepositPrice;
}

/** Details of the request that starts an operation. They pass through and are stored nowhere. */
export interface Details {
  readonly paymentDetails: PaymentDetails | null;
  readonly payoutDetails: PayoutDetails | null;
  readonly returnUrl: string | null;
}

/**
 * The result of one call: the next state, the ledger entries, and the wait before the next check. A null wait means at once for an
 * operation with a call to make, and never for one that waits for the buyer or has ended.
 */
export interface Progress {
  readonly operation: Operation;
  readonly entries: readonly LedgerEntry[];
  readonly waitMs: number | null;
}

/** The input of one call. */
export interface CallContext {
  readonly legs: Legs;
  readonly operation: Operation;
  readonly price: Price;
  readonly call: LegCall;
  readonly details: Details | null;
  readonly now: Instant;
}

/** The wait between checks for an external event: a deposit, a transfer, or a buyer on their bank's page. */
export const LOOK_SOON: LegPending = { kind: 'pending', checkAfterMs: 5_000 };

/** The steps to skip: those of an absent screening or identity leg, and the identity check of a verified buyer. */
export function idleSteps({ screening, identity }: Legs, { isVerified }: Pick<Operation, 'isVerified'>): IsIdle {
  return (step) =>
    step === 'identify'
      ? identity === null || isVerified
      : screening === null && (step === 'screen' || step === 'clear' || step === 'rescreen');
}

/** Completes a step. The next one starts in the commit that records this. */
export function next(
  { legs, operation, price, now }: CallContext,
  step: ForwardStep,
  entries: readonly LedgerEntry[] = [],
): Progress {
  const following = at(operation, afterStep(operation, step, idleSteps(legs, operation)), now);
  const isDelivered = following.state.kind === 'ended';
  if (isDelivered || !isTakenBack(operation) || !isPast(following, 'capture'))
    return { operation: following, entries, waitMs: null };
  const stopped = stopTakenBack(following, price, now);
  return { ...stopped, entries: [...entries, ...stopped.entries] };
}

/**
 * Stops the operation of a payment that was taken back, so that nothing is delivered. The commit that books the withdrawal ends the
 * operation, unless the buyer is still owed a part that was not taken back: then an operator decides.
 */
export function stopTakenBack(operation: Operation, price: Price, now: Instant): Progress {
  const isRefund = operation.disputes.every(({ kind }) => kind === 'refund');
  const reason = isRefund ? 'refunded_outside' : 'charged_back';
  return {
    operation: at(operation, { kind: 'stuck', step: 'refund', reason }, now),
    entries: isPast(operation, 'convert') ? [unconverted(operation, price, now)] : [],
    waitMs: null,
  };
}

/** Starts to undo the operation, which ends as `failed` with this failure. */
export function undo({ operation, price, now }: CallContext, failure: Failure): Progress {
  return undoing({ ...operation, failure }, price, now);
}

/** Starts to undo an operation in any state. Depending on it, an authorization, a payment, deposits or nothing is undone. */
export function undoing(operation: Operation, price: Price, now: Instant): Progress {
  if (isTakenBack(operation) && isPast(operation, 'capture')) return stopTakenBack(operation, price, now);
  const isConverted = isPast(operation, 'convert');
  const entries = isConverted ? [unconverted(operation, price, now)] : [];
  const step = undoStep(operation);
  const state: State = step === null ? { kind: 'ended', as: operation.endsAs } : calling(step);
  const returns = isPast(operation, 'deposit') ? [...operation.returns, acceptedReturn(price)] : operation.returns;
  return { operation: { ...at(operation, state, now), returns }, entries, waitMs: null };
}

function undoStep(operation: Operation): UndoStep | null {
  if (operation.flow !== 'on_ramp')
    return isPast(operation, 'deposit') || operation.credited.length > 0 ? 'return' : null;
  if (isPast(operation, 'capture')) return 'refund';
  const { state } = operation;
  const hasAuthorized = isPast(operation, 'screen') || (state.kind !== 'ended' && state.step === 'authorize');
  return hasAuthorized ? 'void' : null;
}

/** Waits for an action of the buyer. Actions that may complete without an answer from the buyer are checked meanwhile. */
export function ask({ operation, now }: CallContext, step: ForwardStep, action: NextAction): Progress {
  const waitMs = action.type === 'payment_authentication' || action.type === 'kyc' ? null : LOOK_SOON.checkAfterMs;
  return { operation: at(operation, { kind: 'awaiting', step, action }, now), entries: [], waitMs };
}

/** Repeats the same call after the wait of its pending result. */
export function wait({ operation, now }: CallContext, { checkAfterMs }: LegPending): Progress {
  const { state } = operation;
  const step = state.kind === 'ended' ? 'return' : state.step;
  return { operation: at(operation, calling(step), now), entries: [], waitMs: checkAfterMs };
}

export function stuck({ operation, now }: CallContext, reason: string): Progress {
  const { state } = operation;
  const step = state.kind === 'ended' ? 'return' : state.step;
  return { operation: at(operation, { kind: 'stuck', step, reason }, now), entries: [], waitMs: null };
}

export function end({ operation, now }: Pick<CallContext, 'operation' | 'now'>): Progress {
  return { operation: at(operation, { kind: 'ended', as: operation.endsAs }, now), entries: [], waitMs: null };
}

export function at(operation: Operation, state: State, now: Instant): Operation {
  return { ...operation, state, tries: 0, updatedAt: now };
}
