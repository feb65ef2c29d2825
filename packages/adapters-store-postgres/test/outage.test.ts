import type { CommitOutcome, Store } from '@gateramp/core/ports';
import { aCreate, rows } from '@gateramp/conformance';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startPostgres } from '../../../tests/services/postgres.js';
import { migrate, postgresOperator, postgresStore } from '../src/index.js';

/** A separate server, because these tests stop it. */
let server: Awaited<ReturnType<typeof startPostgres>>;
let pool: pg.Pool;
let store: Store;
beforeAll(async () => {
  server = await startPostgres();
  // No listener here: the store must attach the one whose absence ends the process.
  pool = new pg.Pool({ connectionString: server.url, max: 8 });
  await migrate(pool);
  store = postgresStore(pool);
});
afterAll(async () => {
  await pool.end();
  await server.stop();
});

const anOutage: unknown = expect.objectContaining({ outage: true });

it('loses no acknowledged commit and repeats none when Postgres is killed during commits', async () => {
  const changes = Array.from({ length: 600 }, (_, nth) => aCreate(`key-${nth}`));
  let acknowledged = 0;
  const killed: Promise<void>[] = [];
  const commit = async (change: (typeof changes)[number]): Promise<CommitOutcome> => {
    const outcome = await store.commit(change);
    acknowledged += 1;
    if (acknowledged === 100) killed.push(server.kill());
    return outcome;
  };
  const results: PromiseSettledResult<CommitOutcome>[] = [];
  for (let from = 0; from < changes.length; from += 40)
    results.push(...(await Promise.allSettled(changes.slice(from, from + 40).map(commit))));
  await Promise.all(killed);
  await server.start();

  const lost = results.filter((result) => result.status === 'rejected');
  expect(lost.length).toBeGreaterThan(0);
  for (const { reason } of lost) expect(reason).toEqual(anOutage);
  for (const [nth, change] of changes.entries()) {
    const again = await store.commit(change);
    if (results[nth]?.status === 'fulfilled') expect(again.kind).toBe('replay');
    else expect(['committed', 'replay']).toContain(again.kind);
  }
  const { rows: found } = await pool.query<{ sessions: number; events: number }>(
    'select (select count(*)::int from gateramp.sessions) as sessions, (select count(*)::int from gateramp.events) as events',
  );
  expect(found).toEqual([{ sessions: changes.length, events: changes.length }]);
});

it('calls it an outage when Postgres does not answer, and works again with the next connection', async () => {
  await server.kill();
  await expect(store.find('session', rows.ACME, 'any')).rejects.toEqual(anOutage);
  await expect(store.commit(aCreate('away'))).rejects.toEqual(anOutage);
  await server.start();
  expect(await store.commit(aCreate('away'))).toEqual({ kind: 'committed' });
});

it.each([
  ['a full disk', '53100'],
  ['memory that is used up', '53200'],
  ['a disk that fails', '58030'],
  ['a server that shuts down', '57P01'],
  ['a server that starts', '57P03'],
  ['a server that takes no writes', '25006'],
])('calls %s an outage (SQLSTATE %s), and loses nothing by it', async (_, code) => {
  await pool.query(
    `create or replace function gateramp.fail() returns trigger language plpgsql as $$ begin raise sqlstate '${code}' using message = 'as asked'; end $$`,
  );
  await pool.query(
    'create trigger fails before insert on gateramp.events for each row execute function gateramp.fail()',
  );
  const changes = [aCreate(`${code}-1`), aCreate(`${code}-2`)];
  const outcomes = await Promise.allSettled(changes.map((change) => store.commit(change)));
  await pool.query('drop trigger fails on gateramp.events');
  for (const outcome of outcomes) expect(outcome).toMatchObject({ status: 'rejected', reason: anOutage });
  expect(await Promise.all(changes.map((change) => store.commit(change)))).toEqual([
    { kind: 'committed' },
    { kind: 'committed' },
  ]);
});

it('calls a Postgres that has become read-only an outage, and goes on reading from it', async () => {
  await pool.query('alter system set default_transaction_read_only = on');
  await pool.query('select pg_reload_conf()');
  await expect
    .poll(async () => (await pool.query('show transaction_read_only')).rows)
    .toEqual([{ transaction_read_only: 'on' }]);
  const operator = postgresOperator(pool);
  await expect(store.commit(aCreate('read only'))).rejects.toEqual(anOutage);
  await expect(
    store.claim('task', { now: rows.nowIn(rows.T0), limit: 1, leaseMs: 1_000, token: 'token' }),
  ).rejects.toEqual(anOutage);
  await expect(operator.probe()).rejects.toEqual(anOutage);
  expect(await store.find('session', rows.ACME, 'any')).toBeNull();
  await pool.query('alter system reset default_transaction_read_only');
  await pool.query('select pg_reload_conf()');
  await expect.poll(() => store.commit(aCreate('read only')).catch(() => null)).toEqual({ kind: 'committed' });
  expect(Math.abs((await operator.probe()) - Date.now())).toBeLessThan(60_000);
});

it('gives up on a statement that takes too long, and calls that an outage too', async () => {
  const impatient = postgresStore(pool, { queryTimeoutMs: 1_500 });
  const change = aCreate('slow');
  await store.commit(change);
  const holder = await pool.connect();
  await holder.query('begin; lock table gateramp.sessions');
  await expect(impatient.find('session', rows.ACME, change.sessions[0]?.row.id ?? '')).rejects.toEqual(anOutage);
  await holder.query('commit');
  holder.release();
  // A machine that stands still makes this statement take too long as well.
  await expect
    .poll(() => impatient.find('session', rows.ACME, change.sessions[0]?.row.id ?? '').catch(() => null))
    .not.toBeNull();
});
