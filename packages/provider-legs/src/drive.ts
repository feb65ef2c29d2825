import type { Instant, Mode } from '@gateramp/core/domain';
import type { AlarmMeaning, Confirmation } from '@gateramp/core/ports';
import {
  DEPOSIT_WATCH_MS,
  fromDocument,
  isRefunding,
  mustRelease,
  operationKind,
  toDocument,
  type Operation,
  type Step,
} from './operation.js';
import { bookDisputes, newWithdrawals } from './disputes.js';
import { CLAIMED, type LegDocument, type LegsStore } from './ports/legs-store.js';
import { returnLateDeposits } from './deposits.js';
import type { Details, Legs, Progress } from './progress.js';
import { answerAction, lookAgain, makeCall, release } from './saga.js';

/** Reports an event that needs an operator's attention. The fields contain no secret. */
export type Alarm = (name: LegsAlarm, fields: Readonly<Record<string, string | number>>) => void;

/** The alarms of the saga. */
export const ALARMS = {
  operation_stuck: {
    severity: 'critical',
    meaning:
      'Provider legs: a payment is stuck: it can be neither completed nor undone, for example because its refund was refused. The log has `operation_id`, the step and the reason. Find out where the money is, then resolve it with `gate operations resolve`',
  },
  payment_charged_back: {
    severity: 'warning',
    meaning:
      "Provider legs: the buyer's bank took back a payment, or the part in `amount`. A delivery that has not been sent is stopped; otherwise it is a loss. Answer the dispute at the processor; a dispute that is won is booked automatically",
  },
  payment_refunded_outside: {
    severity: 'warning',
    meaning:
      'Provider legs: a payment, or the part in `amount`, was refunded or left uncaptured at the processor, and not by Gateramp. A delivery that has not been sent is stopped; otherwise it is a loss. Find out who refunded it; refund with `gate transactions refund` instead',
  },
  leg_call_unknown: {
    severity: 'warning',
    meaning:
      'Provider legs: the result of a call has been unknown for ten tries. Check that the processor or the RPC is reachable. The call is repeated until its result is known',
  },
  price_unavailable: {
    severity: 'warning',
    meaning:
      'Provider legs: a pair has no trusted price and is not offered; the log has the pair and the reason. Check that the price source answers with a recent date. The pair is offered again within 5 s of the next price',
  },
  price_jump: {
    severity: 'critical',
    meaning:
      'Provider legs: a source moved a price further at once than `max_jump_bps` allows, so the pair is not offered. The log has the pair, the price and the last trusted one. Compare it with the market. If it is right, run `gate prices confirm`; if not, correct the source. A second source that agrees, or the return of the price, ends it',
  },
} as const satisfies Readonly<Record<string, AlarmMeaning>>;

/** The name of an alarm in `ALARMS`. */
export type LegsAlarm = keyof typeof ALARMS;

/** The dependencies for driving an operation. */
export interface Drive {
  readonly legs: Legs;
  readonly store: LegsStore;
  readonly alarm: Alarm;
}

/** An operation with its version in the store. */
export interface Loaded {
  readonly operation: Operation;
  readonly version: number;
  readonly dueAt: Instant | null;
  /** It was claimed with the status `CLAIMED`, which it keeps while its driver makes one call after another. */
  readonly isMarked: boolean;
}

/** The time that a driver has for one call and its commit. After it, another driver may claim the operation. */
export const LEASE_MS = 60_000;
/** Attempts to commit among concurrent writers of one operation. After the last one the caller gets an error and can retry. */
export const WRITES_MAX = 8;
/** How often an ended operation with a deposit address is checked for late deposits. */
const WATCH_EVERY_MS = 10 * 60_000;
const BACKOFF_MS = [1_000, 5_000, 15_000, 60_000] as const;
const TRIES_BEFORE_ALARM = 10;

/** Loads an operation and its version; null when the store has none with this id. */
export async function loadOperation(store: LegsStore, mode: Mode, operationId: string): Promise<Loaded | null> {
  const document = await store.load(operationKind(mode), operationId);
  return document === null ? null : loaded(document);
}

export function loaded(document: LegDocument): Loaded {
  return {
    operation: fromDocument(document),
    version: document.version,
    dueAt: document.dueAt,
    isMarked: document.status === CLAIMED,
  };
}

/**
 * Makes calls until the operation waits or has ended, and commits the result of each before the next call. A stale commit means
 * that another driver has continued the operation: its commit counts, and this driver stops. After a call with an unknown result
 * the operation is rescheduled and the error is thrown.
 */
export async function drive(context: Drive, start: Loaded, details: Details | null, now: Instant): Promise<Loaded> {
  let current = start;
  while (current.operation.state.kind === 'calling') {
    const { step } = current.operation.state;
    const progress = await attempt(context, current, step, now, () =>
      makeCall(context.legs, current.operation, details, now),
    );
    const committed = await commitProgress(context, current, progress, now);
    if (committed === null) return reload(context.store, current.operation);
    current = committed;
    if (progress.waitMs !== null) return current;
  }
  return current;
}

/** Passes on the buyer's answer to the awaited action. A commit fences it first, so that only one of two concurrent answers is sent. */
export async function confirmAction(
  context: Drive,
  at: Loaded,
  confirmation: Confirmation,
  now: Instant,
): Promise<Loaded> {
  const fenced = await commit(context.store, at, { operation: at.operation, dueAt: now + LEASE_MS });
  if (fenced === null) return reload(context.store, at.operation);
  const { state } = at.operation;
  const step = state.kind === 'ended' ? 'return' : state.step;
  const progress = await attempt(context, fenced, step, now, () =>
    answerAction(context.legs, fenced.operation, confirmation, now),
  );
  const committed = await commitProgress(context, fenced, progress, now);
  return committed === null ? reload(context.store, at.operation) : continued(context, committed, progress, now);
}

/** Advances one claimed operation, in any state. */
export async function workOn(context: Drive, claimed: Loaded, now: Instant): Promise<void> {
  const { operation } = claimed;
  if (mustRelease(operation)) {
    const released = await attempt(context, claimed, 'reserve', now, () => release(context.legs, operation, now));
    await commitProgress(context, claimed, released, now);
    return;
  }
  switch (operation.state.kind) {
    case 'calling':
      await drive(context, claimed, null, now);
      return;
    case 'awaiting': {
      const progress = await attempt(context, claimed, operation.state.step, now, () =>
        lookAgain(context.legs, operation, now),
      );
      const committed = await commitProgress(context, claimed, progress, now);
      if (committed !== null) await continued(context, committed, progress, now);
      return;
    }
    case 'ended': {
      const found = await attempt(context, claimed, 'return', now, () =>
        returnLateDeposits(context.legs, operation, now),
      );
      const progress = found ?? { operation, entries: [], waitMs: null };
      const answered = { ...progress, operation: { ...progress.operation, tries: 0 } };
      const committed = await commitProgress(context, claimed, answered, now);
      if (committed !== null) await drive(context, committed, null, now);
      return;
    }
    case 'stuck':
      return;
  }
}

interface NextVersion {
  readonly operation: Operation;
  readonly entries?: Progress['entries'];
  readonly dueAt: Instant | null;
  readonly isMarked?: boolean;
}

/** Writes the next version. Null when another writer was faster. */
export async function commit(
  store: LegsStore,
  at: Loaded,
  { operation, entries = [], dueAt, isMarked = false }: NextVersion,
): Promise<Loaded | null> {
  const version = at.version + 1;
  const document = toDocument(operation, version, dueAt);
  const done = await store.commit({ documents: [isMarked ? { ...document, status: CLAIMED } : document], entries });
  return done === 'stale' ? null : { operation, version, dueAt, isMarked };
}

function continued(context: Drive, committed: Loaded, { waitMs }: Progress, now: Instant): Promise<Loaded> {
  return waitMs === null ? drive(context, committed, null, now) : Promise.resolve(committed);
}

/** Commits the result of a call or a callback, with the bookings of disputes that it allows. Null when another writer was faster. */
export async function commitProgress(
  context: Drive,
  at: Loaded,
  progress: Progress,
  now: Instant,
): Promise<Loaded | null> {
  const { operation, entries, waitMs } = await bookDisputes(context.store, progress, now);
  const { state } = operation;
  const isMarked = at.isMarked && state.kind === 'calling' && waitMs === null;
  const dueAt = dueAfter(operation, waitMs, now);
  const done = await commit(context.store, at, { operation, entries, dueAt, isMarked });
  if (done !== null) raiseWithdrawals(context, at.operation, operation);
  if (done !== null && state.kind === 'stuck' && !isStuckFor(at.operation, state.reason)) {
    const { operationId, mode } = operation;
    context.alarm('operation_stuck', { operation_id: operationId, mode, step: state.step, reason: state.reason });
  }
  return done;
}

/** Raises the alarm for each chargeback and outside refund once, whether a callback reported it or a lookup found it. */
function raiseWithdrawals({ alarm }: Drive, before: Operation, after: Operation): void {
  const { operationId, mode, price } = after;
  const shared = { operation_id: operationId, mode, was: before.state.kind, currency: price?.source.currency ?? '' };
  for (const { id, kind, amount } of newWithdrawals(before, after)) {
    if (kind === 'refund') alarm('payment_refunded_outside', { ...shared, refund_id: id, amount });
    else alarm('payment_charged_back', { ...shared, dispute_id: id, amount });
  }
}

/** A callback about an operation that is stuck for the same reason is no news. */
function isStuckFor({ state }: Operation, reason: string): boolean {
  return state.kind === 'stuck' && state.reason === reason;
}

/** When the operation is due next: after the wait, after the lease of a call, or for the next check for late deposits. */
export function dueAfter(operation: Operation, waitMs: number | null, now: Instant): Instant | null {
  const { state, createdAt, price } = operation;
  if (waitMs !== null) return now + waitMs;
  if (state.kind === 'calling') return now + LEASE_MS;
  if (isRefunding(operation) || mustRelease(operation)) return now;
  const hasAddress = state.kind === 'ended' && price !== null && price.source.network !== null;
  return hasAddress && now < createdAt + DEPOSIT_WATCH_MS ? now + WATCH_EVERY_MS : null;
}

/**
 * Runs one call. When its result is unknown, the operation is due again after a backoff, and the tries are counted: the alarm is raised
 * once, after ten in a row.
 */
export async function attempt<Result>(
  { store, alarm }: Drive,
  at: Loaded,
  step: Step,
  now: Instant,
  call: () => Promise<Result>,
): Promise<Result> {
  try {
    return await call();
  } catch (error) {
    const { operationId, mode } = at.operation;
    const tries = at.operation.tries + 1;
    const dueAt = now + (BACKOFF_MS[Math.min(tries, BACKOFF_MS.length) - 1] ?? LEASE_MS);
    const counted = await commit(store, at, { operation: { ...at.operation, tries }, dueAt });
    if (counted !== null && tries === TRIES_BEFORE_ALARM)
      alarm('leg_call_unknown', { operation_id: operationId, mode, step, tries });
    throw error;
  }
}

async function reload(store: LegsStore, { mode, operationId }: Operation): Promise<Loaded> {
  const found = await loadOperation(store, mode, operationId);
  if (found === null) throw new Error('An operation has vanished from its store.');
  return found;
}
