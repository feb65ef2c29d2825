import type { Failure, Flow, Instant, Mode, NextAction, PaymentMethod, RefundFailure } from '@gateramp/core/domain';
import type { LegDocument } from './ports/legs-store.js';
import type { Price } from './price.js';

/**
 * The calls of an operation, by flow, in order. Each is repeated with the same call id until its result is known. The commit that
 * records the result also starts the next call.
 *
 *   on_ramp   reserve → screen → authorize → identify → clear → capture → convert → rescreen → send
 *   off_ramp  register_payee → screen → identify → clear → deposit → convert → pay_out → surplus
 *   swap      reserve → screen → identify → clear → deposit → convert → rescreen → send → surplus
 *
 * `reserve` sets the tokens of the delivery aside, so that no buyer pays for what cannot be delivered. An operation that can no longer
 * deliver them gives them back (`mustRelease`).
 *
 * When a call fails, the earlier ones are undone: `void` before money was taken, `refund` afterwards, `return` for deposits. An operation
 * that cannot be undone is `stuck` until an operator decides.
 */
export const STEPS: Readonly<Record<Flow, readonly ForwardStep[]>> = {
  on_ramp: ['reserve', 'screen', 'authorize', 'identify', 'clear', 'capture', 'convert', 'rescreen', 'send'],
  off_ramp: ['register_payee', 'screen', 'identify', 'clear', 'deposit', 'convert', 'pay_out', 'surplus'],
  swap: ['reserve', 'screen', 'identify', 'clear', 'deposit', 'convert', 'rescreen', 'send', 'surplus'],
};

/** A call on the way to a delivery. */
export type ForwardStep =
  | 'reserve'
  | 'screen'
  | 'register_payee'
  | 'authorize'
  | 'identify'
  | 'clear'
  | 'capture'
  | 'deposit'
  | 'convert'
  | 'rescreen'
  | 'send'
  | 'pay_out'
  /** Returns what was deposited in excess of the requested amount. */
  | 'surplus';

/** A call that undoes earlier ones. */
export type UndoStep = 'void' | 'refund' | 'return';

/** Any call of an operation. */
export type Step = ForwardStep | UndoStep;

/** The final result of an operation. */
export type Ending = 'succeeded' | 'failed' | 'cancelled' | 'refunded' | 'charged_back';

/** The state of an operation. */
export type State =
  /** The call is due, or due again. */
  | { readonly kind: 'calling'; readonly step: Step }
  /** The leg waits for the buyer. */
  | { readonly kind: 'awaiting'; readonly step: ForwardStep; readonly action: NextAction }
  /** The step can be neither completed nor undone: an operator decides. */
  | { readonly kind: 'stuck'; readonly step: Step; readonly reason: string }
  | { readonly kind: 'ended'; readonly as: Ending };

/** One operation as it is stored. Contains no card, account or personal data. */
export interface Operation {
  readonly operationId: string;
  readonly mode: Mode;
  readonly partnerId: string;
  readonly flow: Flow;
  readonly method: PaymentMethod;
  readonly countryCode: string | null;
  readonly walletAddress: string | null;
  readonly refundAddress: string | null;
  /** Null for an operation that was cancelled before it started. */
  readonly price: Price | null;
  /** No identity check is needed: the partner has verified the buyer, or there is no identity leg. */
  readonly isVerified: boolean;
  readonly state: State;
  /** Consecutive calls with an unknown result, whatever the state; 0 after a result. */
  readonly tries: number;
  /** Why the operation is being undone, and the failure that it ends with; null while it goes forward. */
  readonly failure: Failure | null;
  /** The ending once nothing is left to undo or return. */
  readonly endsAs: Ending;
  /** Money that left the payment without a call: disputes, and refunds made at the processor. Oldest first. */
  readonly disputes: readonly Withdrawal[];
  /** The decision with which an operator ended it; null without one. */
  readonly resolution: Resolution | null;
  /** The on-chain transaction that the buyer waits for: first their deposit, then the delivery. */
  readonly onChain: OnChain | null;
  /** The keys (`depositKey`) of the deposits that are in the ledger. */
  readonly credited: readonly string[];
  /** Returns of deposits to the refund address, oldest first. */
  readonly returns: readonly DepositReturn[];
  /** Refunds that the partner requested after the delivery, oldest first. */
  readonly refunds: readonly PartnerRefund[];
  /** The chain leg may hold tokens for the delivery. Absent in operations of earlier versions. */
  readonly isReserved?: boolean;
  /** The currency of the prices. Absent in operations of earlier versions. */
  readonly currency?: string;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

/** An operator's decision about a stuck operation. */
export interface Resolution {
  readonly as: 'delivered' | 'refunded' | 'failed';
  readonly reason: string;
  readonly at: Instant;
}

/** Money of a payment that was taken back by the buyer's bank or by hand at the processor, and may have been returned since. */
export interface Withdrawal {
  readonly id: string;
  /** `refund`: made at the processor, and not by a call. A chargeback where it is absent. */
  readonly kind?: 'refund';
  /** In the currency of the payment. */
  readonly amount: string;
  /** `won`: the bank returned a chargeback, or a refund failed. */
  readonly status: 'withdrawn' | 'won';
  /** The dispute ended in favour of the bank. Absent until then. */
  readonly isLost?: boolean;
  /** A refund that had failed before it was first reported. */
  readonly isUnseen?: boolean;
  /** The part that settled a debt to the buyer (the rest is a loss); null while the withdrawal is not booked. */
  readonly settled: string | null;
}

/** A refund of a delivered purchase, whole or in part. */
export interface PartnerRefund {
  /** The call id of the refund, on which the fiat leg is idempotent. */
  readonly id: string;
  readonly amount: string;
  /** `returned`: the refund succeeded and the bank sent it back, so the buyer is owed it again. */
  readonly status: 'pending' | 'succeeded' | 'failed' | 'returned';
  readonly failure: RefundFailure | null;
}

/** An on-chain transaction and its confirmations. */
export interface OnChain {
  readonly hash: string | null;
  /** Its page in a block explorer; null without an explorer. */
  readonly url: string | null;
  readonly seen: number;
  readonly required: number;
}

/** A return of tokens to the refund address. */
export interface DepositReturn {
  /** The key of the deposit, or of the first of several of one token, or `accepted` for the amount that was accepted for the exchange. */
  readonly deposit: string;
  readonly asset: string;
  readonly network: string;
  /** The address to which an operator returns it; the refund address of the operation by default. */
  readonly to?: string;
  /** The returned amount, after deduction of the network fee. */
  readonly amount: string;
  readonly fee: string;
  /** `kept`: sending it back would cost more than it is worth. */
  readonly status: 'due' | 'returned' | 'kept';
  /** Whether the refund address has been screened again for this return. */
  readonly isCleared: boolean;
  /** Whether it is in the ledger. */
  readonly isBooked: boolean;
}

/** The id of a call: one per operation and step, so that a leg recognises a repeat. No step has a hyphen in its name. */
export function callIdOf({ operationId }: Pick<Operation, 'operationId'>, step: Step): string {
  return `${operationId}-${step}`;
}

/** How long after the start of an operation its deposit address is watched. Late deposits are returned. */
export const DEPOSIT_WATCH_MS = 30 * 24 * 60 * 60_000;

/** Whether a step is skipped, such as the steps of an absent leg. */
export type IsIdle = (step: ForwardStep) => boolean;

/** The initial state of an operation. */
export function firstState(flow: Flow, isIdle: IsIdle): State {
  return calling(STEPS[flow].find((step) => !isIdle(step)) ?? 'screen');
}

/** The state after a completed step. */
export function afterStep({ flow }: Pick<Operation, 'flow'>, step: ForwardStep, isIdle: IsIdle): State {
  const next = STEPS[flow].slice(STEPS[flow].indexOf(step) + 1).find((one) => !isIdle(one));
  return next === undefined ? { kind: 'ended', as: 'succeeded' } : calling(next);
}

/** Whether money of the payment was taken back by the buyer's bank or by hand. Meanwhile nothing is delivered or refunded. */
export function isTakenBack({ disputes }: Pick<Operation, 'disputes'>): boolean {
  return disputes.some(({ status }) => status === 'withdrawn');
}

/** Whether a refund that the partner requested is pending. */
export function isRefunding({ refunds }: Pick<Operation, 'refunds'>): boolean {
  return refunds.some(({ status }) => status === 'pending');
}

/** Whether a reservation is left that no send can use any more: nothing is sent once an operation has ended or is stuck. */
export function mustRelease({ isReserved = false, state }: Pick<Operation, 'isReserved' | 'state'>): boolean {
  return isReserved && (state.kind === 'ended' || state.kind === 'stuck');
}

/** The state before the first try of a call. */
export function calling(step: Step): State {
  return { kind: 'calling', step };
}

/** Whether the operation has completed a step. Operations that are being undone count as having completed none. */
export function isPast({ flow, state }: Operation, step: ForwardStep): boolean {
  if (state.kind === 'ended') return state.as === 'succeeded';
  const at = STEPS[flow].findIndex((one) => one === state.step);
  return at > STEPS[flow].indexOf(step);
}

const KIND = 'operation';

/** The document kind of operations, one per mode: each mode has its own clock, so its operations are claimed separately. */
export function operationKind(mode: Mode): string {
  return `${KIND}_${mode}`;
}

/** The operation as a document of the store. Stuck operations are listed by their status. */
export function toDocument(operation: Operation, version: number, dueAt: Instant | null): LegDocument {
  const { kind } = operation.state;
  return {
    kind: operationKind(operation.mode),
    id: operation.operationId,
    version,
    status: kind === 'calling' ? 'running' : kind,
    dueAt: kind === 'stuck' && !isRefunding(operation) && !mustRelease(operation) ? null : dueAt,
    // An operation is plain JSON, and stores serialise it.
    body: operation as unknown as LegDocument['body'],
  };
}

/** The operation of a document that `toDocument` wrote. */
export function fromDocument(document: LegDocument): Operation {
  const stored = document.body as unknown as Omit<Operation, 'tries'> & Partial<Pick<Operation, 'tries'>>;
  // Earlier documents counted the tries in the state.
  return { ...stored, tries: stored.tries ?? 0 };
}
