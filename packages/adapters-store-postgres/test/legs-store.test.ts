import { describeLaws, legsStoreLaws } from '@gateramp/conformance';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { postgresLegsStore, postgresStore } from '../src/index.js';
import { freshSchema, testPool } from './postgres-subject.js';

let schema: string;
let pool: pg.Pool;
beforeAll(async () => {
  pool = await testPool(8);
  schema = await freshSchema(pool);
});
afterAll(() => pool.end());

const subject = {
  create: async () => {
    await pool.query(
      `truncate ${schema}.leg_documents, ${schema}.leg_entries, ${schema}.audit_entries, ${schema}.settings`,
    );
    const gateStore = postgresStore(pool, { schema });
    return { store: postgresLegsStore(pool, { schema }), gateStore, close: async () => undefined };
  },
};
describeLaws(legsStoreLaws, subject, { describe, it });

describe('a commit of provider legs', () => {
  it('looks its documents up by their keys, also in a connection that first saw a small table', async () => {
    const client = await pool.connect();
    const scans = async () => {
      const text = `select seq_scan from pg_stat_xact_user_tables where schemaname = $1 and relname = 'leg_documents'`;
      const { rows } = await client.query<{ seq_scan: string }>(text, [schema]);
      return rows[0]?.seq_scan ?? '0';
    };
    try {
      await client.query('begin');
      const before = await scans();
      const text = `select ${schema}.commit_legs($1::json, '[]') as done`;
      const document = { kind: 'operation', status: 'running', due_at: 1, body: {} };
      for (let version = 1; version <= 10; version += 1)
        for (const id of ['a', 'b', 'c']) {
          const written = await client.query(text, [JSON.stringify([{ ...document, id, version }])]);
          expect(written.rows).toEqual([{ done: true }]);
        }
      expect(await scans()).toBe(before);
    } finally {
      await client.query('rollback');
      client.release();
    }
  });
});
