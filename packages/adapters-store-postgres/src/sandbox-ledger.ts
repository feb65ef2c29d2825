import type { Mode } from '@gateramp/core';
import type { Instant } from '@gateramp/core/domain';
import type { Pool } from 'pg';
import { checkSchema, DEFAULT_SCHEMA, pooled } from './database.js';

/** The schema and the statement timeout. */
export interface PostgresSandboxLedgerOptions {
  /** The schema that `migrate` has created; `gateramp` by default. */
  readonly schema?: string;
  /** Statements that take longer are cancelled and reported as an outage; 15 s by default. */
  readonly queryTimeoutMs?: number;
}

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
export interface PostgresSandboxLedger<Operation extends LedgerOperation> {
  read(operationId: string): Promise<Operation | null>;
  /** Compare-and-set on the version; null inserts. False: nothing was written. */
  write(operation: Operation, expectedVersion: number | null): Promise<boolean>;
}

/**
 * The ledger of the sandbox provider in the database, so that payments in progress survive restarts: `sandboxProvider({ ledger:
 * postgresSandboxLedger(pool) })`. Each call is one statement. An unavailable database is an error with `outage: true`, as in the store.
 * Operations that ended long ago are deleted when the store is reaped.
 */
export function postgresSandboxLedger<Operation extends LedgerOperation>(
  pool: Pool,
  options: PostgresSandboxLedgerOptions = {},
): PostgresSandboxLedger<Operation> {
  const table = `"${checkSchema(options.schema ?? DEFAULT_SCHEMA)}".sandbox_operations`;
  const database = pooled(pool, { queryTimeoutMs: options.queryTimeoutMs ?? 15_000, preparedStatements: false });
  const read = `select operation::text as operation from ${table} where operation_id = $1`;
  const insert = `insert into ${table} (operation_id, version, operation, ended_at) values ($1, $2, $3, $4) on conflict do nothing returning 1`;
  const replace = `update ${table} set version = $2, operation = $3, ended_at = $4 where operation_id = $1 and version = $5 returning 1`;
  return {
    async read(operationId) {
      const [row] = await database.query<{ operation: string }>(read, [operationId]);
      // Written below from an operation.
      return row === undefined ? null : (JSON.parse(row.operation) as Operation);
    },
    async write(operation, expectedVersion) {
      const values = [operation.operationId, operation.version, JSON.stringify(operation), endOf(operation)];
      const written =
        expectedVersion === null
          ? database.query(insert, values)
          : database.query(replace, [...values, expectedVersion]);
      return (await written).length === 1;
    },
  };
}

/** The instant at which the operation ends, including scheduled returns of money; null until an external event ends it. */
function endOf({ state, updatedAt }: Pick<LedgerOperation, 'state' | 'updatedAt'>): Instant | null {
  switch (state.step) {
    case 'planned':
    case 'awaiting':
      return null;
    case 'failed':
    case 'cancelled':
      return updatedAt;
    case 'in_review':
      return endOf({ state: state.then, updatedAt: state.until });
    case 'moving':
      return state.ending === null
        ? null
        : Math.max(updatedAt, state.ending.at, state.ending.returned?.at ?? state.ending.at);
  }
}
