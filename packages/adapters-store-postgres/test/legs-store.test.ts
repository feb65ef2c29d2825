import { describeLaws, legsStoreLaws } from '@gateramp/conformance';
import type pg from 'pg';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { postgresLegsStore } from '../src/index.js';
import { freshSchema, testPool } from './postgres-subject.js';

let schema: string;
let pool: pg.Pool;
beforeAll(async () => {
  pool = await testPool(8);
  schema = await freshSchema(pool);
}, 60_000);
afterAll(() => pool.end());

const subject = {
  create: async () => {
    await pool.query(`truncate ${schema}.leg_documents, ${schema}.leg_entries`);
    return { store: postgresLegsStore(pool, { schema }), close: async () => undefined };
  },
};
describeLaws(legsStoreLaws, subject, { describe, it });
