import { join } from 'node:path';
import { postgresOperator, postgresStore } from '@gateramp/adapters-store-postgres';
import { openSqlite, sqliteOperator, sqliteStore } from '@gateramp/adapters-store-sqlite';
import { createTestGate, TEST_PARTNER, type TestGate } from '@gateramp/testing';
import type pg from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { freshSchema, testPool } from '../../../packages/adapters-store-postgres/test/postgres-subject.js';
import { explained, scansIn, spied } from '../../../packages/adapters-store-postgres/test/rows-read.js';
import type { Value } from '../../../packages/adapters-store-sqlite/src/connection.js';
import { manySessions } from '../../../tests/services/many-sessions.js';
import { scratchFolder } from '../../../tests/services/scratch-folder.js';
import { ENDPOINTS } from '../src/server/endpoints.js';
import { ask, type TestConsole, testConsole } from './console.js';

/** Enough rows for the planner to prefer an index. */
const COPIES = 3_000;

/** Tables that grow with traffic. */
const LARGE = [
  ...['sessions', 'intents', 'transactions', 'documents', 'events', 'deliveries', 'delivery_queue', 'tasks'],
  ...['audit_entries', 'idempotency_keys', 'once_marks', 'sandbox_operations', 'leg_documents', 'leg_entries'],
];

/**
 * What SQLite may scan or sort: partners, the events of a session, the keys of a partner, rows that an inner limit bounds, the waiting
 * deliveries of a lane, and the audit trail from its newest entry on. An index for the deliveries would be written at every attempt, and
 * only operators read them.
 */
const SORTED_ON_SQLITE = [
  'select row from partners order by id',
  'and session_id = ?',
  'from api_keys where partner_id = ?',
  'with due as materialized',
  'order by free_at, id limit ?))',
  'held_since is not null order by id limit ?)',
  "order by row ->> 'dueAt', id",
  'from audit_entries where true order by sequence',
  'from audit_entries where true and at ',
];

/** The maximum number of rows of these tables that one statement may read, whatever their size. */
const ROWS_MAX = 2_500;

/** A console of an operator of all partners, and an id of each noun in its sandbox. */
interface Seen {
  readonly console: TestConsole;
  readonly ids: Readonly<Record<string, string>>;
}

async function consoleOf({ gate }: TestGate): Promise<Seen> {
  const console = testConsole(gate, {
    authorize: () => ({ actor: 'olga', roles: ['admin'], partners: 'all' }),
  });
  const scope = { partnerId: TEST_PARTNER.id, mode: 'test' } as const;
  const lists = {
    sessions: await gate.sessions.list(scope, { status: 'completed', limit: 1 }),
    transactions: await gate.transactions.list(scope, { limit: 1 }),
    events: await gate.events.list(scope, { limit: 1 }),
    deliveries: await gate.webhooks.deliveries.list(scope, { limit: 1 }),
  };
  const ids = Object.entries(lists).map(([name, list]) => [name, list._unsafeUnwrap().data[0]?.id ?? ''] as const);
  return { console, ids: Object.fromEntries(ids) };
}

/** Sends every read, for one partner and for all. Calls `sent` after each. */
async function readAll({ console, ids }: Seen, sent: (path: string) => void): Promise<void> {
  for (const path of reads(ids)) {
    for (const place of [PLACE, '']) {
      await ask(console, `${path}${path.includes('?') ? '&' : '?'}${place}`);
      sent(path);
    }
  }
}

const AUDIT = [
  ...['', '?before=100', '?action=key.issue', '?action=nothing', '?actor=nobody'],
  ...['?from=2020-01-01T00:00:00Z', '?to=2020-01-01T00:00:00Z', '?action=key&actor=nobody&to=2020-01-01T00:00:00Z'],
];

/** Every read of the console, with each parameter that leads to a different statement. */
function reads(ids: Seen['ids']): readonly string[] {
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
    '/audit': AUDIT,
    '/trail': AUDIT,
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
    const pool = await testPool(4);
    onTestFinished(() => pool.end());
    const schema = await freshSchema(pool);
    let sent: pg.QueryConfig[] = [];
    const note = ({ text, values = [] }: pg.QueryConfig): void => {
      if (/^\s*(select|with)\b/.test(text)) sent.push({ text, values });
    };
    const ports = {
      store: postgresStore(spied(pool, note), { schema }),
      operator: postgresOperator(spied(pool, note), { schema }),
    };
    const test = await createTestGate({ ports });
    await manySessions(pool, test, { schema, count: COPIES });
    const seen = await consoleOf(test);
    sent = [];
    const texts = new Map<string, readonly [string, pg.QueryConfig]>();
    await readAll(seen, (path) => {
      for (const statement of sent) texts.set(statement.text, [path, statement]);
      sent = [];
    });
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
  });

  it('on SQLite', async () => {
    const file = openSqlite(join(scratchFolder('gate-console-plans-'), 'gate.db'));
    onTestFinished(() => file.close());
    const sent = new Map<string, readonly Value[]>();
    const connection = file.connection();
    const watched = {
      ...connection,
      all: <Row>(text: string, ...values: readonly Value[]) => {
        sent.set(text, values);
        return connection.all<Row>(text, ...values);
      },
    };
    const spiedFile = { ...file, connection: () => watched };
    const test = await createTestGate({
      ports: { store: sqliteStore(spiedFile), operator: sqliteOperator(spiedFile) },
    });
    await test.settle((await test.createSession()).id);
    await test.clock.advance('1m');
    // A delivery that waits, and a task.
    const { id } = await test.createSession();
    await test.request('POST', `/v1/test_helpers/gate_sessions/${id}/simulate`, {
      key: test.keys.secret.test,
      body: { scenario: 'kyc_required' },
    });
    const seen = await consoleOf(test);
    sent.clear();
    const paths = new Map<string, string>();
    await readAll(seen, (path) => {
      for (const text of sent.keys()) if (!paths.has(text)) paths.set(text, path);
    });
    expect(sent.size).toBeGreaterThan(40);
    const wrong = [...sent].flatMap(([text, values]) =>
      connection
        .all<{ readonly detail: string }>(`explain query plan ${text}`, ...values)
        .map(({ detail }) => detail)
        .filter((detail) => /^SCAN|TEMP B-TREE/.test(detail))
        .filter(() => !SORTED_ON_SQLITE.some((part) => text.includes(part)))
        .map((detail) => [paths.get(text), detail, text]),
    );
    expect(wrong).toEqual([]);
  });
});
