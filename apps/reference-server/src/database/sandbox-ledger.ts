import type { SandboxLedger, SandboxOperation } from '@gateramp/adapters-provider-sandbox';
import type { Pool } from 'pg';
import { SCHEMA } from './schema.js';

const READ = `select operation::text as operation from ${SCHEMA}.sandbox_operations where operation_id = $1`;
const INSERT = `insert into ${SCHEMA}.sandbox_operations (operation_id, version, operation) values ($1, $2, $3) on conflict do nothing`;
const REPLACE = `update ${SCHEMA}.sandbox_operations set version = $2, operation = $3 where operation_id = $1 and version = $4`;

/** The sandbox's books in the database, so that a payment under way outlives every process. Each write is one statement. */
export function postgresSandboxLedger(pool: Pool): SandboxLedger {
  return {
    async read(operationId) {
      const { rows } = await pool.query<{ operation: string }>(READ, [operationId]);
      // Written below from a SandboxOperation.
      return rows[0] === undefined ? null : (JSON.parse(rows[0].operation) as SandboxOperation);
    },
    async write(operation, expectedVersion) {
      const values = [operation.operationId, operation.version, JSON.stringify(operation)];
      const done = expectedVersion === null ? await pool.query(INSERT, values) : await pool.query(REPLACE, [...values, expectedVersion]);
      return done.rowCount === 1;
    },
  };
}
