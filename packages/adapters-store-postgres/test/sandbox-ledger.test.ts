import type { SandboxLedger, SandboxOperation } from '@gateramp/adapters-provider-sandbox';
import { describeLaws, rows, sandboxLedgerLaws } from '@gateramp/conformance';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { postgresSandboxLedger } from '../src/index.js';
import { postgresStore } from './patient-store.js';
import { freshSchema, testPool } from './postgres-subject.js';

let schema: string;
let pool: pg.Pool;
beforeAll(async () => {
  pool = await testPool(4);
  schema = await freshSchema(pool);
});
afterAll(() => pool.end());

describeLaws(
  sandboxLedgerLaws,
  {
    create: async () => {
      await pool.query(`delete from ${schema}.sandbox_operations`);
      const ledger: SandboxLedger = postgresSandboxLedger(pool, { schema });
      return { ledger, store: postgresStore(pool, { schema }), close: async () => undefined };
    },
  },
  { describe, it },
);

describe('books that cannot be reached', () => {
  const operation: SandboxOperation = {
    operationId: 'a',
    mode: 'test',
    version: 1,
    plan: null,
    forced: null,
    state: { step: 'cancelled' },
    effects: [],
    updatedAt: rows.T0,
  };

  it('are an outage, so that the caller hears 503 and asks again', async () => {
    const away = new pg.Pool({ connectionString: 'postgres://nobody@127.0.0.1:1/none' });
    const books: SandboxLedger = postgresSandboxLedger(away);
    for (const result of await Promise.allSettled([books.read('a'), books.write(operation, null)]))
      expect(result).toMatchObject({ status: 'rejected', reason: { outage: true } });
    await away.end();
  });

  it('are kept apart from a fault of ours, which is not one', async () => {
    const ledger: SandboxLedger = postgresSandboxLedger(pool, { schema });
    await expect(ledger.write({ ...operation, version: 1e12 }, null)).rejects.not.toHaveProperty('outage');
  });
});
