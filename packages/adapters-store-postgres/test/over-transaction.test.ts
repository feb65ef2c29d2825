import { randomBytes } from 'node:crypto';
import { memoryKycVault, noRateLimits } from '@gateramp/adapters-store-memory';
import { createGate, type CreateGateSession } from '@gateramp/core';
import { stillScheduler, TEST_PARTNER } from '@gateramp/testing';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { testDatabaseUrl } from '../../../tests/services/test-postgres.js';
import { withTransaction } from '../src/index.js';
import { postgresStore } from './patient-store.js';
import { freshSchema, testPool } from './postgres-subject.js';

const MASTER_KEY = randomBytes(32);
const ACME = { partnerId: TEST_PARTNER.id, mode: 'test' } as const;
const BODY: CreateGateSession = { amount: '100.00', currency: 'EUR', return_url: 'https://shop.example/done' };

let pool: pg.Pool;
let schema: string;
beforeAll(async () => {
  pool = await testPool();
  schema = await freshSchema(pool);
  await pool.query(`create table ${schema}.orders (id text primary key)`);
});
afterAll(() => pool.end());

function aGate(connections = pool) {
  const scheduler = stillScheduler();
  const vault = memoryKycVault();
  const gate = createGate({
    store: postgresStore(connections, { schema }),
    scheduler,
    vault,
    limits: noRateLimits(),
    providers: [],
    masterKey: MASTER_KEY,
  });
  return { gate, scheduler, vault };
}

it('creates a session that lives and dies with the order row of the host', async () => {
  const { gate, scheduler } = aGate();
  await gate.admin.savePartner(TEST_PARTNER);
  const ids: string[] = [];
  for (const end of ['commit', 'rollback']) {
    const client = await pool.connect();
    await client.query('begin');
    await client.query(`insert into ${schema}.orders values ($1)`, [end]);
    const ports = withTransaction(client, { schema, scheduler });
    const created = await gate.over(ports).sessions.create(ACME, BODY, { idempotencyKey: `order-${end}` });
    ids.push(created._unsafeUnwrap().id);
    await client.query(end);
    ports.afterCommit();
    client.release();
  }
  const found = await Promise.all(ids.map((id) => gate.sessions.retrieve(ACME, id)));
  expect(found.map((one) => one.isOk())).toEqual([true, false]);
  expect((await pool.query(`select id from ${schema}.orders`)).rows).toEqual([{ id: 'commit' }]);
});

it('gives the original session when the host repeats the key in another transaction', async () => {
  const { gate, scheduler } = aGate();
  await gate.admin.savePartner(TEST_PARTNER);
  const original = (await gate.sessions.create(ACME, BODY, { idempotencyKey: 'repeated' }))._unsafeUnwrap();
  const client = await pool.connect();
  await client.query('begin');
  const again = await gate
    .over(withTransaction(client, { schema, scheduler }))
    .sessions.create(ACME, BODY, { idempotencyKey: 'repeated' });
  await client.query(`insert into ${schema}.orders values ('after a replay')`);
  await client.query('commit');
  client.release();
  expect(again._unsafeUnwrap()).toEqual(original);
});

it('needs no connection besides the transaction, so that as many transactions as there are connections do not wait for each other', async () => {
  const only = new pg.Pool({ connectionString: await testDatabaseUrl(), max: 1, connectionTimeoutMillis: 20_000 });
  const { gate, scheduler } = aGate(only);
  await gate.admin.savePartner(TEST_PARTNER);
  await gate.admin.findEndpoint(ACME);
  await gate.admin.sealSecret('whsec_0000000000000000000000testonly');
  const client = await only.connect();
  await client.query('begin');
  const create = () => gate.over(withTransaction(client, { schema, scheduler })).sessions.create(ACME, BODY);
  expect((await create()).isOk()).toBe(true);
  // Another process registers a consumer, so the known registry is outdated and must be read again.
  await postgresStore(pool, { schema }).registerConsumers([{ name: 'late', type: 'gate_session.created' }]);
  expect((await create()).isOk()).toBe(true);
  await client.query('commit');
  client.release();
  await only.end();
});

it('forgets no kyc_package of a session that the host rolls back to open', async () => {
  const { gate, scheduler, vault } = aGate();
  await gate.admin.savePartner(TEST_PARTNER);
  const { id } = (
    await gate.sessions.create(ACME, { ...BODY, kyc_package: { provider: 'acme', name: 'Ada' } })
  )._unsafeUnwrap();
  for (const end of ['rollback', 'commit']) {
    const client = await pool.connect();
    await client.query('begin');
    const ports = withTransaction(client, { schema, scheduler });
    expect((await gate.over(ports).sessions.cancel(ACME, id)).isOk()).toBe(true);
    await client.query(end);
    if (end === 'commit') ports.afterCommit();
    client.release();
    expect((await gate.sessions.retrieve(ACME, id))._unsafeUnwrap().status).toBe(
      end === 'commit' ? 'cancelled' : 'open',
    );
    if (end === 'rollback') expect(vault.find(id)?.body).toContain('Ada');
  }
});
