import type { Instant, Mode } from '@gateramp/core/domain';
import type { Confirmation } from '@gateramp/core/ports';
import { DEPOSIT_WATCH_MS, fromDocument, isRefunding, operationKind, toDocument, type Operation } from './operation.js';
import { bookDisputes } from './disputes.js';
import type { LegDocument, LegsStore } from './ports/legs-store.js';
import { returnLateDeposits } from './deposits.js';
import type { Details, Legs, Progress } from './progress.js';
import { answerAction, lookAgain, makeCall } from './saga.js';

/** Reports something that an operator must know. Fields hold no secret. */
export type Alarm = (name: LegsAlarm, fields: Readonly<Record<string, string | number>>) => void;

/** What the saga raises alarms about. */
export type LegsAlarm =
  /** It can neither go on nor back, and waits for `resolve`. */
  | 'operation_stuck'
  /** The buyer's bank took a payment back. */
  | 'payment_charged_back'
  /** The result of a call has been unknown for many tries. */
  | 'leg_call_unknown'
  /** A pair has no price that can be trusted, so it is not sold. */
  | 'price_unavailable';

/** What driving an operation needs. */
export interface Drive {
  readonly legs: Legs;
  readonly store: LegsStore;
  readonly alarm: Alarm;
}

/** An operation with the version that it was read at. */
export interface Loaded {
  readonly operation: Operation;
  readonly version: number;
  readonly dueAt: Instant | null;
}

/** So long has a driver for one call and its commit; then another may take the operation over. */
export const LEASE_MS = 60_000;
/** More writers than this on one operation at one moment: the caller asks again. */
export const WRITES_MAX = 8;
/** An ended operation of a deposit address is looked at so often, for deposits that come late. */
const WATCH_EVERY_MS = 10 * 60_000;
const BACKOFF_MS = [1_000, 5_000, 15_000, 60_000] as const;
const TRIES_BEFORE_ALARM = 10;

/** The operation and its version; null when it was never seen. */
export async function loadOperation(store: LegsStore, mode: Mode, operationId: string): Promise<Loaded | null> {
  const document = await store.load(operationKind(mode), operationId);
  return document === null ? null : loaded(document);
}

export function loaded(document: LegDocument): Loaded {
  return { operation: fromDocument(document), version: document.version, dueAt: document.dueAt };
}

/**
 * Makes calls until the operation waits or has ended, and commits the result of each before the next. A commit that is stale
 * means that another driver has gone on: what it committed counts, and this one stops. A call with an unknown result is put off,
 * and thrown.
 */
export async function drive(context: Drive, start: Loaded, details: Details | null, now: Instant): Promise<Loaded> {
  let current = start;
  while (current.operation.state.kind === 'calling') {
    const progress = await attempt(context, current, now, () =>
      makeCall(context.legs, current.operation, details, now),
    );
    const committed = await commitProgress(context, current, progress, now);
    if (committed === null) return reload(context.store, current.operation);
    current = committed;
    if (progress.waitMs !== null) return current;
  }
  return current;
}

/** The buyer's answer to what is awaited. Fenced like a claim, so that two answers are not given at once. */
export async function confirmAction(
  context: Drive,
  at: Loaded,
  confirmation: Confirmation,
  now: Instant,
): Promise<Loaded> {
  const fenced = await commit(context.store, at, at.operation, [], now + LEASE_MS);
  if (fenced === null) return reload(context.store, at.operation);
  const progress = await attempt(context, fenced, now, () =>
    answerAction(context.legs, fenced.operation, confirmation, now),
  );
  const committed = await commitProgress(context, fenced, progress, now);
  return committed === null ? reload(context.store, at.operation) : continued(context, committed, progress, now);
}

/** Works on one claimed operation, whatever it waits for. */
export async function workOn(context: Drive, claimed: Loaded, now: Instant): Promise<void> {
  const { operation } = claimed;
  switch (operation.state.kind) {
    case 'calling':
      await drive(context, claimed, null, now);
      return;
    case 'awaiting': {
      const progress = await attempt(context, claimed, now, () => lookAgain(context.legs, operation, now));
      const committed = await commitProgress(context, claimed, progress, now);
      if (committed !== null) await continued(context, committed, progress, now);
      return;
    }
    case 'ended': {
      const progress = await attempt(context, claimed, now, () => returnLateDeposits(context.legs, operation, now));
      const committed = await commitProgress(context, claimed, progress ?? idle(operation), now);
      if (committed !== null) await drive(context, committed, null, now);
      return;
    }
    case 'stuck':
      return;
  }
}

/** Writes the next version. Null when another was faster. */
export async function commit(
  store: LegsStore,
  at: Loaded,
  operation: Operation,
  entries: Progress['entries'],
  dueAt: Instant | null,
): Promise<Loaded | null> {
  const version = at.version + 1;
  const done = await store.commit({ documents: [toDocument(operation, version, dueAt)], entries });
  return done === 'stale' ? null : { operation, version, dueAt };
}

const idle = (operation: Operation): Progress => ({ operation, entries: [], waitMs: null });

function continued(context: Drive, committed: Loaded, { waitMs }: Progress, now: Instant): Promise<Loaded> {
  return waitMs === null ? drive(context, committed, null, now) : Promise.resolve(committed);
}

/** Commits what a call or a callback led to, with what it means for disputes. Null when another was faster. */
export async function commitProgress(
  context: Drive,
  at: Loaded,
  progress: Progress,
  now: Instant,
): Promise<Loaded | null> {
  const { operation, entries, waitMs } = await bookDisputes(context.store, progress, now);
  const done = await commit(context.store, at, operation, entries, dueAfter(operation, waitMs, now));
  if (done !== null && operation.state.kind === 'stuck') {
    const { operationId, mode, state } = operation;
    context.alarm('operation_stuck', { operation_id: operationId, mode, step: state.step, reason: state.reason });
  }
  return done;
}

/** When an operation is next worked on: after the wait, after the lease of a call, or to look for late deposits. */
export function dueAfter(operation: Operation, waitMs: number | null, now: Instant): Instant | null {
  const { state, createdAt, price } = operation;
  if (waitMs !== null) return now + waitMs;
  if (state.kind === 'calling') return now + LEASE_MS;
  if (isRefunding(operation)) return now;
  const hasAddress = state.kind === 'ended' && price !== null && price.source.network !== null;
  return hasAddress && now < createdAt + DEPOSIT_WATCH_MS ? now + WATCH_EVERY_MS : null;
}

/** Runs one call. When its result is unknown, the operation is due again after a while. */
async function attempt<Result>(
  { store, alarm }: Drive,
  at: Loaded,
  now: Instant,
  call: () => Promise<Result>,
): Promise<Result> {
  try {
    return await call();
  } catch (error) {
    const { operation } = at;
    const { state } = operation;
    const tries = state.kind === 'calling' ? state.tries + 1 : 1;
    const next: Operation = state.kind === 'calling' ? { ...operation, state: { ...state, tries } } : operation;
    await commit(store, at, next, [], now + (BACKOFF_MS[Math.min(tries, BACKOFF_MS.length) - 1] ?? LEASE_MS));
    if (tries === TRIES_BEFORE_ALARM && state.kind === 'calling')
      alarm('leg_call_unknown', { operation_id: operation.operationId, mode: operation.mode, step: state.step, tries });
    throw error;
  }
}

async function reload(store: LegsStore, { mode, operationId }: Operation): Promise<Loaded> {
  const found = await loadOperation(store, mode, operationId);
  if (found === null) throw new Error('An operation has vanished from its store.');
  return found;
}
