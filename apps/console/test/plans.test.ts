import { postgresOperator, postgresStore } from '@gateramp/adapters-store-postgres';
import { createTestGate, TEST_PARTNER, type TestGate } from '@gateramp/testing';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freshSchema, testPool } from '../../../packages/adapters-store-postgres/test/postgres-subject.js';
import { explained, scansIn, spied } from '../../../packages/adapters-store-postgres/test/rows-read.js';
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
    store: postgresStore(spied(pool, note), { schema }),
    operator: postgresOperator(spied(pool, note), { schema }),
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

function note({ text, values = [] }: pg.QueryConfig): void {
  if (/^\s*(select|with)\b/.test(text)) sent.push({ text, values });
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
    '/search': ['unknown', sessions, '0'.repeat(16), '0x'.padEnd(66, 'a'), 'req_000000000000000000000000'].map(
      (q) => `?q=${q}`,
    ),
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
      const scans = (await explained(pool, statement)).flatMap(({ Plan }) => scansIn(Plan));
      const large = scans.filter(({ table }) => LARGE.includes(table));
      const many = large.reduce((sum, { rows }) => sum + rows, 0);
      if (many > ROWS_MAX || large.some(({ node, rows }) => node === 'Seq Scan' && rows > 100))
        wrong.push([path, many, large, statement.text]);
    }
    expect(wrong).toEqual([]);
  }, 120_000);
});
