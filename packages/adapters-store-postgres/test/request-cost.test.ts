import { createTestGate, TEST_KEYS, type TestGate, type TestRequest, type TestResponse } from '@gateramp/testing';
import type pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { postgresStore } from './patient-store.js';
import { freshSchema, testPool } from './postgres-subject.js';

const SESSION = { amount: '100.00', currency: 'EUR', return_url: 'https://shop.example/done' };
const key = TEST_KEYS.secret.test;

let pool: pg.Pool;
let schema: string;
let t: TestGate;
const sent: string[] = [];

beforeAll(async () => {
  pool = await testPool();
  schema = await freshSchema(pool);
  t = await createTestGate({ ports: { store: postgresStore(counted(pool), { schema, keyMemoryMs: 600_000 }) } });
  // Queries that a process makes only once have been made.
  await create({ idempotencyKey: 'first' });
  await t.request('POST', '/v1/embed/bootstrap', BOOTSTRAP);
  await t.gate.runDue();
});
beforeEach(() => {
  sent.length = 0;
});
afterAll(() => pool.end());

let keys = 0;
const create = (request: TestRequest = {}) =>
  t.request('POST', '/v1/gate_sessions', { key, idempotencyKey: `key-${(keys += 1)}`, body: SESSION, ...request });

const NOWHERE = '0123456789abcdef01234567';
const BOOTSTRAP = {
  key: TEST_KEYS.publishable.test,
  headers: { origin: 'https://shop.example' },
  body: { clientSecret: `gsec_${NOWHERE}_${'a'.repeat(32)}` },
};

/** The code of the answer, and the table or function of every statement before it. */
const COSTS: readonly (readonly [code: string, statements: readonly string[], work: () => Promise<TestResponse>])[] = [
  ['missing_credential', [], () => t.request('GET', '/v1/gate_sessions', {})],
  ['malformed_credential', [], () => t.request('GET', '/v1/gate_sessions', { key: 'sk_test_' })],
  ['invalid_api_key', ['api_keys'], () => t.request('GET', '/v1/gate_sessions', { key: `sk_test_${'x'.repeat(24)}` })],
  ['live_key_on_sandbox', [], () => t.request('GET', '/v1/gate_sessions', { key: TEST_KEYS.secret.live })],
  ['wrong_key_type', [], () => t.request('GET', '/v1/gate_sessions', { key: TEST_KEYS.publishable.test })],
  ['route_not_found', [], () => t.request('GET', '/v1/nowhere', { key })],
  ['session_not_found', ['sessions'], () => t.request('GET', `/v1/gate_sessions/${NOWHERE}`, { key })],
  ['session_not_found', ['sessions'], () => t.request('POST', `/v1/gate_sessions/${NOWHERE}/cancel`, { key })],
  ['delivery_not_found', ['deliveries'], () => t.request('POST', `/v1/webhooks/deliveries/${NOWHERE}/replay`, { key })],
  ['session_not_found', ['sessions'], () => t.request('POST', '/v1/embed/bootstrap', BOOTSTRAP)],
  ['idempotency_key_required', [], () => t.request('POST', '/v1/gate_sessions', { key, body: SESSION })],
  ['validation_failed', [], () => create({ body: { ...SESSION, amount: '-1' } })],
  // A stored reply takes precedence over the rule.
  [
    'origin_not_allowed',
    ['idempotency_keys'],
    () => create({ body: { ...SESSION, return_url: 'https://evil.example/' } }),
  ],
  // The commit of new rows finds the key taken; the full commit reads the reason.
  [
    'idempotency_key_mismatch',
    ['commit_new_rows', 'commit_changes'],
    () => create({ idempotencyKey: 'first', body: { ...SESSION, amount: '1.00' } }),
  ],
];

describe('of a process whose keys are known to it', () => {
  it.each(COSTS)('a refusal %s asks Postgres %j', async (code, statements, work) => {
    const answer = await work();
    expect(answer.json['code']).toBe(code);
    expect(sent.map(named)).toEqual(statements);
  });

  it('a create is one statement, and its replay two', async () => {
    expect((await create()).status).toBe(201);
    expect(sent.map(named)).toEqual(['commit_new_rows']);
    expect((await create({ idempotencyKey: 'first' })).status).toBe(201);
    expect(sent.map(named)).toEqual(['commit_new_rows', 'commit_new_rows', 'commit_changes']);
  });
});

describe('the attempts of a batch of deliveries', () => {
  const WORK = ['claim_due_tasks', 'endpoints', 'record_deliveries'];
  const asked = () => sent.map(named).filter((name) => name !== 'next_due_from');

  it('are claimed in one statement, recorded in one with the health of their endpoint, and look their endpoint up once', async () => {
    for (let nth = 0; nth < 5; nth += 1) await create();
    sent.length = 0;
    await t.gate.runDue();
    expect(asked()).toEqual([...WORK, 'claim_due_tasks']);
  });

  it('write no row of health while it stays good within the minute', async () => {
    const before = await health();
    await create();
    await t.gate.runDue();
    expect(await health()).toEqual(before);
    await t.clock.advance('61s');
    await create();
    await t.gate.runDue();
    expect(await health()).not.toEqual(before);
  });

  /** The physical version of the row. */
  const health = async () => (await pool.query(`select xmin::text, ctid::text from "${schema}".endpoint_health`)).rows;
});

/** The first table or function of the schema in the statement. */
function named(statement: string): string {
  return /"\.(\w+)/.exec(statement)?.[1] ?? statement;
}

/** The pool, or one of its clients, with every statement recorded. */
function counted<Target extends pg.Pool | pg.PoolClient>(target: Target): Target {
  return new Proxy(target, {
    get: (_, name) => {
      if (name === 'connect' && 'totalCount' in target) return async () => counted(await target.connect());
      const found: unknown = Reflect.get(target, name, target);
      if (name !== 'query') return typeof found === 'function' ? (found.bind(target) as unknown) : found;
      return (statement: pg.QueryConfig | string) => {
        sent.push(typeof statement === 'string' ? statement : statement.text);
        // Text without values is passed on unchanged, whatever its type here.
        return target.query(statement as pg.QueryConfig);
      };
    },
  });
}
