import { newTask, type Task } from '@gateramp/core/domain';
import { emptyChange, type Change, type Store } from '@gateramp/core/ports';
import { aCreate, rows } from '@gateramp/conformance';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { BACKLOG_COUNT_MAX, OVERDUE_MS, postgresOperator, type PostgresOperator } from '../src/index.js';
import { expectMarksUpToTheLimit } from './marked-work.js';
import { postgresStore } from './patient-store.js';
import { freshSchema, testPool } from './postgres-subject.js';

const { ACME, ACME_LIVE, BOLT, T0 } = rows;

let pool: pg.Pool;
let schema: string;
let store: Store;
let operator: PostgresOperator;
beforeAll(async () => {
  pool = await testPool();
});
beforeEach(async () => {
  schema = await freshSchema(pool);
  store = postgresStore(pool, { schema });
  operator = postgresOperator(pool, { schema });
});
afterAll(() => pool.end());

describe('the backlog', () => {
  const nothing = { dueDeliveries: 0, overdueDeliveries: 0, dueTasks: 0, overdueTasks: 0, heldSessions: 0 };

  it('counts what is due, what has been for over thirty seconds, and sessions that are held, in one mode alone', async () => {
    await store.commit(aCreate('due'));
    await store.commit({ ...emptyChange(ACME, T0), tasks: [aTask(T0), aTask(T0 + 1)], sessions: [held()] });
    await store.commit(aCreate('live', ACME_LIVE));
    expect(await operator.backlog('test', T0 - 1)).toEqual({ ...nothing, heldSessions: 1 });
    expect(await operator.backlog('test', T0)).toEqual({ ...nothing, dueDeliveries: 1, dueTasks: 1, heldSessions: 1 });
    expect(await operator.backlog('test', T0 + OVERDUE_MS)).toEqual({
      dueDeliveries: 1,
      overdueDeliveries: 1,
      dueTasks: 2,
      overdueTasks: 1,
      heldSessions: 1,
    });
    expect(await operator.backlog('live', T0)).toEqual({ ...nothing, dueDeliveries: 1 });
  });

  it('counts work that is leased only once its lease has lapsed', async () => {
    const change = aCreate('leased');
    await store.commit(change);
    await store.claimOne('delivery', rows.ACME, change.deliveries[0]?.row.id ?? '', {
      now: T0,
      leaseMs: 1_000,
      token: 'lease',
    });
    expect([
      (await operator.backlog('test', T0 + 999)).dueDeliveries,
      (await operator.backlog('test', T0 + 1_000)).dueDeliveries,
    ]).toEqual([0, 1]);
  });

  it('stops counting at BACKLOG_COUNT_MAX', async () => {
    await pool.query(
      `insert into ${schema}.delivery_queue (id, partner_id, mode, lane, endpoint, event_id, due_at, claims)
        select lpad(n::text, 24, '0'), 'acme', 'test', 'retry', 'acme/test', 'e', $1, 0 from generate_series(1, $2::int) n`,
      [T0, BACKLOG_COUNT_MAX + 50],
    );
    expect((await operator.backlog('test', T0)).dueDeliveries).toBe(BACKLOG_COUNT_MAX);
  });

  it('finds held sessions by an index of their own', async () => {
    const { rows: found } = await pool.query<{ definition: string }>(
      'select indexdef as definition from pg_indexes where schemaname = $1 and indexname = $2',
      [schema, 'sessions_held_by_id'],
    );
    expect(found.map(({ definition }) => definition)).toEqual([expect.stringMatching(/\(mode, id\) WHERE is_held$/)]);
  });
});

it('marks count held sessions and parked tasks of a mode up to MARKED_WORK_MAX', () =>
  expectMarksUpToTheLimit(store, operator));

describe('partners and keys', () => {
  it('lists all partners by id', async () => {
    expect(await operator.partners()).toEqual([]);
    for (const id of [BOLT.partnerId, ACME.partnerId]) await store.save('partner', rows.aPartner(id));
    expect(await operator.partners()).toEqual([rows.aPartner(ACME.partnerId), rows.aPartner(BOLT.partnerId)]);
  });

  it('finds keys by how their hash begins, two at most', async () => {
    const [one, other, third, far] = ['ab12', 'ab1f', 'abff', 'ac00'].map((start) => ({
      ...rows.aKey(),
      hash: start.padEnd(64, '0'),
    }));
    for (const key of [one, other, third, far]) if (key !== undefined) await store.save('key', key);
    expect(await operator.keysLike('ab12')).toEqual([one]);
    expect(await operator.keysLike('ab1')).toEqual([one, other]);
    expect(await operator.keysLike('ab')).toHaveLength(2);
    expect(await operator.keysLike(far?.hash ?? '')).toEqual([far]);
    expect(await operator.keysLike('ad')).toEqual([]);
  });
});

describe('resealing', () => {
  const secrets = [
    { sealed: 'new', createdAt: T0 + 1, expiresAt: null },
    { sealed: 'old', createdAt: T0, expiresAt: T0 + 60_000 },
  ];

  it('puts the new seal in the place of every old one and leaves the rest as it is', async () => {
    await store.save('endpoint', { ...rows.anEndpoint(ACME), secrets });
    await store.save('endpoint', { ...rows.anEndpoint(BOLT, null), secrets: [] });
    expect(await operator.resealSecrets((sealed) => `again ${sealed}`)).toBe(2);
    const resealed = secrets.map((secret) => ({ ...secret, sealed: `again ${secret.sealed}` }));
    expect(await store.findEndpoint(ACME)).toEqual({ ...rows.anEndpoint(ACME), secrets: resealed });
    expect(await store.findEndpoint(BOLT)).toEqual({ ...rows.anEndpoint(BOLT, null), secrets: [] });
  });

  it('leaves an endpoint that changed meanwhile as it was changed', async () => {
    await store.save('endpoint', { ...rows.anEndpoint(ACME), secrets });
    const rotated = { ...rows.anEndpoint(ACME), secrets: [{ sealed: 'rotated', createdAt: T0 + 2, expiresAt: null }] };
    const meanwhile: Promise<unknown>[] = [];
    // The change is sent before the replacing statement, and the pool's single connection keeps them in order.
    const narrow = await testPool(1);
    const changing = postgresStore(narrow, { schema });
    await postgresOperator(narrow, { schema }).resealSecrets((sealed) => {
      if (meanwhile.length === 0) meanwhile.push(changing.save('endpoint', rotated));
      return `again ${sealed}`;
    });
    await Promise.all(meanwhile);
    expect(await store.findEndpoint(ACME)).toEqual(rotated);
    await narrow.end();
  });
});

it('calls it an outage when Postgres does not answer', async () => {
  const nobody = new pg.Pool({ connectionString: 'postgres://nobody@127.0.0.1:1/none' });
  await expect(postgresOperator(nobody).partners()).rejects.toMatchObject({ outage: true });
  await nobody.end();
});

function aTask(dueAt: number): Task {
  return newTask({ id: rows.anId(T0), kind: 'quota_check', ...ACME, subjectId: rows.anId(T0), dueAt }, T0);
}

/** A new session whose money may be moving. */
function held(): Change['sessions'][number] {
  return { row: { ...rows.aSession().session, heldSince: T0 }, expectedVersion: null };
}
