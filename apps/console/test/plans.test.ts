import { postgresOperator, postgresStore } from '@gateramp/adapters-store-postgres';
import { createTestGate, TEST_PARTNER, type TestGate } from '@gateramp/testing';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freshSchema, testPool } from '../../../packages/adapters-store-postgres/test/postgres-subject.js';
import { manySessions } from '../../../tests/services/many-sessions.js';
import { ENDPOINTS } from '../src/server/endpoints.js';
import { ask, type TestConsole, testConsole } from './console.js';

/** Enough rows for the planner to prefer an index. */
const COPIES = 3_000;

/** Tables that grow with traffic. */
const LARGE = [
  ...['sessions', 'intents', 'transactions', 'documents', 'events', 'deliveries', 'delivery_queue', 'tasks'],
  ...['audit_entries', 'idempotency_keys', 'once_marks', 'sandbox_operations', 'leg_documents', 'leg_entries'],
];

/** The maximum number of rows of these tables that one statement may read, whatever their size. */
const ROWS_MAX = 2_500;

let pool: pg.Pool;
let test: TestGate;
let console: TestConsole;
let sent: pg.QueryConfig[] = [];
const ids: Record<string, string> = {};

beforeAll(async () => {
  pool = await testPool(4);
  const schema = await freshSchema(pool);
  const ports = {
    store: postgresStore(spied(pool), { schema }),
    operator: postgresOperator(spied(pool), { schema }),
  };
  test = await createTestGate({ ports });
  await manySessions(pool, test, { schema, count: COPIES });
  console = testConsole(test.gate, {
    authorize: () => ({ actor: 'olga', roles: ['admin'], partners: 'all' }),
  });
  const scope = { partnerId: TEST_PARTNER.id, mode: 'test' } as const;
  const [sessions, transactions, events, deliveries] = [
    await test.gate.sessions.list(scope, { status: 'completed', limit: 1 }),
    await test.gate.transactions.list(scope, { limit: 1 }),
    await test.gate.events.list(scope, { limit: 1 }),
    await test.gate.webhooks.deliveries.list(scope, { limit: 1 }),
  ];
  for (const [name, list] of Object.entries({ sessions, transactions, events, deliveries }))
    if (list.isOk()) ids[name] = list.value.data[0]?.id ?? '';
}, 120_000);
afterAll(() => pool.end());

/** The pool, or one of its clients, with every statement that reads rows recorded. */
function spied<Target extends pg.Pool | pg.PoolClient>(target: Target): Target {
  return new Proxy(target, {
    get: (_, name) => {
      if (name === 'connect' && 'totalCount' in target) return async () => spied(await target.connect());
      const found: unknown = Reflect.get(target, name, target);
      if (name !== 'query') return typeof found === 'function' ? (found.bind(target) as unknown) : found;
      return (statement: pg.QueryConfig) => {
        const { text, values = [] } = statement;
        if (/^\s*(select|with)\b/.test(text)) sent.push({ text, values });
        return target.query(statement);
      };
    },
  });
}

/** Every read of the console, with each parameter that leads to a different statement. */
function reads(): readonly string[] {
  const { sessions = '', transactions = '', events = '', deliveries = '' } = ids;
  const own: Readonly<Record<string, readonly string[]>> = {
    '/sessions': ['', '?status=open', '?status=expired', '?flow=on_ramp', '?currency=EUR', '?user_reference=unknown'],
    '/sessions/{id}': [sessions],
    '/sessions/{id}/history': [sessions],
    '/sessions/{id}/test': [sessions],
    '/transactions': ['', '?status=failed', `?session_id=${sessions}`, '?created_before=2020-01-01T00:00:00.000Z'],
    '/transactions/{refid}': [transactions],
    '/events': ['', '?type=gate_session.completed', `?session_id=${sessions}`],
    '/events/{id}': [events],
    '/deliveries': ['', '?status=dead_lettered', '?status=pending', '?status=delivered', `?session_id=${sessions}`],
    '/deliveries/{id}': [deliveries],
    '/objects/{id}': [sessions, transactions, events, deliveries, 'unknown', 'req_000000000000000000000000'],
    '/search': ['unknown', sessions, '0'.repeat(16), 'req_000000000000000000000000'].map((q) => `?q=${q}`),
    '/partners/{id}': [TEST_PARTNER.id],
    '/audit': ['', '?before=100'],
  };
  return ENDPOINTS.filter(({ method, audience }) => method === 'GET' && audience !== 'public').flatMap(({ path }) =>
    (own[path] ?? ['']).map((given) =>
      path.includes('{') ? path.replace(/\{\w+\}/, given || 'x') : `${path}${given}`,
    ),
  );
}

const PLACE = `partner=${TEST_PARTNER.id}&mode=test`;

describe('every read of the console uses an index and reads a bounded number of rows', () => {
  it('on Postgres', async () => {
    const texts = new Map<string, readonly [string, pg.QueryConfig]>();
    for (const path of reads()) {
      for (const place of [PLACE, '']) {
        sent = [];
        await ask(console, `${path}${path.includes('?') ? '&' : '?'}${place}`);
        for (const statement of sent) texts.set(statement.text, [path, statement]);
      }
    }
    expect(texts.size).toBeGreaterThan(40);
    const wrong: unknown[] = [];
    for (const [path, statement] of texts.values()) {
      const { rows } = await pool.query<{ 'QUERY PLAN': readonly { readonly Plan: PlanNode }[] }>({
        ...statement,
        text: `explain (analyze, format json) ${statement.text}`,
      });
      const nodes = rows[0]?.['QUERY PLAN'].flatMap(({ Plan }) => flat(Plan)) ?? [];
      const scanned = nodes.filter((node) => LARGE.includes(node['Relation Name'] ?? ''));
      const many = scanned.reduce((sum, node) => sum + rowsOf(node), 0);
      if (many > ROWS_MAX || scanned.some((node) => node['Node Type'] === 'Seq Scan' && rowsOf(node) > 100))
        wrong.push([path, many, scanned.map((node) => [node['Node Type'], node['Relation Name']]), statement.text]);
    }
    expect(wrong).toEqual([]);
  }, 120_000);
});

interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Rows Removed by Index Recheck'?: number;
  readonly Plans?: readonly PlanNode[];
}

const flat = (node: PlanNode): readonly PlanNode[] => [node, ...(node.Plans ?? []).flatMap(flat)];

function rowsOf(node: PlanNode): number {
  const each =
    node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0);
  return Math.round(each * node['Actual Loops']);
}
