import { changes, rows } from '@gateramp/conformance';
import { emptyChange } from '@gateramp/core/ports';
import { createTestGate } from '@gateramp/testing';
import { sandboxPools, sandboxProvider, type SandboxLedger } from '@gateramp/adapters-provider-sandbox';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { InstallationError, postgresLoad, postgresSandboxLedger } from '@gateramp/adapters-store-postgres';
import { postgresStore } from '../../adapters-store-postgres/test/patient-store.js';
import { partitionedSchema } from '../../adapters-store-postgres/test/partitions/partitioned-schema.js';
import { freshSchema, testPool } from '../../adapters-store-postgres/test/postgres-subject.js';
import { fill } from '../../adapters-store-postgres/test/upgrades/shop-life.js';
import { citus } from '../src/index.js';
import { distribute, distributedSchema } from './cluster-layout.js';

const { ACME, T0 } = rows;

let pool: pg.Pool;
beforeAll(async () => {
  pool = await testPool();
});
afterAll(() => pool.end());

/** The number of rows of each table, and a digest of all of them without the distribution column. */
async function digests(schema: string): Promise<Readonly<Record<string, string>>> {
  const { rows: tables } = await pool.query<{ name: string }>(
    "select tablename as name from pg_tables where schemaname = $1 and tablename <> 'citus_migrations'",
    [schema],
  );
  const found: Record<string, string> = {};
  for (const { name } of tables) {
    const row = `(to_jsonb(t) - 'partner_id')::text`;
    const { rows: counted } = await pool.query<{ digest: string }>(
      `select count(*) || ' ' || md5(coalesce(string_agg(${row}, '\n' order by ${row}), '')) as digest from "${schema}"."${name}" t`,
    );
    found[name] = counted[0]?.digest ?? '';
  }
  return found;
}

describe('distribute.sql, run on an installation with rows', () => {
  it('keeps every row, and names the partner of each', async () => {
    const schema = await freshSchema(pool);
    const ledger: SandboxLedger = postgresSandboxLedger(pool, { schema });
    const ports = {
      store: postgresStore(pool, { schema }),
      providers: [sandboxProvider({ ledger })],
      pools: sandboxPools({ ledger }),
    };
    await fill(await createTestGate({ ports }));
    const before = await digests(schema);
    for (const table of ['idempotency_keys', 'once_marks', 'counters', 'tasks', 'events', 'delivery_queue'])
      expect([table, before[table]]).toEqual([table, expect.not.stringMatching(/^0 /)]);
    await distribute(pool, schema);
    expect(await digests(schema)).toEqual(before);

    const named = ['idempotency_keys', 'once_marks', 'counters', 'tasks'].map(
      (table) => `select '${table}' as name, partner_id from "${schema}".${table}`,
    );
    const { rows: unknown } = await pool.query(
      `select * from (${named.join(' union all ')}) t where partner_id not in (select id from "${schema}".partners)`,
    );
    expect(unknown).toEqual([]);
  });

  it('keeps what may happen only once from happening again: marks, keys and counters of each partner', async () => {
    const schema = await freshSchema(pool);
    const ref = { scope: `${ACME.partnerId}/test`, keyHash: rows.aHash(), fingerprint: 'print' };
    const change = {
      ...emptyChange(ACME, T0),
      once: ['provider-event/test/sandbox/event-1', `quota/${ACME.partnerId}/test/0/80`],
      counters: [{ name: `pool/${ACME.partnerId}/test/pool/EUR/available`, delta: '5.00', atLeast: null }],
      idempotency: changes.claim(ref, 'reply', T0 + 1),
      tasks: [rows.aTask({ dueAt: T0 })],
    };
    expect(await postgresStore(pool, { schema }).commit(change)).toEqual({ kind: 'committed' });
    await distribute(pool, schema);
    const store = postgresStore(pool, { schema, distribution: citus });
    const commit = (changed: object) => store.commit({ ...emptyChange(ACME, T0), ...changed });
    for (const mark of change.once)
      expect(await commit({ once: ['another', mark] })).toEqual({ kind: 'duplicate', mark });
    expect(await commit({ once: ['another'] })).toEqual({ kind: 'committed' });
    expect((await commit({ idempotency: change.idempotency, once: change.once })).kind).toBe('replay');
    const [counter] = change.counters;
    expect(await commit({ counters: [{ ...counter, delta: '-5.01', atLeast: '0' }] })).toMatchObject({
      kind: 'insufficient',
    });
    const claim = { now: rows.nowIn(T0), limit: 9, leaseMs: 1_000, token: 'a-claim' };
    expect(await store.claim('task', claim)).toMatchObject([{ id: change.tasks[0]?.id }]);
  });

  it('refuses tables that are partitioned by month, and changes nothing', async () => {
    const schema = await partitionedSchema(pool, [Date.UTC(2029, 0), Date.UTC(2029, 1)]);
    const columns = async () => {
      const text = `select table_name, column_name, is_nullable from information_schema.columns
        where table_schema = $1 and table_name <> 'citus_migrations' order by table_name, column_name`;
      return (await pool.query(text, [schema])).rows;
    };
    const before = await columns();
    await expect(distribute(pool, schema)).rejects.toThrow('Run "gate partition off" first.');
    expect(await columns()).toEqual(before);
    expect(await postgresStore(pool, { schema }).commit(emptyChange(ACME, T0))).toEqual({ kind: 'committed' });
  });

  it('must follow a move: a load into distributed tables is refused before its first row', async () => {
    const schema = await distributedSchema(pool);
    const none = { count: () => 0, read: () => ({ rows: [], next: null }) };
    const load = postgresLoad(pool, none, { id: 'move', schema });
    await expect(load).rejects.toThrow(InstallationError);
    await expect(load).rejects.toThrow(/are distributed, and a move cannot fill them\. Move into a database without/);
    expect(await postgresStore(pool, { schema, distribution: citus }).readSetting('move')).toBeNull();
  });
});
