import { changes, describeLaws, rows, sandboxStoreLaws, storeLaws, unfinishedWorkLaws } from '@gateramp/conformance';
import { emptyChange } from '@gateramp/core/ports';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { testDatabaseUrl } from '../../../tests/services/test-postgres.js';
import { OVERDUE_MS, postgresOperator, type PostgresOperator } from '@gateramp/adapters-store-postgres';
import { pooled } from '../../adapters-store-postgres/src/database.js';
import { citus } from '../src/index.js';
import { operatorOfShards } from '../src/operator.js';
import { pollOfShards } from '../src/poll.js';
import { postgresStore } from '../../adapters-store-postgres/test/patient-store.js';
import { postgresSubject, testPool } from '../../adapters-store-postgres/test/postgres-subject.js';
import { distributedSchema, rulesOf } from './cluster-layout.js';
import { functionBodies } from './function-bodies.js';
import { functionsCalled, violations } from './router-rules.js';

/**
 * Statements that do not run on one node, by the function that contains them or the beginning of their text, and why. Each is listed in
 * `docs/citus.md`. None of them locks or writes.
 */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  'select id, partner_id, endpoint, due_at as free_at, is_leased from':
    'workers: finds due deliveries of all partners, without locks; a window per partner and endpoint runs on each shard',
  'select id, partner_id, free_at from "s".tasks': 'workers: finds due tasks of all partners, without locks',
  "select 'delivery' as kind, id, due_at as free_at": 'workers: finds what is due next of all partners',
  "select 'delivery' as kind, id, lease_until as free_at": 'workers: as above',
  "select 'task' as kind, id, free_at from": 'workers: as above',
  'select distinct lane from': 'workers: as above, if all kinds of work are asked for; operators: the lanes in use',
  'select id as place from': 'workers: the poll of the scheduler of Postgres; that of Redis needs none',
  'select free_at || id as place from': 'workers: as above',
  'select due_at || id as place from': 'workers: as above',
  'select partner_id from "s".delivery_queue':
    'workers: one delivery by its id, when the clock of a whole mode is stepped',
  'select partner_id from "s".tasks': 'workers: as above, one task',
  'select partner_id from "s".idempotency_keys':
    'reaping: asks each shard which partners have old rows, then reaps by partner',
  'select row::text as row from "s".intents where mode':
    'callbacks of providers do not name the partner: asks each shard, by an index',
  'select 1 from "s".sessions limit 1': 'the first start: whether a new installation is empty',
  'select count(*)::int as many from (select 1 as one from': 'operators: the backlog gauges',
  'select coalesce(sum(hashtextextended(id, 0)), 0) as value from (select id from':
    'operators: the stream of changes of the console, which compares held sessions and parked tasks',
  'select d.id, d.partner_id, d.event_id': 'operators: what is queued in a lane, of all partners',
  'select row::text as row, lease_token, lease_until, claims, id, free_at from':
    'operators: parked, failed and overdue tasks',
  'select distinct on (kind) row, lease_token, lease_until, claims, id, free_at, (count(*) over ())::int as many from':
    'operators: the tasks of each kind that have waited longest',
  'select row::text as row from "s".sessions where mode = $1 and is_held': 'operators: held sessions of all partners',
  'select row::text as row from "s".endpoints':
    'operators: a new master key reseals the webhook secrets of all partners',
};

let office: pg.Pool;
let pool: pg.Pool;
const sent = new Set<string>();

beforeAll(async () => {
  office = await testPool();
  pool = new pg.Pool({ connectionString: await testDatabaseUrl(), max: 10 });
  pool.on('error', () => undefined);
  pool.on('connect', recordStatements);
});
afterAll(() => Promise.all([office.end(), pool.end()]));

function recordStatements(client: pg.PoolClient): void {
  const query = client.query.bind(client);
  Object.assign(client, {
    query: (...asked: readonly unknown[]): unknown => {
      // The driver takes a text or an object with one.
      const statement = asked[0] as string | pg.QueryConfig;
      sent.add((typeof statement === 'string' ? statement : statement.text).replaceAll(/"test_\w+"/g, '"s"'));
      return Reflect.apply(query, client, asked);
    },
  });
}

/** The tests themselves empty schemas, and break one. */
const OF_TESTS = /^(delete from "s"\."|select tablename |create (function|trigger) |drop function )/;

/** Lists of distributed tables do not wait for running commits yet (`docs/citus.md`). */
const FOLLOWING = [
  'misses no event after one that was listed, however late it was committed',
  'shows a poller every event of concurrent writers exactly once, in whatever order they decide and commit',
];

describe('on tables with the keys of distribute.sql', () => {
  const all = [...storeLaws, ...sandboxStoreLaws];
  const laws = all.filter(({ title }) => !FOLLOWING.includes(title));
  expect(laws.length).toBe(all.length - FOLLOWING.length);
  describeLaws(
    laws,
    postgresSubject(
      () => pool,
      { distribution: citus },
      () => distributedSchema(office),
    ),
    { describe, it },
  );
});

describe('the reads of operators, on tables with the keys of distribute.sql', () => {
  describeLaws(
    unfinishedWorkLaws,
    {
      create: async () => {
        const schema = await distributedSchema(office);
        return {
          work: postgresOperator(pool, { schema, distribution: citus }),
          store: postgresStore(pool, { schema, distribution: citus }),
          close: async () => undefined,
        };
      },
    },
    { describe, it },
  );

  it('count the backlog, write on all nodes, and reseal secrets', async () => {
    const schema = await distributedSchema(office);
    const store = postgresStore(pool, { schema, distribution: citus });
    const operator = postgresOperator(pool, { schema, distribution: citus });
    await store.save('endpoint', { ...rows.anEndpoint(), secrets: [{ sealed: 'old', createdAt: 1, expiresAt: null }] });
    await store.commit({ ...emptyChange(rows.ACME, rows.T0), tasks: [rows.aTask({ dueAt: rows.T0 })] });
    const event = rows.aPartnerEvent(rows.ACME, rows.T0);
    await store.commit(changes.eventOnly(event, rows.aDelivery(event, rows.T0)));
    const scope = { scopes: [rows.ACME], work: true };
    const calls: { readonly [Name in keyof PostgresOperator]: () => Promise<unknown> } = {
      backlog: () => operator.backlog('test', rows.T0 + OVERDUE_MS - 1),
      probe: () => operator.probe(),
      partners: () => operator.partners(),
      keysLike: () => operator.keysLike('ab'),
      waitingDeliveries: () => operator.waitingDeliveries(rows.ACME),
      resealSecrets: () => operator.resealSecrets((sealed) => `again ${sealed}`),
      resealPackages: () => operator.resealPackages((sealed) => sealed),
      marks: () => operator.marks(scope),
      queuedDeliveries: () => operator.queuedDeliveries('test', 10, rows.ACME.partnerId),
      oldestTasks: () => operator.oldestTasks('test', rows.T0),
      stuckTasks: () => operator.stuckTasks('test', rows.T0, 10),
      parkedTasks: () => operator.parkedTasks('test', 10),
      countDeadLetters: () => operator.countDeadLetters([rows.ACME], 10),
      heldSessions: () => operator.heldSessions('test', 10),
    };
    const before = await operator.marks(scope);
    const answers = Object.fromEntries(
      await Promise.all(Object.entries(calls).map(async ([name, call]) => [name, await call()] as const)),
    );
    expect(answers).toMatchObject({
      backlog: { dueDeliveries: 1, overdueDeliveries: 0, dueTasks: 1, overdueTasks: 0, heldSessions: 0 },
      probe: expect.any(Number),
      waitingDeliveries: 1,
      resealSecrets: 1,
      queuedDeliveries: [{ eventId: event.id }],
      marks: before,
    });
    expect(before).toMatchObject({ work: '0.0.0.0', scopes: [{ events: event.id }] });
  });

  it('count and pick in the database: one row for each count and each kind of task, however much is due', async () => {
    const schema = await distributedSchema(office);
    const store = postgresStore(pool, { schema, distribution: citus });
    const many = Array.from({ length: 50 }, (_, nth) => rows.aTask({ at: rows.T0, dueAt: rows.T0 + nth }));
    const other = { ...rows.aTask({ at: rows.T0, dueAt: rows.T0 + 1 }), kind: 'quota_check' as const };
    await store.commit({ ...emptyChange(rows.ACME, rows.T0), tasks: [...many, other] });
    const database = pooled(pool, { queryTimeoutMs: 5_000, preparedStatements: false });
    const counts: number[] = [];
    const query: typeof database.query = async (text, values) => {
      const found = await database.query<never>(text, values);
      counts.push(found.length);
      return found;
    };
    const operator = operatorOfShards({ ...database, query }, schema);
    expect(await operator.backlog('test', rows.T0 + OVERDUE_MS + 9)).toMatchObject({ dueTasks: 51, overdueTasks: 11 });
    expect(counts).toEqual([1, 1, 1, 1, 1]);
    expect(await operator.oldestTasks('test', rows.T0 + 100)).toEqual({ tasks: [many[0], other], hasMore: false });
    expect(counts.at(-1)).toBe(2);
  });
});

it('each statement of the store, the operators and the scheduler runs on one node, or is a listed exception that only reads', async () => {
  const schema = await distributedSchema(office);
  await pollOfShards(pooled(pool, { queryTimeoutMs: 5_000, preparedStatements: false }), schema)();
  const store = postgresStore(pool, { schema, distribution: citus });
  const lease = { now: 1, leaseMs: 1, token: 'lease' };
  expect(await store.claimOne('delivery', { mode: 'test' }, 'absent', lease)).toBeNull();
  expect(await store.claimOne('task', { mode: 'test' }, 'absent', { ...lease, early: false })).toBeNull();
  const rules = await rulesOf(office, schema);
  const bodies = await functionBodies(office, schema);
  const found = new Map<string, readonly string[]>();
  const called = new Set<string>();
  const check = async (name: string | null, text: string, variables?: ReadonlySet<string>): Promise<void> => {
    const wrong = await violations({ text, variables }, rules);
    const key = name ?? text.replaceAll(/\s+/g, ' ');
    if (wrong.length > 0) found.set(key, [...(found.get(key) ?? []), ...wrong]);
    for (const other of await functionsCalled(text)) {
      if (called.has(other)) continue;
      called.add(other);
      for (const body of bodies.get(other) ?? []) await check(other, body.text, body.variables);
    }
  };
  for (const text of sent) if (!OF_TESTS.test(text)) await check(null, text);
  expect(sent.size).toBeGreaterThan(100);
  expect(called).toContain('commit_of_partner');
  // Statements on all nodes must neither lock nor write: Citus refuses locks there.
  for (const text of found.keys()) expect(text).toMatch(/^select (?!.* for (no key )?update)/);
  const exceptionOf = (key: string): string | undefined =>
    Object.keys(EXCEPTIONS).find((one) => (one.includes(' ') ? key.startsWith(one) : key === one));
  expect([...found].filter(([key]) => exceptionOf(key) === undefined)).toEqual([]);
  const unused = Object.keys(EXCEPTIONS).filter((one) => ![...found.keys()].some((key) => exceptionOf(key) === one));
  expect(unused).toEqual([]);
});
