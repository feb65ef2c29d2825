import { decimal, type Instant, type Mode } from '@gateramp/core/domain';
import { commit, loaded, loadOperation, WRITES_MAX } from './drive.js';
import { settlementError } from './failures.js';
import { CUSTOMER, resolved } from './ledger.js';
import { operationKind, type Operation, type Resolution } from './operation.js';
import type { Balance, LedgerEntry, LegsStore } from './ports/legs-store.js';

const MODES: readonly Mode[] = ['test', 'live'];

/** An operation as operators see it. */
export interface OperationView extends Operation {
  /** What the house owes the buyer of it, as positive amounts; empty when it is at rest. */
  readonly owed: readonly Pick<Balance, 'currency' | 'amount'>[];
  /** Its movements of money, oldest first. */
  readonly entries: readonly LedgerEntry[];
}

/** Which operations to list. */
export interface OperationsQuery {
  readonly mode: Mode;
  /** Only those that wait for an operator. */
  readonly isStuck: boolean;
  /** The id of the last one of the page before. */
  readonly after: string | null;
  readonly limit: number;
}

/** How a stuck operation ended, as an operator found out. */
export interface ResolveOrder extends Pick<Resolution, 'as' | 'reason'> {
  readonly operationId: string;
  readonly now: Instant;
  /** Answers what would be done, and does nothing. */
  readonly isDryRun?: boolean;
}

/** What `resolveOperation` answers. */
export type ResolveResult =
  | { readonly kind: 'resolved'; readonly operation: Operation; readonly entry: LedgerEntry | null }
  | { readonly kind: 'not_found' }
  /** It is at work, or has ended: nothing is left to be decided. */
  | { readonly kind: 'not_stuck'; readonly operation: Operation };

/** Operations by id. */
export async function listOperations(
  store: LegsStore,
  { mode, isStuck, after, limit }: OperationsQuery,
): Promise<readonly Operation[]> {
  const kind = operationKind(mode);
  const page = await store.list({ kind, ...(isStuck ? { status: 'stuck' } : {}), after, limit });
  return page.map((document) => loaded(document).operation);
}

/** The operation with this id, in whichever mode it is. */
export async function findOperation(store: LegsStore, operationId: string): Promise<OperationView | null> {
  const at = await findLoaded(store, operationId);
  if (at === null) return null;
  const [owed, entries] = await Promise.all([owedFor(store, operationId), store.entries(operationId)]);
  return { ...at.operation, owed, entries };
}

/**
 * Ends a stuck operation the way an operator says. The ledger then owes the buyer nothing: what was returned left the accounts that
 * held it, and anything else is on the books of the house.
 */
export async function resolveOperation(store: LegsStore, order: ResolveOrder): Promise<ResolveResult> {
  const { operationId, now, as, reason, isDryRun = false } = order;
  for (let write = 0; write < WRITES_MAX; write += 1) {
    const at = await findLoaded(store, operationId);
    if (at === null) return { kind: 'not_found' };
    const { operation } = at;
    if (operation.state.kind !== 'stuck') return { kind: 'not_stuck', operation };
    const owed = await owedFor(store, operationId);
    const entry = resolved(operation, { as, owed, now });
    const next: Operation = {
      ...operation,
      state: { kind: 'ended', as: as === 'delivered' ? 'succeeded' : as },
      failure: as === 'failed' ? (operation.failure ?? settlementError('payment')) : operation.failure,
      resolution: { as, reason, at: now },
      updatedAt: now,
    };
    const result = { kind: 'resolved', operation: next, entry } as const;
    if (isDryRun) return result;
    if ((await commit(store, at, next, entry === null ? [] : [entry], null)) !== null) return result;
  }
  throw new Error('Too many writers are changing this operation; try again.');
}

async function findLoaded(store: LegsStore, operationId: string) {
  for (const mode of MODES) {
    const at = await loadOperation(store, mode, operationId);
    if (at !== null) return at;
  }
  return null;
}

async function owedFor(store: LegsStore, operationId: string): Promise<OperationView['owed']> {
  const balances = await store.balances(operationId);
  return balances
    .filter(({ account }) => account === CUSTOMER)
    .map(({ currency, amount }) => ({ currency, amount: decimal.subtract('0', amount) }));
}
