import { cancel } from '@gateramp/core/domain';
import { emptyChange, type Change, type Scheduler, type WakeHint } from '@gateramp/core/ports';
import { aCreate, rows } from '@gateramp/conformance';
import type pg from 'pg';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { withTransaction } from '../src/index.js';
import { postgresStore } from './patient-store.js';
import { freshSchema, testPool } from './postgres-subject.js';

let pool: pg.Pool;
let schema: string;
let woken: WakeHint[] = [];
const scheduler: Scheduler = {
  wake: (hints) => void woken.push(...hints),
  start: async () => undefined,
  close: async () => undefined,
};
beforeAll(async () => {
  pool = await testPool();
  schema = await freshSchema(pool);
  await pool.query(`create table ${schema}.orders (id text primary key)`);
});
beforeEach(() => {
  woken = [];
});
afterAll(() => pool.end());

it("commits the host's row and our session together", async () => {
  const change = aCreate('together');
  await inHostTransaction('commit', async (client) => {
    const ports = withTransaction(client, { schema, scheduler });
    await client.query(`insert into ${schema}.orders values ('order-1')`);
    expect(await ports.store.commit(change)).toEqual({ kind: 'committed' });
    expect(await ports.store.find('session', rows.ACME, idOf(change))).not.toBeNull();
    expect(await postgresStore(pool, { schema }).find('session', rows.ACME, idOf(change))).toBeNull();
  });
  expect(await postgresStore(pool, { schema }).find('session', rows.ACME, idOf(change))).not.toBeNull();
});

it('leaves neither when the host rolls back, and the key is free again', async () => {
  const change = aCreate('rolled back');
  await inHostTransaction('rollback', async (client) => {
    expect(await withTransaction(client, { schema, scheduler }).store.commit(change)).toEqual({ kind: 'committed' });
  });
  expect(await postgresStore(pool, { schema }).commit(change)).toEqual({ kind: 'committed' });
});

it("answers every conflict without aborting the host's transaction", async () => {
  const store = postgresStore(pool, { schema });
  const taken = aCreate('conflicts');
  await store.commit({ ...taken, once: ['mark'] });
  const session = taken.sessions[0]?.row ?? rows.aSession().session;
  const ended = cancel(session)._unsafeUnwrap().session;
  const conflicts: readonly (readonly [Change, string])[] = [
    [aCreate('conflicts'), 'replay'],
    [{ ...aCreate('new 1'), once: ['mark'] }, 'duplicate'],
    [{ ...taken, idempotency: null }, 'stale'],
    [{ ...emptyChange(rows.ACME, rows.T0), sessions: [{ row: ended, expectedVersion: 7 }] }, 'stale'],
    [{ ...aCreate('new 2'), counters: [{ name: 'nothing', delta: '-1', atLeast: '0' }] }, 'insufficient'],
    // The id exists, which is only detected after the key has been taken: the call must be rolled back, but not the transaction.
    [{ ...taken, idempotency: aCreate('new 3').idempotency }, 'stale'],
  ];
  await inHostTransaction('commit', async (client) => {
    const ports = withTransaction(client, { schema, scheduler });
    for (const [change, kind] of conflicts) expect((await ports.store.commit(change)).kind).toBe(kind);
    await client.query(`insert into ${schema}.orders values ('order-2')`);
  });
  expect((await pool.query(`select id from ${schema}.orders where id = 'order-2'`)).rows).toHaveLength(1);
  for (const key of ['new 1', 'new 2', 'new 3']) expect((await store.commit(aCreate(key))).kind).toBe('committed');
});

it("does not abort the host's transaction when a row stays locked: the change is stale", async () => {
  const held = aCreate('sat on');
  const store = postgresStore(pool, { schema });
  await store.commit(held);
  const session = held.sessions[0]?.row ?? rows.aSession().session;
  const waiting: Change = {
    ...emptyChange(rows.ACME, rows.T0),
    sessions: [{ row: { ...session, version: 2 }, expectedVersion: 1 }],
  };
  await inHostTransaction('rollback', async (sitter) => {
    await sitter.query(`select from ${schema}.sessions where id = $1 for update`, [session.id]);
    await inHostTransaction('commit', async (client) => {
      expect(await withTransaction(client, { schema, scheduler }).store.commit(waiting)).toEqual({ kind: 'stale' });
      await client.query(`insert into ${schema}.orders values ('order-3')`);
    });
  });
  expect((await pool.query(`select id from ${schema}.orders where id = 'order-3'`)).rows).toHaveLength(1);
});

it('wakes no worker before the host has committed', async () => {
  await inHostTransaction('commit', async (client) => {
    const ports = withTransaction(client, { schema, scheduler });
    ports.scheduler.wake([{ delayMs: 0 }]);
    expect(woken).toEqual([]);
    ports.afterCommit();
    expect(woken).toEqual([{ delayMs: 0 }]);
    ports.afterCommit();
    expect(woken).toHaveLength(1);
  });
});

async function inHostTransaction(
  end: 'commit' | 'rollback',
  work: (client: pg.PoolClient) => Promise<void>,
): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query('begin');
    await work(client);
    await client.query(end);
  } finally {
    client.release(true);
  }
}

function idOf(change: Change): string {
  return change.sessions[0]?.row.id ?? '';
}
