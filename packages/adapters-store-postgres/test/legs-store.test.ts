import { describeLaws, legsStoreLaws } from '@gateramp/conformance';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { postgresLegsStore } from '../src/index.js';
import { postgresStore } from './patient-store.js';
import { rowsReadAfresh } from './rows-read.js';
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

describe('work of one partner', () => {
  it('is claimed and listed by its index, between 20,000 documents of another', async () => {
    const { store } = await subject.create();
    await pool.query(
      `insert into ${schema}.leg_documents (kind, id, version, status, due_at, body)
       select 'operation', 'other_' || n, 1, 'running', 1000 + n, '{"partnerId":"other"}' from generate_series(1, 20000) n`,
    );
    await pool.query(`analyze ${schema}.leg_documents`);
    const body = { partnerId: 'ahead' };
    const document = { kind: 'operation', id: 'ours', version: 1, status: 'running', dueAt: 30_000, body };
    await store.commit({ documents: [document], entries: [] });
    const of = (counted: pg.Pool) => postgresLegsStore(counted, { schema });
    const read = rowsReadAfresh(pool);
    const listed = await read((counted) => of(counted).listDue({ kind: 'operation', partnerId: 'ahead', limit: 5 }));
    const claim = { kind: 'operation', now: 1_000, sandboxes: new Map([['ahead', 29_999]]), leaseMs: 1, limit: 32 };
    const claimed = await read((counted) => of(counted).claimDue(claim));
    expect([listed, claimed]).toEqual([1, 0]);
  });
});
