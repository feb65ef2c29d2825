import { join } from 'node:path';
import { migrate, postgresStore } from '@gateramp/adapters-store-postgres';
import { sqliteStore } from '@gateramp/adapters-store-sqlite';
import { createTestGate } from '@gateramp/testing';
import pg from 'pg';
import { onTestFinished } from 'vitest';
import { scratchDatabase } from '../../../../tests/services/scratch-database.js';
import { scratchFolder } from '../../../../tests/services/scratch-folder.js';

/** A gate on each store. */
export const GATES = {
  memory: () => createTestGate(),
  SQLite: async () => {
    const store = sqliteStore(join(scratchFolder('gate-payments-'), 'gate.db'));
    onTestFinished(() => store.close());
    return createTestGate({ ports: { store } });
  },
  Postgres: async () => {
    const pool = new pg.Pool({ connectionString: (await scratchDatabase()).url });
    onTestFinished(() => pool.end());
    await migrate(pool);
    return createTestGate({ ports: { store: postgresStore(pool) } });
  },
} as const;
