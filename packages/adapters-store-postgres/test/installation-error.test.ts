import { createTestGate } from '@gateramp/testing';
import type pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  InstallationError,
  migrate,
  migrations,
  postgresOperator,
  postgresSandboxLedger,
  postgresStore,
} from '../src/index.js';
import { aSchemaName, freshSchema, testPool } from './postgres-subject.js';
import { aCreate, rows } from '@gateramp/conformance';

let pool: pg.Pool;
beforeAll(async () => {
  pool = await testPool();
});
afterAll(() => pool.end());

const saysWhatToDo = expect.stringMatching(/Run "gate migrate" or "await migrate\(pool\)"/);
const ANY = { status: null, flow: null, currency: null, userReference: null, createdAfter: null, createdBefore: null };

it('says what to do when the tables were never made, whatever is asked first', async () => {
  const schema = aSchemaName();
  const store = postgresStore(pool, { schema });
  const asked = [
    store.readSetting('pepper'),
    store.commit(aCreate('first')),
    store.claim('task', { now: rows.nowIn(rows.T0), limit: 1, leaseMs: 1_000, token: 'token' }),
    store.list('session', rows.ACME, ANY, { start: { kind: 'newest' }, limit: 1 }, rows.T0),
    postgresOperator(pool, { schema }).partners(),
    postgresSandboxLedger(pool, { schema }).read('any'),
  ];
  for (const result of await Promise.allSettled(asked))
    expect(result).toMatchObject({ status: 'rejected', reason: { name: 'InstallationError', message: saysWhatToDo } });
});

it('says so too when they are of an earlier version', async () => {
  const schema = await freshSchema(pool);
  await pool.query(
    `drop function ${schema}.commit_changes, ${schema}.commit_new_rows; alter table ${schema}.api_keys drop column last_used_at`,
  );
  const store = postgresStore(pool, { schema });
  await expect(store.commit(aCreate('first'))).rejects.toMatchObject({ message: saysWhatToDo });
  await expect(store.listKeys('any')).rejects.toMatchObject({ message: saysWhatToDo });
});

it('does not touch a schema that a newer version has migrated', async () => {
  const schema = await freshSchema(pool);
  const known = migrations(schema).length;
  await pool.query(`insert into ${schema}.migrations (number, name) values ($1, 'of tomorrow')`, [known + 1]);
  const refused = await migrate(pool, { schema }).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(InstallationError);
  expect(refused).toMatchObject({
    message: expect.stringContaining(`it has migration ${known + 1}, but this version only knows ${known}`),
  });
});

it('makes no new pepper for rows that were made with another', async () => {
  const schema = await freshSchema(pool);
  const store = postgresStore(pool, { schema });
  const t = await createTestGate({ ports: { store } });
  await t.createSession({ amount: '1.00' });
  await pool.query(`delete from ${schema}.settings where name = 'pepper'`);
  await expect(createTestGate({ ports: { store } })).rejects.toThrow(
    /The pepper is missing from .* Restore that row from a backup/,
  );
  expect(await store.readSetting('pepper')).toBeNull();
});

it('makes one pepper for all when several begin with an empty database', async () => {
  const store = postgresStore(pool, { schema: await freshSchema(pool) });
  const made = await Promise.all(['one', 'two', 'three'].map((value) => store.swapSetting('pepper', null, value)));
  expect(new Set(made).size).toBe(1);
});
