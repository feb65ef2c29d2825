import { decimal, type Instant, MODES } from '@gateramp/core/domain';
import { commitAudited } from './commit-audited.js';
import { confirmedOf, credit, isNew } from './deposits.js';
import { loadOperation, type Loaded } from './drive.js';
import { deposited, depositKey } from './ledger.js';
import { calling, DEPOSIT_WATCH_MS, toDocument, type DepositReturn, type Operation } from './operation.js';
import type { Deposit } from './ports/legs.js';
import type { AuditedCommit, LegDocument, LegsStore } from './ports/legs-store.js';

/** What arrived at the deposit address of an operation, as its chain leg lists it, with what only an operator attributes. */
export interface ArrivedDeposits {
  readonly operationId: string;
  /** The confirmed ones count. */
  readonly deposits: readonly Deposit[];
  /** Deposits that the commit of `documents` creates. */
  readonly attributed: readonly Deposit[];
  readonly documents: readonly LegDocument[];
}

/** An operator's decision about deposits that no operation booked. */
export interface HeldOrder extends ArrivedDeposits {
  readonly now: Instant;
  readonly isDryRun?: boolean;
  readonly audited?: AuditedCommit;
}

/** The result of a decision. `changed` names the deposits that it is about. */
export type HeldResult =
  | { readonly kind: 'changed'; readonly operation: Operation; readonly deposits: readonly Deposit[] }
  | { readonly kind: 'not_found' | 'nothing_held' | 'stale' }
  /** The operation is running or stuck, and deals with its deposits itself or by its own command. */
  | { readonly kind: 'not_ended'; readonly operation: Operation };

/** The confirmed deposits that the operation has not booked. */
export function unbooked(operation: Operation, deposits: readonly Deposit[]): readonly Deposit[] {
  return confirmedOf(deposits).filter((deposit) => isNew(operation, deposit));
}

/** Whether the operation has stopped to look for deposits. */
export function isUnwatched({ state, createdAt }: Operation, now: Instant): boolean {
  return state.kind === 'ended' && now - createdAt >= DEPOSIT_WATCH_MS;
}

/**
 * Attributes deposits to their operation, which looks at them now, whatever its age: it accepts them while it waits for them, and returns
 * them to the refund address once it has ended.
 */
export async function creditHeld(store: LegsStore, order: HeldOrder): Promise<HeldResult> {
  const at = await findLoaded(store, order.operationId);
  if (at === null) return { kind: 'not_found' };
  const { operation } = at;
  const deposits = [...unbooked(operation, order.deposits), ...order.attributed];
  if (deposits.length === 0) return { kind: 'nothing_held' };
  if (operation.state.kind === 'stuck') return { kind: 'not_ended', operation };
  // A call that is being made looks at the deposits by itself.
  const isCalling = operation.state.kind === 'calling';
  const documents = isCalling ? [] : [toDocument(operation, at.version + 1, order.now)];
  return changed(store, order, { operation, next: operation, documents, entries: [], deposits });
}

/** The return of deposits that an operation did not book: by default in full, and to its refund address. */
export interface ReturnHeldOrder extends HeldOrder {
  readonly asset: string;
  /** The amount that is sent. The rest is booked as a fee. */
  readonly amount: string | null;
  readonly to: string | null;
}

/** Books deposits of one token to their ended operation, and sends them back from the hot wallet, as it returns late deposits. */
export async function returnHeld(
  store: LegsStore,
  order: ReturnHeldOrder,
): Promise<HeldResult | { readonly kind: 'too_much' }> {
  const { now, asset, to } = order;
  const at = await findLoaded(store, order.operationId);
  if (at === null) return { kind: 'not_found' };
  const { operation } = at;
  const deposits = [...unbooked(operation, order.deposits), ...order.attributed].filter((one) => one.asset === asset);
  const [first] = deposits;
  if (first === undefined) return { kind: 'nothing_held' };
  if (operation.state.kind !== 'ended') return { kind: 'not_ended', operation };
  const total = deposits.reduce((sum, one) => decimal.add(sum, one.amount), '0');
  const amount = order.amount ?? total;
  if (decimal.compare(amount, total) > 0) return { kind: 'too_much' };
  const due: DepositReturn = {
    deposit: depositKey(first),
    asset,
    network: first.network,
    amount,
    fee: decimal.subtract(total, amount),
    status: 'due',
    isCleared: false,
    isBooked: false,
    ...(to === null ? {} : { to }),
  };
  const next: Operation = {
    ...credit(operation, deposits),
    returns: [...operation.returns, due],
    state: calling('return'),
    endsAs: operation.state.as,
    tries: 0,
    updatedAt: now,
  };
  const documents = [toDocument(next, at.version + 1, now)];
  const entries = deposits.map((deposit) => deposited(operation, deposit, now));
  return changed(store, order, { operation, next, documents, entries, deposits });
}

interface Change {
  readonly operation: Operation;
  readonly next: Operation;
  readonly documents: readonly LegDocument[];
  readonly entries: ReturnType<typeof deposited>[];
  readonly deposits: readonly Deposit[];
}

async function changed(store: LegsStore, order: HeldOrder, change: Change): Promise<HeldResult> {
  const { operation, next, documents, entries, deposits } = change;
  const result = { kind: 'changed', operation: next, deposits } as const;
  if (order.isDryRun === true) return result;
  const all = { documents: [...order.documents, ...documents], entries };
  const rows = { before: operation, after: { ...next, deposits: deposits.map(depositKey) } };
  return (await commitAudited(store, all, rows, order.audited)) === 'committed' ? result : { kind: 'stale' };
}

async function findLoaded(store: LegsStore, operationId: string): Promise<Loaded | null> {
  for (const mode of MODES) {
    const at = await loadOperation(store, mode, operationId);
    if (at !== null) return at;
  }
  return null;
}
