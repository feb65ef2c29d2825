import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { cancel } from '@gateramp/core/domain';
import { emptyChange, type Change, type CommitOutcome, type Store } from '@gateramp/core/ports';
import { aCreate, rows } from '@gateramp/conformance';
import type pg from 'pg';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { testDatabaseUrl } from '../../../tests/services/test-postgres.js';
import { postgresStore } from './patient-store.js';
import { freshSchema, testPool } from './postgres-subject.js';

const pools: pg.Pool[] = [];
let schema: string;
/** One store per simulated process: each batches separately and knows nothing of the others. */
let stores: readonly Store[] = [];
beforeAll(async () => {
  for (let nth = 0; nth < 4; nth += 1) pools.push(await testPool(6));
});
beforeEach(async () => {
  schema = await freshSchema(firstPool());
  stores = pools.map((pool) => postgresStore(pool, { schema }));
});
afterAll(() => Promise.all(pools.map((pool) => pool.end())));

it("creates one session a key when processes race, and every other caller gets that one's reply", async () => {
  const [processes, creates, keys] = [4, 500, 50];
  const racers = await Promise.all(Array.from({ length: processes }, () => aRacer(creates, keys)));
  const answers = (await Promise.all(racers.map((go) => go()))).flat();
  expect(answers).toHaveLength(processes * creates);

  const { rows: stored } = await firstPool().query<{ key_hash: string; reply: string }>(
    `select key_hash, reply from ${schema}.idempotency_keys`,
  );
  const replies = new Map(stored.map(({ key_hash, reply }) => [key_hash, reply]));
  for (const [key, reply] of replies) {
    const ofKey = answers.filter((answer) => answer.key === key);
    expect(ofKey.filter(({ kind }) => kind === 'committed')).toHaveLength(1);
    expect(ofKey.filter(({ kind, reply: replayed }) => kind === 'replay' && replayed === reply)).toHaveLength(
      ofKey.length - 1,
    );
  }
  expect(await counts()).toEqual({ keys, sessions: keys, events: keys, deliveries: keys });
});

it('commits exactly one of many decisions on one version, whichever process decided', async () => {
  const { session, announcements } = rows.aSession();
  const created = announcements.map((announcement) => rows.anEvent(session, announcement, rows.T0));
  await stores[0]?.commit({
    ...emptyChange(rows.ACME, rows.T0),
    sessions: [{ row: session, expectedVersion: null }],
    events: created,
  });
  const ended = cancel(session)._unsafeUnwrap();
  const outcomes = await race(40, () => ({
    ...emptyChange(rows.ACME, rows.T0),
    sessions: [{ row: { ...ended.session, version: 2 }, expectedVersion: 1 }],
    events: ended.announcements.map((announcement) => rows.anEvent(ended.session, announcement, rows.T0)),
    counters: [{ name: 'ended', delta: '1', atLeast: null }],
  }));
  expect(outcomes.filter(({ kind }) => kind === 'committed')).toHaveLength(1);
  expect(outcomes.filter(({ kind }) => kind === 'stale')).toHaveLength(39);
  expect(await stores[1]?.readCounters(rows.ACME, ['ended'])).toEqual(['1']);
  expect((await stores[2]?.list('session_event', rows.ACME, session.id))?.map(({ sequence }) => sequence)).toEqual([
    1, 2,
  ]);
});

it('locks the rows of several sessions in one order: changes that name them the other way round never deadlock', async () => {
  const made = Array.from({ length: 4 }, () => rows.aSession().session);
  await stores[0]?.commit({
    ...emptyChange(rows.ACME, rows.T0),
    sessions: made.map((row) => ({ row, expectedVersion: null })),
  });
  for (let version = 1; version <= 10; version += 1) {
    const outcomes = await race(8, (nth) => {
      const next = made.map((row) => ({ row: { ...row, version: version + 1 }, expectedVersion: version }));
      return { ...emptyChange(rows.ACME, rows.T0), sessions: nth % 2 === 0 ? next : next.toReversed() };
    });
    expect(outcomes.filter(({ kind }) => kind === 'committed')).toHaveLength(1);
  }
});

it('never spends more than a balance holds, however many processes reserve at once', async () => {
  await stores[0]?.commit({
    ...emptyChange(rows.ACME, rows.T0),
    counters: [{ name: 'pool', delta: '10.5', atLeast: null }],
  });
  const outcomes = await race(60, () => ({
    ...emptyChange(rows.ACME, rows.T0),
    counters: [{ name: 'pool', delta: '-0.25', atLeast: '0' }],
  }));
  expect(outcomes.filter(({ kind }) => kind === 'committed')).toHaveLength(42);
  expect(outcomes.filter(({ kind }) => kind === 'insufficient')).toHaveLength(18);
  expect(await stores[3]?.readCounters(rows.ACME, ['pool'])).toEqual(['0']);
});

it('gives an endpoint exactly its share, and each delivery one lease, when processes claim at once', async () => {
  await race(40, (nth) => aCreate(`key-${nth}`));
  const claims = await Promise.all(
    Array.from({ length: 16 }, (_, nth) =>
      store(nth).claim('delivery', {
        now: rows.nowIn(rows.T0),
        lane: 'first',
        limit: 5,
        perEndpoint: 25,
        leaseMs: 60_000,
        token: rows.aUuid(),
      }),
    ),
  );
  const ids = claims.flat().map(({ delivery }) => delivery.id);
  expect(ids).toHaveLength(25);
  expect(new Set(ids).size).toBe(25);
});

it('counts the leases of a claim that is not committed yet: another claim waits for it', async () => {
  await race(5, (nth) => aCreate(`key-${nth}`));
  const claim = (now: number) => ({
    now: rows.nowIn(now),
    lane: 'first' as const,
    limit: 10,
    perEndpoint: 3,
    leaseMs: 60_000,
    token: rows.aUuid(),
  });
  const rival = await firstPool().connect();
  await rival.query('begin');
  const leased = await rival.query(
    `select from ${schema}.claim_due('first', $1, $1, null, null, null, 10, 3, 60000, 'rival')`,
    [rows.T0],
  );
  expect(leased.rowCount).toBe(3);
  // Due before those that the rival holds, so no row lock would stop a second claim from taking it.
  const early = aCreate('early');
  await store(1).commit({
    ...early,
    deliveries: early.deliveries.map(({ row }) => ({ row: { ...row, dueAt: rows.T0 - 1 }, when: 'always' })),
  });
  let isOver = false;
  const claimed = store(1)
    .claim('delivery', claim(rows.T0))
    .finally(() => (isOver = true));
  const isWaiting = async () =>
    (await firstPool().query(`select from pg_locks where locktype = 'advisory' and not granted`)).rowCount !== 0;
  while (!isOver && !(await isWaiting()));
  await rival.query('commit');
  rival.release();
  expect(await claimed).toEqual([]);
});

it('commits the neighbours of a change that Postgres refuses, and rejects that one alone', async () => {
  const good = Array.from({ length: 20 }, (_, nth) => aCreate(`good-${nth}`));
  const broken = aCreate('broken');
  // Postgres text cannot contain this character; the engine never lets it in.
  const bad: Change = { ...broken, events: broken.events.map((event) => ({ ...event, body: 'nul \u0000' })) };
  const results = await Promise.allSettled(
    [...good.slice(0, 10), bad, ...good.slice(10)].map((change) => store(0).commit(change)),
  );
  expect(results.filter(({ status }) => status === 'rejected')).toHaveLength(1);
  expect(results.filter((result) => result.status === 'fulfilled' && result.value.kind === 'committed')).toHaveLength(
    20,
  );
  expect(await counts()).toEqual({ keys: 20, sessions: 20, events: 20, deliveries: 20 });
});

it('commits the neighbours of a change that waits for a locked row, and calls that one an outage', async () => {
  const held = aCreate('held');
  await store(0).commit(held);
  const session = held.sessions[0]?.row ?? rows.aSession().session;
  const sitter = await firstPool().connect();
  await sitter.query('begin');
  await sitter.query(`select from ${schema}.sessions where id = $1 for update`, [session.id]);
  const waiting: Change = {
    ...emptyChange(rows.ACME, rows.T0),
    sessions: [{ row: { ...session, version: 2 }, expectedVersion: 1 }],
  };
  const good = Array.from({ length: 6 }, (_, nth) => aCreate(`good-${nth}`));
  const [outcome, ...neighbours] = await Promise.allSettled(
    [waiting, ...good].map((change) => store(0).commit(change)),
  );
  expect(outcome).toMatchObject({ status: 'rejected', reason: { outage: true } });
  expect(neighbours).toEqual(good.map(() => ({ status: 'fulfilled', value: { kind: 'committed' } })));
  await sitter.query('commit');
  sitter.release();
  expect(await store(0).commit(waiting)).toEqual({ kind: 'committed' });
});

it('commits the neighbours of changes that are refused: each hears its own reason', async () => {
  await store(0).commit(aCreate('taken'));
  const twin = aCreate('twin');
  await store(0).commit(twin);
  const changes: readonly Change[] = [
    aCreate('a'),
    { ...aCreate('taken') },
    aCreate('b'),
    { ...twin, idempotency: null },
    { ...aCreate('c'), counters: [{ name: 'empty', delta: '-1', atLeast: '0' }] },
    aCreate('d'),
  ];
  const outcomes = await Promise.all(changes.map((change) => store(0).commit(change)));
  expect(outcomes.map(({ kind }) => kind)).toEqual([
    'committed',
    'replay',
    'committed',
    'stale',
    'insufficient',
    'committed',
  ]);
  expect(await counts()).toEqual({ keys: 5, sessions: 5, events: 5, deliveries: 5 });
});

function race(many: number, make: (nth: number) => Change): Promise<readonly CommitOutcome[]> {
  return Promise.all(Array.from({ length: many }, (_, nth) => store(nth).commit(make(nth))));
}

function store(nth: number): Store {
  const found = stores[nth % stores.length];
  if (found === undefined) throw new Error('There is no store yet.');
  return found;
}

function firstPool(): pg.Pool {
  const [pool] = pools;
  if (pool === undefined) throw new Error('There is no pool yet.');
  return pool;
}

async function counts(): Promise<unknown> {
  const count = (table: string, name: string) => `(select count(*)::int from ${schema}.${table}) as ${name}`;
  const { rows: found } = await firstPool().query(
    `select ${[count('idempotency_keys', 'keys'), count('sessions', 'sessions'), count('events', 'events'), count('deliveries', 'deliveries')].join(', ')}`,
  );
  return found[0];
}

interface Answer {
  readonly key: string;
  readonly kind: string;
  readonly reply: string | null;
}

/** A connected process that waits; calling the returned function starts it. */
async function aRacer(creates: number, keys: number): Promise<() => Promise<readonly Answer[]>> {
  const script = fileURLToPath(new URL('racer.ts', import.meta.url));
  const args = [
    '--conditions=@gateramp/source',
    '--import',
    'tsx',
    '--import',
    new URL('../../../tools/lib/sql-in-node.mjs', import.meta.url).href,
    script,
    await testDatabaseUrl(),
    schema,
    String(creates),
    String(keys),
  ];
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  await once(child.stdout, 'data');
  return async () => {
    child.stdin.end('go\n');
    await once(child, 'close');
    return JSON.parse(output.slice('ready\n'.length)) as readonly Answer[];
  };
}
