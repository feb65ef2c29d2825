import type { Failure, Instant, NextAction } from '@gateramp/core/domain';
import type { PaymentDetails, PayoutDetails } from '@gateramp/core/ports';
import { acceptedReturn } from './deposit-return.js';
import { unconverted } from './ledger.js';
import {
  afterStep,
  calling,
  isChargedBack,
  isPast,
  type ForwardStep,
  type IsIdle,
  type Operation,
  type State,
  type UndoStep,
} from './operation.js';
import type { LedgerEntry } from './ports/legs-store.js';
import type { IdentityLeg, LegCall, LegPending, ScreeningLeg } from './ports/legs.js';
import type { Price } from './price.js';
import type { MarketLegs } from './route.js';

/** Every leg of a provider. */
export interface Legs extends MarketLegs {
  readonly screening: ScreeningLeg | null;
  readonly identity: IdentityLeg | null;
}

/** What passes through the request that starts an operation, and is stored nowhere. */
export interface Details {
  readonly paymentDetails: PaymentDetails | null;
  readonly payoutDetails: PayoutDetails | null;
  readonly returnUrl: string | null;
}

/**
 * What one call led to: the next state, the money it moved, and when to look again. A null wait means at once while a call is due, and
 * never for what waits for the buyer or has ended.
 */
export interface Progress {
  readonly operation: Operation;
  readonly entries: readonly LedgerEntry[];
  readonly waitMs: number | null;
}

/** What one call is made with. */
export interface CallContext {
  readonly legs: Legs;
  readonly operation: Operation;
  readonly price: Price;
  readonly call: LegCall;
  readonly details: Details | null;
  readonly now: Instant;
}

/** When to look again at what comes from outside: a deposit, a transfer, a buyer at their bank's page. */
export const LOOK_SOON: LegPending = { kind: 'pending', checkAfterMs: 5_000 };

/** Without a screening or an identity leg, or where the buyer is verified already, their steps are passed over. */
export function idleSteps({ screening, identity }: Legs, { isVerified }: Pick<Operation, 'isVerified'>): IsIdle {
  return (step) =>
    step === 'identify'
      ? identity === null || isVerified
      : screening === null && (step === 'screen' || step === 'clear' || step === 'rescreen');
}

/** The step is done: the next one begins in the commit that records it. */
export function next(
  { legs, operation, price, now }: CallContext,
  step: ForwardStep,
  entries: readonly LedgerEntry[] = [],
): Progress {
  const following = at(operation, afterStep(operation, step, idleSteps(legs, operation)), now);
  const isDelivered = following.state.kind === 'ended';
  if (isDelivered || !isChargedBack(operation) || !isPast(following, 'capture'))
    return { operation: following, entries, waitMs: null };
  const stopped = stopChargedBack(following, price, now);
  return { ...stopped, entries: [...entries, ...stopped.entries] };
}

/**
 * The buyer's bank has money of the payment: nothing is delivered. The commit that books what the bank took ends the operation, unless a
 * part is owed that the bank has not taken: about that an operator decides.
 */
export function stopChargedBack(operation: Operation, price: Price, now: Instant): Progress {
  return {
    operation: at(operation, { kind: 'stuck', step: 'refund', reason: 'charged_back' }, now),
    entries: isPast(operation, 'convert') ? [unconverted(operation, price, now)] : [],
    waitMs: null,
  };
}

/** Begins to undo what was done, which ends as `failed` with that failure. */
export function undo({ operation, price, now }: CallContext, failure: Failure): Progress {
  return undoing({ ...operation, failure }, price, now);
}

/** Undoes an operation from wherever it is: nothing, an authorization, a payment, or deposits. */
export function undoing(operation: Operation, price: Price, now: Instant): Progress {
  if (isChargedBack(operation) && isPast(operation, 'capture')) return stopChargedBack(operation, price, now);
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

/** The buyer has to act. The leg is asked again meanwhile where that may change something. */
export function ask({ operation, now }: CallContext, step: ForwardStep, action: NextAction): Progress {
  const waitMs = action.type === 'payment_authentication' || action.type === 'kyc' ? null : LOOK_SOON.checkAfterMs;
  return { operation: at(operation, { kind: 'awaiting', step, action }, now), entries: [], waitMs };
}

/** The same call again, after a while: its result is on the way. */
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
  return { ...operation, state, updatedAt: now };
}
