import { DEFAULT_POLICY } from '@gateramp/core';
import { recordDeliveryAttempt, type Lane } from '@gateramp/core/domain';
import type { ClaimedDelivery, DeliveryClaim, Store } from '@gateramp/core/ports';
import { aCreate, rows } from '@gateramp/conformance';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { testDatabaseUrl } from '../../../tests/services/test-postgres.js';
import { postgresStore } from './patient-store.js';
import { ACCEPTED, freshSchema } from './postgres-subject.js';

/** A Postgres that compiles expensive plans, which is the default of most. One connection, so that it can be observed. */
let pool: pg.Pool;
let schema: string;
let store: Store;
beforeAll(async () => {
  pool = new pg.Pool({ connectionString: await testDatabaseUrl({ stock: true }), max: 1 });
  schema = await freshSchema(pool);
  store = postgresStore(pool, { schema });
});
afterAll(() => pool.end());

it('every function that sets how the planner goes keeps Postgres from compiling the plan, whose cost then says nothing', async () => {
  const { rows: compiled } = await pool.query<{ name: string }>(
    `select p.oid::regprocedure::text as name from pg_proc p join pg_namespace n on n.oid = p.pronamespace
     where n.nspname = $1 and p.proconfig::text like '%enable_%' and not 'jit=off' = any (p.proconfig)`,
    [schema],
  );
  expect(compiled).toEqual([]);
});

it('no plan is compiled for committing, claiming, recording or looking at what is due', async () => {
  expect(
    await plansCompiled(() => pool.query('set local jit_above_cost = 0; select sum(n) from generate_series(1, 10) n')),
  ).toBeGreaterThan(0);
  const claimed: ClaimedDelivery[] = [];
  const work = async () => {
    for (let nth = 0; nth < 20; nth += 1) await store.commit(aCreate(`key-${nth}`));
    await store.claim('task', { now: rows.nowIn(rows.T0), limit: 10, leaseMs: 60_000, token: rows.aUuid() });
    claimed.push(
      ...(await store.claim('delivery', claim('first'))),
      ...(await store.claim('delivery', claim('retry'))),
    );
    await store.nextDue('test');
    for (const { delivery } of claimed) await record(delivery);
  };
  expect(await plansCompiled(work)).toBe(0);
  expect(claimed).toHaveLength(10);
});

it('no plan is compiled for a page of a list, however dear it looks', async () => {
  const filter = {
    status: null,
    flow: null,
    currency: 'EUR',
    userReference: null,
    createdAfter: null,
    createdBefore: null,
  };
  const page = { start: { kind: 'newest' }, limit: 10 } as const;
  const list = () => store.list('session', rows.ACME, filter, page, rows.T0);
  // The first page looks up the partitions too, by a plan that is cheap and looks cheap.
  await list();
  const compiled = await plansCompiled(async () => {
    await pool.query('set jit_above_cost = 0');
    expect((await list()).length).toBeGreaterThan(0);
  });
  expect(compiled).toBe(0);
});

/** The number of plans that Postgres compiled meanwhile, including those within functions, as reported by Postgres. */
async function plansCompiled(work: () => Promise<unknown>): Promise<number> {
  let compiled = 0;
  const client = await pool.connect();
  const listen = ({ message = '' }: { readonly message: string | undefined }): void =>
    void (compiled += message.includes('\nJIT:') ? 1 : 0);
  client.on('notice', listen);
  await client.query(
    `load 'auto_explain'; set auto_explain.log_min_duration = 0; set auto_explain.log_nested_statements = on; set auto_explain.log_level = 'notice'`,
  );
  client.release();
  await work();
  await pool.query('reset all');
  client.off('notice', listen);
  return compiled;
}

async function record(delivery: ClaimedDelivery['delivery']): Promise<void> {
  const { delivery: next, attempt } = recordDeliveryAttempt(delivery, ACCEPTED, rows.T0, DEFAULT_POLICY);
  expect(await store.recordDelivery({ leaseToken: delivery.leaseToken ?? '', next, attempt })).toBe('recorded');
}

function claim(lane: Lane): DeliveryClaim {
  return { now: rows.nowIn(rows.T0), lane, limit: 10, perEndpoint: 1_000, leaseMs: 60_000, token: rows.aUuid() };
}
