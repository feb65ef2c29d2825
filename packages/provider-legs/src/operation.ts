import type { Failure, Flow, Instant, Mode, NextAction, PaymentMethod, RefundFailure } from '@gateramp/core/domain';
import type { LegDocument } from './ports/legs-store.js';
import type { Price } from './price.js';

/**
 * The calls that an operation makes, by flow, in order. Each is made until its result is known, with one call id, and the next
 * begins in the commit that records it.
 *
 *   on_ramp   screen → authorize → identify → clear → capture → convert → rescreen → send
 *   off_ramp  register_payee → screen → identify → clear → deposit → convert → pay_out → surplus
 *   swap      screen → identify → clear → deposit → convert → rescreen → send → surplus
 *
 * When one fails, what was done is undone: `void` before money was taken, `refund` afterwards, `return` for deposits. What cannot be
 * undone is `stuck` until an operator decides.
 */
export const STEPS: Readonly<Record<Flow, readonly ForwardStep[]>> = {
  on_ramp: ['screen', 'authorize', 'identify', 'clear', 'capture', 'convert', 'rescreen', 'send'],
  off_ramp: ['register_payee', 'screen', 'identify', 'clear', 'deposit', 'convert', 'pay_out', 'surplus'],
  swap: ['screen', 'identify', 'clear', 'deposit', 'convert', 'rescreen', 'send', 'surplus'],
};

/** A call on the way to a delivery. */
export type ForwardStep =
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
  /** Returns what was deposited above what was asked for. */
  | 'surplus';

/** A call that undoes what was done. */
export type UndoStep = 'void' | 'refund' | 'return';

/** Any call of an operation. */
export type Step = ForwardStep | UndoStep;

/** How an operation came to rest. */
export type Ending = 'succeeded' | 'failed' | 'cancelled' | 'refunded' | 'charged_back';

/** Where an operation is. */
export type State =
  /** The call is to be made, or made again. `tries` counts those whose result stayed unknown. */
  | { readonly kind: 'calling'; readonly step: Step; readonly tries: number }
  /** The leg waits for the buyer. */
  | { readonly kind: 'awaiting'; readonly step: ForwardStep; readonly action: NextAction }
  /** The leg cannot go on or back: an operator decides. */
  | { readonly kind: 'stuck'; readonly step: Step; readonly reason: string }
  | { readonly kind: 'ended'; readonly as: Ending };

/** One operation as it is stored. Nothing of a card, an account or a person is in it. */
export interface Operation {
  readonly operationId: string;
  readonly mode: Mode;
  readonly partnerId: string;
  readonly flow: Flow;
  readonly method: PaymentMethod;
  readonly countryCode: string | null;
  readonly walletAddress: string | null;
  readonly refundAddress: string | null;
  /** Null for one that was closed before it was started. */
  readonly price: Price | null;
  /** Nothing has to be asked about the buyer: the partner has verified them, or there is no identity leg. */
  readonly isVerified: boolean;
  readonly state: State;
  /** Why it is being undone, and what it fails with; null while it goes forward. */
  readonly failure: Failure | null;
  /** What it ends as when nothing is left to undo or return. */
  readonly endsAs: Ending;
  /** What the buyer's bank took back, oldest first. */
  readonly disputes: readonly Dispute[];
  /** How an operator ended it; null where none had to. */
  readonly resolution: Resolution | null;
  /** The transaction on chain that the buyer waits for: their deposit, and then the delivery. */
  readonly onChain: OnChain | null;
  /** Deposits that are in the ledger, by transaction and place in it. */
  readonly credited: readonly string[];
  /** What of them goes back to the refund address, oldest first. */
  readonly returns: readonly DepositReturn[];
  /** Refunds that the partner asked for after the delivery, oldest first. */
  readonly refunds: readonly PartnerRefund[];
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

/** An operator's decision about a stuck operation. */
export interface Resolution {
  readonly as: 'delivered' | 'refunded' | 'failed';
  readonly reason: string;
  readonly at: Instant;
}

/** Money of a payment that the buyer's bank took back, and may have given back since. */
export interface Dispute {
  readonly id: string;
  /** In the currency of the payment. */
  readonly amount: string;
  readonly status: 'withdrawn' | 'won';
  /** How much of it settled what the buyer was owed, where the rest is a loss; null while the ledger does not have it. */
  readonly settled: string | null;
}

/** A refund of a delivered purchase, whole or in part. */
export interface PartnerRefund {
  /** The fiat leg is idempotent on it. */
  readonly id: string;
  readonly amount: string;
  /** `returned`: it succeeded, and the bank sent it back. The buyer is owed it again. */
  readonly status: 'pending' | 'succeeded' | 'failed' | 'returned';
  readonly failure: RefundFailure | null;
}

/** A transaction on chain, as far as it has come. */
export interface OnChain {
  readonly hash: string | null;
  /** Where it can be looked at; null when there is no explorer. */
  readonly url: string | null;
  readonly seen: number;
  readonly required: number;
}

/** Tokens on their way back to the refund address. */
export interface DepositReturn {
  /** One deposit, or `accepted`: all that was accepted for the exchange. */
  readonly deposit: string;
  readonly asset: string;
  readonly network: string;
  /** What goes back, the network fee taken off. */
  readonly amount: string;
  readonly fee: string;
  /** `kept`: it is worth less than sending it back costs. */
  readonly status: 'due' | 'returned' | 'kept';
  /** The refund address was screened again. */
  readonly isCleared: boolean;
  /** In the ledger. */
  readonly isBooked: boolean;
}

/** The id of a call: one per operation and step, so that a repeat is recognised. No step has a hyphen in its name. */
export function callIdOf({ operationId }: Pick<Operation, 'operationId'>, step: Step): string {
  return `${operationId}-${step}`;
}

/** A deposit address is watched so long after its operation began: what comes late goes back. */
export const DEPOSIT_WATCH_MS = 30 * 24 * 60 * 60_000;

/** Steps that the legs have nothing to do for, such as those of a leg that is not there. They are passed over. */
export type IsIdle = (step: ForwardStep) => boolean;

/** The state in which an operation of the flow begins. */
export function firstState(flow: Flow, isIdle: IsIdle): State {
  return calling(STEPS[flow].find((step) => !isIdle(step)) ?? 'screen');
}

/** The state after a step has done what it was for. */
export function afterStep({ flow }: Pick<Operation, 'flow'>, step: ForwardStep, isIdle: IsIdle): State {
  const next = STEPS[flow].slice(STEPS[flow].indexOf(step) + 1).find((one) => !isIdle(one));
  return next === undefined ? { kind: 'ended', as: 'succeeded' } : calling(next);
}

/** Whether the buyer's bank has money of the payment. Nothing is delivered or refunded meanwhile. */
export function isChargedBack({ disputes }: Pick<Operation, 'disputes'>): boolean {
  return disputes.some(({ status }) => status === 'withdrawn');
}

/** Whether a refund that the partner asked for is under way. */
export function isRefunding({ refunds }: Pick<Operation, 'refunds'>): boolean {
  return refunds.some(({ status }) => status === 'pending');
}

/** A call that has not been tried. */
export function calling(step: Step): State {
  return { kind: 'calling', step, tries: 0 };
}

/** Whether the flow has come past a step. Operations that are being undone are past none. */
export function isPast({ flow, state }: Operation, step: ForwardStep): boolean {
  if (state.kind === 'ended') return state.as === 'succeeded';
  const at = STEPS[flow].findIndex((one) => one === state.step);
  return at > STEPS[flow].indexOf(step);
}

const KIND = 'operation';

/** Operations of one mode are claimed together: each mode has its own clock. */
export function operationKind(mode: Mode): string {
  return `${KIND}_${mode}`;
}

/** The operation as a document of the store. `stuck` ones are found by their status. */
export function toDocument(operation: Operation, version: number, dueAt: Instant | null): LegDocument {
  const { kind } = operation.state;
  return {
    kind: operationKind(operation.mode),
    id: operation.operationId,
    version,
    status: kind === 'calling' ? 'running' : kind,
    dueAt: kind === 'stuck' && !isRefunding(operation) ? null : dueAt,
    // An operation is plain JSON, and stores serialise it.
    body: operation as unknown as LegDocument['body'],
  };
}

/** What `toDocument` wrote. */
export function fromDocument(document: LegDocument): Operation {
  return document.body as unknown as Operation;
}
