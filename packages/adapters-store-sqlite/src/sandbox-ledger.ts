import type { Mode } from '@gateramp/core';
import type { Instant } from '@gateramp/core/domain';
import type { SqliteDatabase } from './database.js';
import { insert, update } from './write-row.js';

/** The members of a sandbox operation that the ledger reads; all others are stored unchanged. */
export interface LedgerOperation {
  readonly operationId: string;
  readonly mode: Mode;
  readonly version: number;
  readonly updatedAt: Instant;
  readonly state: LedgerState;
}

/** The state of an operation, as far as it determines its end. A review becomes `then` at `until`. */
type LedgerState =
  | { readonly step: 'planned' | 'awaiting' | 'failed' | 'cancelled' }
  | { readonly step: 'in_review'; readonly until: Instant; readonly then: LedgerState }
  | {
      readonly step: 'moving';
      readonly ending: { readonly at: Instant; readonly returned: { readonly at: Instant } | null } | null;
    };

/** The `SandboxLedger` of the sandbox provider, which this package does not depend on. */
export interface SqliteSandboxLedger<Operation extends LedgerOperation> {
  readonly read: (operationId: string) => Promise<Operation | null>;
  /** Compare-and-set on the version; null inserts. False: nothing was written. */
  readonly write: (operation: Operation, expectedVersion: number | null) => Promise<boolean>;
}

/**
 * The ledger of the sandbox provider in the file of the store, so that payments in progress survive restarts: `sandboxProvider({ ledger:
 * sqliteSandboxLedger(database) })`. Operations that ended long ago are deleted when the store is reaped.
 */
export function sqliteSandboxLedger<Operation extends LedgerOperation>(
  database: SqliteDatabase,
): SqliteSandboxLedger<Operation> {
  return {
    read: async (operationId) => {
      const text = 'select operation from sandbox_operations where operation_id = ?';
      const [row] = database.connection().all<{ operation: string }>(text, operationId);
      // Written below from an operation.
      return row === undefined ? null : (JSON.parse(row.operation) as Operation);
    },
    write: (operation, expectedVersion) =>
      database.write((db) => {
        const { operationId } = operation;
        const columns = { operation: JSON.stringify(operation), ended_at: endOf(operation) };
        return expectedVersion === null
          ? insert(db, 'sandbox_operations', { operation_id: operationId, ...columns })
          : update(db, 'sandbox_operations', columns, { operation_id: operationId, version: expectedVersion });
      }),
  };
}

/** The instant at which the operation ends, including scheduled returns of money; null until an external event ends it. */
function endOf({ state, updatedAt }: Pick<LedgerOperation, 'state' | 'updatedAt'>): Instant | null {
  if (state.step === 'planned' || state.step === 'awaiting') return null;
  if (state.step === 'in_review') return endOf({ state: state.then, updatedAt: state.until });
  if (state.step !== 'moving') return updatedAt;
  const { ending } = state;
  return ending === null ? null : Math.max(updatedAt, ending.at, ending.returned?.at ?? ending.at);
}
