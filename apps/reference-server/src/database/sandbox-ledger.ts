import type { SandboxLedger, SandboxOperation } from '@gateramp/adapters-provider-sandbox';
import { asOutage } from '@gateramp/adapters-store-postgres';
import type { Instant } from '@gateramp/core';
import type { ReapRequest } from '@gateramp/core/ports';
import type { Pool, QueryResult, QueryResultRow } from 'pg';
import { QUERY_TIMEOUT_MS } from './open-database.js';
import { SCHEMA } from './schema.js';

const READ = `select operation::text as operation from ${SCHEMA}.sandbox_operations where operation_id = $1`;
const INSERT = `insert into ${SCHEMA}.sandbox_operations (operation_id, version, operation, ended_at) values ($1, $2, $3, $4) on conflict do nothing`;
const REPLACE = `update ${SCHEMA}.sandbox_operations set version = $2, operation = $3, ended_at = $4 where operation_id = $1 and version = $5`;
const REAP = `delete from ${SCHEMA}.sandbox_operations where operation_id in (
  select operation_id from ${SCHEMA}.sandbox_operations where operation->>'mode' = $1 and ended_at <= $2
  order by ended_at limit $3 for update skip locked)`;

/** The sandbox's books in the database, so that a payment under way outlives every process. */
export interface PostgresSandboxLedger extends SandboxLedger {
  /**
   * Deletes operations that came to rest as long ago as the store keeps what has ended, leaving out what is locked: by then nobody starts,
   * confirms or looks them up any more. Returns how many went.
   */
  reap(request: ReapRequest): Promise<number>;
}

/** Each call is one statement. A database that is away is an error with `outage: true`, as it is at the store. */
export function postgresSandboxLedger(pool: Pool): PostgresSandboxLedger {
  async function run<Row extends QueryResultRow>(text: string, values: readonly unknown[]): Promise<QueryResult<Row>> {
    const statement = { text, values: [...values], query_timeout: QUERY_TIMEOUT_MS };
    try {
      return await pool.query<Row>(statement);
    } catch (error) {
      throw asOutage(error);
    }
  }
  return {
    async read(operationId) {
      const { rows } = await run<{ operation: string }>(READ, [operationId]);
      // Written below from a SandboxOperation.
      return rows[0] === undefined ? null : (JSON.parse(rows[0].operation) as SandboxOperation);
    },
    async write(operation, expectedVersion) {
      const values = [operation.operationId, operation.version, JSON.stringify(operation), endOf(operation)];
      const done = expectedVersion === null ? await run(INSERT, values) : await run(REPLACE, [...values, expectedVersion]);
      return done.rowCount === 1;
    },
    async reap({ mode, now, keepEnded, limit }) {
      return (await run(REAP, [mode, now - keepEnded, limit])).rowCount ?? 0;
    },
  };
}

/** When it comes to rest, money that is arranged to come back included; null while somebody has yet to end it. */
function endOf({ state, updatedAt }: SandboxOperation): Instant | null {
  switch (state.step) {
    case 'planned':
    case 'awaiting':
      return null;
    case 'failed':
    case 'cancelled':
      return updatedAt;
    case 'moving':
      return state.ending === null ? null : Math.max(updatedAt, state.ending.at, state.ending.returned?.at ?? state.ending.at);
  }
}
