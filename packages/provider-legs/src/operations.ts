import { decimal, type Instant, type Mode } from '@gateramp/core/domain';
import { commit, dueAfter, loaded, loadOperation, WRITES_MAX } from './drive.js';
import { RESOLVED_AS_FAILED } from './failures.js';
import { CUSTOMER, isDelivery, resolved } from './ledger.js';
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
 * held it, and anything else is on the books of the house. One that was delivered, and whose surplus was stuck, ends as delivered
 * whichever way the surplus went.
 */
export async function resolveOperation(store: LegsStore, order: ResolveOrder): Promise<ResolveResult> {
  const { operationId, now, as, reason, isDryRun = false } = order;
  for (let write = 0; write < WRITES_MAX; write += 1) {
    const at = await findLoaded(store, operationId);
    if (at === null) return { kind: 'not_found' };
    const { operation } = at;
    if (operation.state.kind !== 'stuck') return { kind: 'not_stuck', operation };
    const [owed, entries] = await Promise.all([owedFor(store, operationId), store.entries(operationId)]);
    const isDelivered = entries.some((one) => isDelivery(one, operation));
    const entry = resolved(operation, { as, owed, entries, now });
    const next: Operation = {
      ...operation,
      state: { kind: 'ended', as: as === 'delivered' || isDelivered ? 'succeeded' : as },
      failure: as === 'failed' && !isDelivered ? RESOLVED_AS_FAILED : operation.failure,
      returns: operation.returns.map((one) =>
        one.isBooked ? one : { ...one, status: RETURN_STATUS[as], isBooked: true },
      ),
      resolution: { as, reason, at: now },
      updatedAt: now,
    };
    const result = { kind: 'resolved', operation: next, entry } as const;
    if (isDryRun) return result;
    const due = dueAfter(next, null, now);
    if ((await commit(store, at, next, entry === null ? [] : [entry], due)) !== null) return result;
  }
  throw new Error('Too many writers are changing this operation; try again.');
}

/** What is still owed has left with the resolution, one way or the other. */
const RETURN_STATUS = { refunded: 'returned', delivered: 'kept', failed: 'kept' } as const;

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
