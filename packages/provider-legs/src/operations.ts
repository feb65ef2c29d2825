import { decimal, type Instant, type Mode } from '@gateramp/core/domain';
import { commitAudited } from './commit-audited.js';
import { dueAfter, loaded, loadOperation, WRITES_MAX } from './drive.js';
import { interrupted, RESOLVED_AS_FAILED } from './failures.js';
import { CUSTOMER, isDelivery, resolved } from './ledger.js';
import { operationKind, toDocument, type Operation, type Resolution } from './operation.js';
import { undoing } from './progress.js';
import type { AuditedCommit, Balance, LedgerEntry, LegsStore } from './ports/legs-store.js';

const MODES: readonly Mode[] = ['test', 'live'];

/** An operation as operators see it. */
export interface OperationView extends Operation {
  /** The debt to the buyer of this operation, as positive amounts; empty when it is settled. */
  readonly owed: readonly Pick<Balance, 'currency' | 'amount'>[];
  /** Its ledger entries, oldest first. */
  readonly entries: readonly LedgerEntry[];
}

/** Which operations to list. */
export interface OperationsQuery {
  readonly mode: Mode;
  /** Only operations that wait for an operator. */
  readonly isStuck: boolean;
  /** The last id of the previous page; null for the first page. */
  readonly after: string | null;
  readonly limit: number;
}

/** An operator's decision about how a stuck operation ended. */
export interface ResolveOrder extends Pick<Resolution, 'as' | 'reason'> {
  readonly operationId: string;
  readonly now: Instant;
  /** Returns the result without writing it. */
  readonly isDryRun?: boolean;
  /** Records the resolution in the audit trail, in the same commit. */
  readonly audited?: AuditedCommit;
}

/** The result of `resolveOperation`. */
export type ResolveResult =
  | { readonly kind: 'resolved'; readonly operation: Operation; readonly entry: LedgerEntry | null }
  | { readonly kind: 'not_found' }
  /** The operation is running or has ended: there is nothing to decide. */
  | { readonly kind: 'not_stuck'; readonly operation: Operation };

/** Lists operations, ordered by id. */
export async function listOperations(
  store: LegsStore,
  { mode, isStuck, after, limit }: OperationsQuery,
): Promise<readonly Operation[]> {
  const kind = operationKind(mode);
  const page = await store.list({ kind, ...(isStuck ? { status: 'stuck' } : {}), after, limit });
  return page.map((document) => loaded(document).operation);
}

/** Finds the operation with this id in either mode. */
export async function findOperation(store: LegsStore, operationId: string): Promise<OperationView | null> {
  const at = await findLoaded(store, operationId);
  if (at === null) return null;
  const [owed, entries] = await Promise.all([owedFor(store, operationId), store.entries(operationId)]);
  return { ...at.operation, owed, entries };
}

/**
 * Ends a stuck operation as an operator decided. The ledger then owes the buyer nothing: returned money is booked out of the accounts that
 * held it, and the rest to the house. An operation that was delivered, with only its surplus stuck, ends as delivered for every decision
 * about the surplus. One that waits for its buyer can only be resolved as `failed`: nothing was taken yet, and what was reserved or
 * authorized is released.
 */
export async function resolveOperation(store: LegsStore, order: ResolveOrder): Promise<ResolveResult> {
  const { operationId, now, as, reason, isDryRun = false, audited } = order;
  for (let write = 0; write < WRITES_MAX; write += 1) {
    const at = await findLoaded(store, operationId);
    if (at === null) return { kind: 'not_found' };
    const { operation } = at;
    const given = { as, reason, at: now };
    const abandoned = as === 'failed' ? givenUp(operation, given) : null;
    if (abandoned !== null) {
      const result = { kind: 'resolved', operation: abandoned, entry: null } as const;
      if (isDryRun) return result;
      const change = {
        documents: [toDocument(abandoned, at.version + 1, dueAfter(abandoned, null, now))],
        entries: [],
      };
      const done = await commitAudited(store, change, { before: operation, after: abandoned }, audited);
      if (done === 'committed') return result;
      continue;
    }
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
      resolution: given,
      updatedAt: now,
    };
    const result = { kind: 'resolved', operation: next, entry } as const;
    if (isDryRun) return result;
    const due = dueAfter(next, null, now);
    const change = { documents: [toDocument(next, at.version + 1, due)], entries: entry === null ? [] : [entry] };
    const done = await commitAudited(store, change, { before: operation, after: next }, audited);
    if (done === 'committed') return result;
  }
  throw new Error('Too many writers are changing this operation; try again.');
}

/** An operation that waits for its buyer, as it is undone; null for any other. */
function givenUp(operation: Operation, resolution: Resolution): Operation | null {
  const { state, price } = operation;
  if (state.kind !== 'awaiting' || price === null) return null;
  const ended: Operation = { ...operation, failure: interrupted('payment'), resolution };
  return undoing(ended, price, resolution.at).operation;
}

/** The status of unbooked returns after a resolution, which settles them. */
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
