import type { Mode } from '@gateramp/core';
import type { Instant } from '@gateramp/core/domain';
import type { Pool } from 'pg';
import { checkSchema, DEFAULT_SCHEMA, pooled } from './database.js';

/** Which schema, and how long a statement may take. */
export interface PostgresSandboxLedgerOptions {
  /** Where `migrate` has put the tables; `gateramp` by default. */
  readonly schema?: string;
  /** A statement that takes longer is given up and reported as an outage; 15 s by default. */
  readonly queryTimeoutMs?: number;
}

/** What is looked at in an operation of the sandbox provider; the rest is kept as it comes. */
export interface LedgerOperation {
  readonly operationId: string;
  readonly mode: Mode;
  readonly version: number;
  readonly updatedAt: Instant;
  readonly state: LedgerState;
}

/** How far an operation has come, as far as it says when it comes to rest. A review becomes `then` at `until`. */
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
 * The sandbox's books in the database, so that a payment under way outlives every process:
 * `sandboxProvider({ ledger: postgresSandboxLedger(pool) })`. Each call is one statement. A database that is away is an error with
 * `outage: true`, as it is at the store. What came to rest long ago is deleted when the store is reaped.
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

/** When it comes to rest, money that is arranged to come back included; null until it is ended from outside. */
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
