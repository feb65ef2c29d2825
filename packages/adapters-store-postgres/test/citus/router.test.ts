import { describeLaws, storeLaws } from '@gateramp/conformance';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { testDatabaseUrl } from '../../../../tests/services/test-postgres.js';
import { pooled } from '../../src/database.js';
import { postgresStore } from '../../src/index.js';
import { probeOfShards } from '../../src/polling-scheduler.js';
import { postgresSubject, testPool } from '../postgres-subject.js';
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
  'select distinct lane from': 'workers: as above, if all kinds of work are asked for',
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

describe('on tables with the keys of ops/citus.sql', () => {
  describeLaws(
    storeLaws,
    postgresSubject(
      () => pool,
      { distributed: true },
      () => distributedSchema(office),
    ),
    { describe, it },
  );
});

it('each statement of the store and the scheduler runs on one node, or is a listed exception that only reads', async () => {
  const schema = await distributedSchema(office);
  await probeOfShards(pooled(pool, { queryTimeoutMs: 5_000, preparedStatements: false }), schema)();
  const store = postgresStore(pool, { schema, distributed: true });
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
