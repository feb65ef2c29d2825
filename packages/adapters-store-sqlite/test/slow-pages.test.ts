import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rows } from '@gateramp/conformance';
import type { PageStart } from '@gateramp/core/domain';
import { isOutage, type Store } from '@gateramp/core/ports';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SLOW_PAGE_LIMITS, SlowPageQueue } from '../src/slow-page-queue.js';
import { openSqlite, sqliteStore, type SqliteDatabase } from '../src/index.js';
import { listPage, SESSIONS } from '../src/listing.js';
import type { Condition } from '../src/page.js';

const { ACME, T0 } = rows;
const MANY = 100;

let folder: string;
let file: SqliteDatabase;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'gate-sqlite-'));
  file = openSqlite(join(folder, 'gate.db'));
  for (let nth = 0; nth < MANY; nth += 1) {
    const status = nth % 3 === 0 ? 'open' : 'completed';
    const terms = { flow: nth % 5 === 0 ? 'swap' : 'on_ramp', currency: nth === 1 ? 'USD' : 'EUR' };
    const row = { ...ACME, status, terms, userReference: nth % 2 === 0 ? 'even' : null, createdAt: T0 + nth };
    file.connection().run('insert into sessions (id, row) values (?, ?)', idOf(nth), JSON.stringify({ ...row, nth }));
  }
});
afterAll(() => {
  file.close();
  rmSync(folder, { recursive: true, force: true });
});

function idOf(nth: number): string {
  return String(nth).padStart(24, '0');
}

/** One turn of the event loop. */
function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

describe('a page that has to look far', () => {
  const filters: readonly (readonly Condition[])[] = [
    [['currency = ?', 'USD']],
    [['currency = ?', 'ZZZ']],
    [['flow = ?', 'swap']],
    [
      ['status = ?', 'open'],
      ['flow = ?', 'swap'],
    ],
    [
      ['user_reference = ?', 'even'],
      ['status = ?', 'open'],
      ['currency = ?', 'EUR'],
    ],
    [
      ['status = ?', 'completed'],
      ['created_at >= ?', T0 + 40],
      ['flow = ?', 'on_ramp'],
    ],
  ];
  const starts: readonly PageStart[] = [
    { kind: 'newest' },
    { kind: 'after', id: idOf(55) },
    { kind: 'before', id: idOf(12) },
  ];

  it.each([1, 2, 7, MANY, 1_000])('has the same rows in slices of %i as in one piece', async (rowsPerTurn) => {
    for (const conditions of filters)
      for (const start of starts)
        for (const limit of [1, 3, 100]) {
          const page = { start, limit };
          const list = (queue: SlowPageQueue) =>
            listPage(file.connection(), queue, { listing: SESSIONS, scope: ACME, page, conditions });
          const sliced = await list(new SlowPageQueue({ ...SLOW_PAGE_LIMITS, rowsPerTurn }));
          expect(sliced).toEqual(await list(new SlowPageQueue()));
          expect(sliced).toEqual(expectedOf(conditions, page));
        }
  });

  it('lets all others have a turn after each slice', async () => {
    const queue = new SlowPageQueue({ ...SLOW_PAGE_LIMITS, rowsPerTurn: 10 });
    let isDone = false;
    const page = { start: { kind: 'newest' }, limit: 10 } as const;
    const conditions: readonly Condition[] = [['currency = ?', 'ZZZ']];
    const listed = listPage(file.connection(), queue, { listing: SESSIONS, scope: ACME, page, conditions });
    void listed.then(() => (isDone = true));
    let turns = 0;
    for (; !isDone; turns += 1) await turn();
    expect(turns).toBeGreaterThanOrEqual(MANY / 10);
  });
});

/** The expected page, computed from all rows. */
function expectedOf(
  conditions: readonly Condition[],
  { start, limit }: { readonly start: PageStart; readonly limit: number },
): readonly { readonly row: string }[] {
  const all = file.connection().all<{ id: string; row: string }>('select id, row from sessions order by id');
  const fits = (row: string): boolean => {
    const { status, terms, userReference, createdAt } = JSON.parse(row) as {
      status: string;
      terms: { flow: string; currency: string };
      userReference: string | null;
      createdAt: number;
    };
    const members: Readonly<Record<string, unknown>> = { status, ...terms, user_reference: userReference };
    return conditions.every(([text, value]) =>
      text.startsWith('created_at') ? createdAt >= Number(value) : members[text.split(' ')[0] ?? ''] === value,
    );
  };
  const isForward = start.kind === 'before';
  const beyond = all.filter(({ id }) => (start.kind === 'newest' ? true : isForward ? id > start.id : id < start.id));
  return (isForward ? beyond : beyond.toReversed())
    .filter(({ row }) => fits(row))
    .slice(0, limit + 1)
    .map(({ row }) => ({ row }));
}

describe('pages that look far', () => {
  it('take turns: one is looked for at a time', async () => {
    const queue = new SlowPageQueue({ ...SLOW_PAGE_LIMITS, rowsPerTurn: 1 });
    const order: string[] = [];
    const looking = (name: string) => {
      let times = 0;
      return queue.take(() => {
        order.push(name);
        times += 1;
        return times === 3;
      });
    };
    await Promise.all([looking('a'), looking('b')]);
    expect(order.join('')).toBe('abaabb');
  });

  it('are an outage where they take too long, or wait for too long; the next is looked for all the same', async () => {
    const slow = new SlowPageQueue({ ...SLOW_PAGE_LIMITS, timeMaxMs: -1 });
    await expect(slow.take(() => false)).rejects.toSatisfy(isOutage);
    const late = new SlowPageQueue({ ...SLOW_PAGE_LIMITS, waitMaxMs: -1 });
    await expect(late.take(() => false)).rejects.toSatisfy(isOutage);
    await late.take(() => true);
  });
});

describe('however many rows the other filters leave out', () => {
  const ALL = { createdAfter: T0, createdBefore: T0 + 1 } as const;
  const NEWEST = { start: { kind: 'newest' }, limit: 10 } as const;
  const sessions = { status: null, flow: 'swap', currency: 'EUR', userReference: null, ...ALL } as const;
  const transactions = { status: null, flow: 'swap', sessionId: null, userReference: null, ...ALL } as const;
  const deliveries = {
    target: 'webhook',
    status: null,
    eventType: 't',
    eventId: null,
    sessionId: null,
    ...ALL,
  } as const;

  it.each<[string, (store: Store) => Promise<unknown>]>([
    ['sessions', (store) => store.list('session', ACME, sessions, NEWEST, T0)],
    ['open sessions', (store) => store.list('session', ACME, { ...sessions, status: 'open' }, NEWEST, T0)],
    ['expired sessions', (store) => store.list('session', ACME, { ...sessions, status: 'expired' }, NEWEST, T0)],
    [
      "a user's",
      (store) => store.list('session', ACME, { ...sessions, userReference: 'u', status: 'open' }, NEWEST, T0),
    ],
    ['transactions', (store) => store.list('transaction', ACME, transactions, NEWEST)],
    ['failed ones', (store) => store.list('transaction', ACME, { ...transactions, status: 'failed' }, NEWEST)],
    [
      "a user's transactions",
      (store) => store.list('transaction', ACME, { ...transactions, userReference: 'u', status: 'failed' }, NEWEST),
    ],
    ['deliveries', (store) => store.list('delivery', ACME, deliveries, NEWEST)],
    ['dead-lettered ones', (store) => store.list('delivery', ACME, { ...deliveries, status: 'dead_lettered' }, NEWEST)],
  ])('of %s that do not fit only the index is read', async (_, ask) => {
    expect(await columnsReadFromRows(ask)).toEqual([]);
  });
});

/** Members that a statement extracts from the JSON of a row, according to its bytecode. */
async function columnsReadFromRows(ask: (store: Store) => Promise<unknown>): Promise<readonly unknown[]> {
  const connection = file.connection();
  const texts = new Map<string, number>();
  const watched = {
    ...connection,
    all: <Row>(text: string, ...values: (string | number | null)[]) => {
      texts.set(text, values.length);
      return connection.all<Row>(text, ...values);
    },
  };
  await ask(sqliteStore({ ...file, connection: () => watched }));
  return [...texts]
    .flatMap(([text, many]) =>
      connection.all<{ p4: unknown }>(`explain ${text}`, ...Array.from({ length: many }, () => 1)),
    )
    .map(({ p4 }) => p4)
    .filter((p4) => typeof p4 === 'string' && p4.startsWith('->>'));
}
